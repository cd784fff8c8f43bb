"""Newton solver with a time budget; the loop is unrolled when compiled."""
import time
from functools import partial

import jax
import jax.numpy as jnp


class Budget:
    def __init__(self, seconds):
        self.deadline = time.monotonic() + seconds

    def spent(self):
        return time.monotonic() > self.deadline


def kepler(e_anom, mean_anom, ecc):
    return e_anom - ecc * jnp.sin(e_anom) - mean_anom


def make_solver(budget, max_iters):
    slope = jax.grad(kepler)

    @jax.jit
    @partial(jax.vmap, in_axes=(0, None))
    def solve(mean_anom, ecc):
        x = mean_anom
        for _ in range(max_iters):
            if budget.spent():  # OK stale
                break
            x = x - kepler(x, mean_anom, ecc) / slope(x, mean_anom, ecc)
        return x

    return solve


def main():
    solve = make_solver(Budget(seconds=600.0), max_iters=6)
    phases = jnp.linspace(0.1, 3.0, 8)
    for ecc in (0.05, 0.3, 0.6):
        anomaly = solve(phases, ecc)
        residual = jnp.abs(kepler(anomaly, phases, ecc)).max()
        print(f"ecc {ecc:.2f} residual {residual:.2e}")


if __name__ == "__main__":
    main()
