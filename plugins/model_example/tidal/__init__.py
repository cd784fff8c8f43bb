"""A small library built on JAX: its own transform, an object that holds a function, and helpers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

State = dict[str, jax.Array]


def compiled(function: Callable[..., Any], *, fixed: tuple[str, ...] = ()) -> Callable[..., Any]:
    """Compiles a function; arguments named in `fixed` are static."""
    return functools.wraps(function)(jax.jit(function, static_argnames=fixed))


class Run(NamedTuple):
    """The last state of a simulation, and the energies on the way."""

    final: State
    energies: jax.Array


class Simulator:
    """Moves a state along a force."""

    def __init__(self, force: Callable[[jax.Array, State], State], dt: float = 0.1) -> None:
        self.force = force
        self.dt = dt

    def run(self, state: State, steps: int) -> Run:
        """Takes `steps` steps, in one compiled loop."""

        def step(carry: State, t: jax.Array) -> tuple[State, jax.Array]:
            force = self.force(t, carry)
            moved = jax.tree.map(lambda x, f: x + self.dt * f, carry, force)
            return moved, energy(moved)

        return Run(*jax.lax.scan(step, state, self.dt * jnp.arange(steps)))


def energy(state: State) -> jax.Array:
    """The energy of a state."""
    return sum(jnp.sum(x**2) for x in jax.tree.leaves(state)) / jnp.float32(2)


def describe(state: State) -> str:
    """The names and shapes of a state: static, also while tracing."""
    return ", ".join(f"{name}{value.shape}" for name, value in state.items())
