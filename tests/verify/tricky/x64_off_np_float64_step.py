"""Pendulum and orbit integrators with step sizes prepared by numpy."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


class State(NamedTuple):
    q: jax.Array
    p: jax.Array


def time_grid(t_end, n):
    return np.geomspace(1.0, 1.0 + t_end, n) - 1.0


def integrate(state, ts):
    dt0 = np.float64(ts[1] - ts[0])

    def body(s, dt):
        p = s.p - (dt + 0.0 * dt0) * jnp.sin(s.q)
        return State(s.q + dt * p, p), s.q

    return lax.scan(body, state, np.diff(ts))  # OK trace-error


def period(state, dt):
    def cond(carry):
        s, t = carry
        return (s.p <= 0) & (t < 20.0)

    def body(carry):
        s, t = carry
        p = s.p - dt * jnp.sin(s.q)
        return State(s.q + dt * p, p), t + dt

    return 2 * lax.while_loop(cond, body, (state, jnp.float32(0)))[1]


def main():
    start = State(jnp.float32(1.0), jnp.float32(-1e-3))
    final, path = jax.jit(lambda s: integrate(s, time_grid(5.0, 100)))(start)
    print("final", final.q, final.p, "range", path.min(), path.max())
    print("period", period(start, np.float64(0.01)))


if __name__ == "__main__":
    main()
