"""A program of a user of tidal: three lines fail under its compiled loops."""

import jax.numpy as jnp
import tidal


def spring(t, state):
    if t > 1.0:
        return {"x": 0.0 * state["x"]}
    return {"x": -state["x"]}


@tidal.compiled
def reflect(state):
    if tidal.energy(state) > 1.0:
        state = {name: -value for name, value in state.items()}
    return state


@tidal.compiled
def settle(state):
    run = tidal.Simulator(lambda t, state: state).run(state, 10)
    label = tidal.describe(run.final)
    return run.final if label.startswith("x") else state, float(run.energies[-1])


def main():
    start = {"x": jnp.ones(3)}
    run = tidal.Simulator(spring).run(start, 20)
    if run.energies[-1] > 1.0:
        print(tidal.describe(run.final))
    return settle(reflect(run.final))
