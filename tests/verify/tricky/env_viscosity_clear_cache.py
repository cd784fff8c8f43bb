"""Burgers' equation; physics read from environment variables, as on the cluster."""
import os

import jax
import jax.numpy as jnp
from jax import lax


def parameters():
    return {
        "nu": float(os.environ.get("BURGERS_NU", "0.05")),
        "cfl": float(os.environ.get("BURGERS_CFL", "0.2")),
    }


def rhs(u, dx):
    nu = parameters()["nu"]  # OK stale
    ux = (jnp.roll(u, -1) - jnp.roll(u, 1)) / (2 * dx)
    uxx = (jnp.roll(u, -1) - 2 * u + jnp.roll(u, 1)) / dx**2
    return -u * ux + nu * uxx


@jax.jit
def evolve(u, dx):
    dt = parameters()["cfl"] * dx**2 / 0.1

    def body(_, u):
        mid = u + 0.5 * dt * rhs(u, dx)
        return u + dt * rhs(mid, dx)

    return lax.fori_loop(0, 50, body, u)


@jax.jit
def dissipation(u, dx):
    nu = parameters()["nu"]  # BUG stale
    return nu * jnp.sum(jnp.diff(u) ** 2) / dx


def main():
    n = 64
    dx = 2 * jnp.pi / n
    u0 = jnp.sin(dx * jnp.arange(n))
    for nu in (0.01, 0.05, 0.1):
        os.environ["BURGERS_NU"] = str(nu)
        u = evolve(u0, dx)
        print(f"nu {nu:.2f} steepest {jnp.abs(jnp.diff(u)).max():.5f} dissipation {dissipation(u, dx):.5f}")
        evolve.clear_cache()


if __name__ == "__main__":
    main()
