"""Successive over-relaxation; the factor comes from the environment."""
import functools
import os

import jax
import jax.numpy as jnp
import numpy as np


def sweep_once(x, omega, a, b):
    for i in range(b.shape[0]):
        sigma = a[i] @ x - a[i, i] * x[i]
        x = x.at[i].set((1 - omega) * x[i] + omega * (b[i] - sigma) / a[i, i])
    return x


def relax(x, a, b):
    omega = float(os.environ["SOR_OMEGA"])  # OK stale
    return jax.jit(functools.partial(sweep_once, omega=omega, a=a, b=b))(x)  # BUG recompile


@jax.jit
def residual(x, a, b):
    return jnp.linalg.norm(a @ x - b)


def solve(a, b, iters):
    x = jnp.zeros_like(b)
    for _ in range(iters):
        x = relax(x, a, b)
    return float(residual(x, a, b))


def main():
    rng = np.random.default_rng(0)
    a = jnp.asarray(rng.normal(size=(5, 5)) + 8 * np.eye(5), jnp.float32)
    b = jnp.asarray(rng.normal(size=5), jnp.float32)
    for omega in ("0.6", "1.0"):
        os.environ["SOR_OMEGA"] = omega
        print("omega", omega, "residual", solve(a, b, 4))


if __name__ == "__main__":
    main()
