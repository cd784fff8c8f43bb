"""Rollout driver with run flags: donation, checks and verbosity come from one record."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Flags(NamedTuple):
    donate: bool = False
    checks: bool = False
    verbose: bool = True


def make_step(flags):
    def step(state, force):
        if flags.checks:
            assert jnp.isfinite(state).all(), "bad state"  # OK trace-error
        if flags.verbose:
            print("step", state.shape, state.dtype)  # BUG effect
        pos, vel = state
        vel = 0.99 * vel + 0.1 * force
        return jnp.stack([pos + 0.1 * vel, vel])

    return jax.jit(step, donate_argnums=(0,) if flags.donate else ())


def roll(flags, forces):
    step = make_step(flags)
    start = jnp.zeros((2, 3))
    state = start
    for f in forces:
        state = step(state, f)
    return state, start


def careful(forces):
    state, start = roll(Flags(), forces)
    return float(jnp.abs(state - start).max())  # OK donated


def lean(forces):
    state, start = roll(Flags(donate=True, verbose=False), forces)
    return float(jnp.abs(state - start).max())  # BUG donated


def main():
    forces = jax.random.normal(jax.random.key(2), (6, 3))
    print("travelled", careful(forces))
    print("travelled", lean(forces))


if __name__ == "__main__":
    main()
