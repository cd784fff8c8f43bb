"""Hooks of a training loop that give the state back, one of them with another number in a static field."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp


class State(eqx.Module):
    weights: jax.Array
    average: jax.Array
    decay: float = eqx.field(static=True)
    width: int = eqx.field(static=True, default=3)


class Hook:
    def after(self, step, state):
        return state


class Log(Hook):
    def __init__(self):
        self.seen = []

    def after(self, step, state):
        self.seen.append(float(state.average.sum()))
        return state


class Ramp(Hook):
    def __init__(self, top):
        self.top = top

    def after(self, step, state):
        decay = min(self.top, (1 + step) / (10 + step))
        return State(state.weights, state.average, decay)


@partial(jax.jit, donate_argnums=0)
def advance(state, batch):
    weights = state.weights - 0.1 * batch[: state.width]
    average = state.decay * state.average + (1.0 - state.decay) * weights
    return State(weights, average, state.decay, state.width)


def run(hooks, steps):
    state = State(jnp.ones(3), jnp.zeros(3), 0.0)
    for step in range(steps):
        state = advance(state, jnp.ones(4))  # BUG recompile
        for hook in hooks:
            state = hook.after(step, state)
    return state


if __name__ == "__main__":
    print(run([Log(), Ramp(0.9)], 12).average)
