"""Epsilon-greedy bandit agent."""
import random
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Arms(NamedTuple):
    counts: jax.Array
    values: jax.Array


@partial(jax.jit, static_argnames="epsilon")
def choose(arms, epsilon):
    n = arms.values.shape[0]
    if random.random() < epsilon:  # OK stale
        return jnp.argmin(arms.counts) % n
    return jnp.argmax(arms.values)


@jax.jit
def learn(arms, a, reward):
    counts = arms.counts.at[a].add(1)
    values = arms.values.at[a].add((reward - arms.values[a]) / counts[a])
    return Arms(counts, values)


def run(seed, steps):
    random.seed(seed)
    truth = jnp.array([0.1, 0.5, 0.3, 0.9])
    arms = Arms(jnp.zeros(4, jnp.int32), jnp.zeros(4))
    key = jax.random.key(seed)
    picks = []
    for t in range(steps):
        key, sub = jax.random.split(key)
        a = choose(arms, epsilon=0.9 * 0.95**t)  # BUG recompile
        reward = truth[a] + 0.1 * jax.random.normal(sub)
        arms = learn(arms, a, reward)
        picks.append(int(a))
    return arms, picks


def main():
    arms, picks = run(seed=4, steps=16)
    print("picks", picks)
    print("values", arms.values)


if __name__ == "__main__":
    main()
