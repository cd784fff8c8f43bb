"""Hyper-parameter probes placed on different devices, with a line for each placement."""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=3"

import jax
import jax.numpy as jnp
import numpy as np

PLACED = {"probe": 0, "score": 0}


@jax.jit
def probe(rate):
    PLACED["probe"] += 1  # OK effect
    x = jnp.linspace(-1.0, 1.0, 16)

    def descend(w, _):
        g = jnp.mean((w * x - jnp.sin(2 * x)) * x)
        return w - rate * g, None

    w, _ = jax.lax.scan(descend, jnp.float32(0.0), None, length=25)
    return w


@jax.jit
def score(w, x):
    PLACED["score"] += 1  # BUG effect
    return jnp.mean((w * x - jnp.sin(2 * x)) ** 2)


def main():
    rates = np.array([0.05, 0.2, 0.8], np.float32)
    weights = []
    for dev, rate in zip(jax.devices(), rates):
        with jax.default_device(dev):
            weights.append(probe(rate))
    print("weights", [round(float(w), 4) for w in weights])

    grid = np.linspace(-1.0, 1.0, 64, dtype=np.float32)
    losses = []
    for dev, w in zip(jax.devices(), weights):
        placed = jax.device_put((w, grid), dev)
        losses.append(float(score(*placed)))
    print("losses", [round(v, 5) for v in losses])
    for name, n in PLACED.items():
        print(f"{name} ran on {n} devices")


if __name__ == "__main__":
    main()
