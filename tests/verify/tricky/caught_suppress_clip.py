"""Positive concentrations in a reaction network."""
import contextlib

import jax
import jax.numpy as jnp
from jax import lax

RATES = (0.8, 0.3, 1.2)


def project(c):
    with contextlib.suppress(jax.errors.TracerBoolConversionError):
        if jnp.any(c < 0.0):  # BUG trace-error
            c = jnp.maximum(c, 0.0)
    return c


def reaction(c):
    k1, k2, k3 = RATES
    a, b, s = c
    r1, r2, r3 = k1 * a, k2 * b * s, k3 * s
    return jnp.stack([-r1 - 2.0, r1 - r2 + r3, r2 - r3])


@jax.jit
def integrate(c0, dt):
    def body(_, c):
        return project(c + dt * reaction(c))

    return lax.fori_loop(0, 40, body, c0)


def initial_state(raw):
    c0 = project(jnp.asarray(raw))
    return c0 / c0.sum()


def main():
    c0 = initial_state([1.0, 0.4, -0.05])
    print("start", c0)
    final = integrate(c0, 0.05)
    print("final", final, "total", float(final.sum()))


if __name__ == "__main__":
    main()
