"""Two replay memories for a toy Q-learner: an episode list and a ring."""
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Ring(NamedTuple):
    data: jax.Array
    head: jax.Array

    @classmethod
    def empty(cls, capacity, dim):
        return cls(jnp.zeros((capacity, dim)), jnp.int32(0))


@partial(jax.jit, donate_argnums=0)
def push(ring, item):
    data = ring.data.at[ring.head % ring.data.shape[0]].set(item)
    return Ring(data, ring.head + 1)


@jax.jit
def value(memory, w):
    return jnp.tanh(memory @ w).mean()


@jax.jit
def ring_value(ring, w):
    live = jnp.arange(ring.data.shape[0]) < ring.head
    return jnp.sum(jnp.tanh(ring.data @ w) * live) / live.sum()


def main():
    key = jax.random.key(1)
    items = jax.random.normal(key, (6, 3))
    w = jnp.array([0.5, -0.2, 0.1])

    seen = items[:1]
    for item in items[1:]:
        seen = jnp.concatenate([seen, item[None]])
        estimate = value(seen, w)  # BUG recompile
    print("list", float(estimate))

    ring = Ring.empty(4, 3)
    for item in items:
        ring = push(ring, item)  # OK donated
        estimate = ring_value(ring, w)  # OK recompile
    print("ring", float(estimate))

    old = ring
    ring = push(ring, items[0])
    print("change", float(jnp.abs(ring.data - old.data).max()))  # BUG donated


if __name__ == "__main__":
    main()
