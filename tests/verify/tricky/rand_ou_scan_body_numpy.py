"""Ornstein-Uhlenbeck paths: two variants of the same Euler-Maruyama scheme."""
import jax.numpy as jnp
import numpy as np
from jax import lax

THETA, MU, SIGMA = 0.7, 1.0, 0.3


def simulate_inline(x0, n, dt, rng):
    def body(x, _):
        dw = np.sqrt(dt) * rng.standard_normal()  # BUG stale
        x = x + THETA * (MU - x) * dt + SIGMA * dw
        return x, x

    _, path = lax.scan(body, jnp.float32(x0), None, length=n)
    return path


def simulate_predrawn(x0, n, dt, rng):
    dws = np.sqrt(dt) * rng.standard_normal(n)  # OK stale

    def body(x, dw):
        x = x + THETA * (MU - x) * dt + SIGMA * dw
        return x, x

    _, path = lax.scan(body, jnp.float32(x0), jnp.asarray(dws, jnp.float32))
    return path


def describe(name, path):
    steps = jnp.diff(path)
    print(f"{name:10s} mean {path.mean():.3f} roughness {jnp.std(steps):.4f}")


def main():
    rng = np.random.default_rng(2024)
    for _ in range(2):
        describe("inline", simulate_inline(0.0, 200, 0.02, rng))
        describe("predrawn", simulate_predrawn(0.0, 200, 0.02, rng))


if __name__ == "__main__":
    main()
