"""Micro-benchmark of a heat-equation stencil."""
import time
import warnings
from functools import partial

import jax
import jax.numpy as jnp

warnings.filterwarnings("ignore", message="Some donated buffers")


@partial(jax.jit, donate_argnums=0)
def diffuse(u):
    lap = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4 * u
    return u + 0.1 * lap


@partial(jax.jit, donate_argnums=0)
def energy(u):
    return 0.5 * jnp.sum(u**2)


def initial(n):
    return jnp.zeros((n, n)).at[n // 2, n // 2].set(1.0)


def main():
    u = initial(64)
    t0 = time.perf_counter()
    before = energy(u)
    for _ in range(10):
        u = diffuse(u)  # OK donated
    after = energy(u)
    print(f"energy {before:.4f} -> {after:.4f} in {time.perf_counter() - t0:.3f}s")
    print("peak", float(u.max()))

    grid = initial(64)
    best = float("inf")
    for _ in range(5):
        t0 = time.perf_counter()
        diffuse(grid).block_until_ready()  # BUG donated
        best = min(best, time.perf_counter() - t0)
    print(f"best of 5: {best * 1e6:.0f}us")


if __name__ == "__main__":
    main()
