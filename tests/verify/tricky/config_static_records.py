"""Particle filter pieces compiled against several kinds of static records."""
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class Motion:
    drift: float
    sigma: float


class Sensor:
    def __init__(self, sigma, floor):
        self.sigma = sigma
        self.floor = floor


class Resampling(NamedTuple):
    scheme: str
    round: int


@partial(jax.jit, static_argnames="motion")
def predict(x, key, motion):
    return x + motion.drift + motion.sigma * jax.random.normal(key, x.shape)


@partial(jax.jit, static_argnames="sensor")
def weigh(x, z, sensor):
    return jnp.exp(-0.5 * ((x - z) / sensor.sigma) ** 2) + sensor.floor


@partial(jax.jit, static_argnames="plan")
def resample(x, w, key, plan):
    n = x.shape[0]
    u = jax.random.uniform(key, () if plan.scheme == "systematic" else (n,))
    points = (jnp.arange(n) + u) / n
    return x[jnp.searchsorted(jnp.cumsum(w / w.sum()), points).clip(0, n - 1)]


def main():
    key = jax.random.key(6)
    x = jax.random.normal(key, (128,))
    truth = 0.0
    for t in range(5):
        kp, kr = jax.random.split(jax.random.fold_in(key, t))
        truth += 0.3
        x = predict(x, kp, motion=Motion(0.3, 0.1))  # OK recompile
        w = weigh(x, truth, sensor=Sensor(0.5, 1e-6))  # BUG recompile
        x = resample(x, w, kr, plan=Resampling("systematic", t))  # BUG recompile
    print("estimate", float(x.mean()), "truth", truth)


if __name__ == "__main__":
    main()
