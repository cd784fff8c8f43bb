"""A calibration whose penalty may be annealed: a Python float in a filtered step, the same in each round by default."""

import dataclasses
import json
import sys
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp


class Gains(eqx.Module):
    low: jax.Array
    high: jax.Array


@dataclasses.dataclass(frozen=True)
class Settings:
    steps: int = 4
    penalty: float = 0.01
    end: float = 0.01


def penalty_at(step, settings):
    if settings.end == settings.penalty:
        return settings.penalty
    return settings.penalty + (settings.end - settings.penalty) * step / settings.steps


@eqx.filter_jit
def improved(gains, signal, weight):
    def loss(gains):
        return jnp.mean((gains.low * signal - gains.high) ** 2) + weight * gains.low**2

    slope = eqx.filter_grad(loss)(gains)
    return eqx.apply_updates(gains, jax.tree.map(lambda part: -0.1 * part, slope))


def calibrated(settings):
    gains, signal = Gains(jnp.array(1.0), jnp.array(0.5)), jnp.arange(4.0)
    for step in range(settings.steps):
        weight = penalty_at(step, settings)
        gains = improved(gains, signal, weight)  # BUG recompile
    return gains


def main(arguments):
    settings = Settings()
    if arguments:
        settings = dataclasses.replace(settings, **json.loads(Path(arguments[0]).read_text()))
    print(calibrated(settings).low)


if __name__ == "__main__":
    main(sys.argv[1:])
