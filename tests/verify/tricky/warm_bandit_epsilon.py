"""Epsilon-greedy bandit; the policy object is a static argument of its jitted act()."""
from functools import partial

import jax
import jax.numpy as jnp


class Greedy:
    def __init__(self, n_arms, epsilon):
        self.n_arms = n_arms
        self.epsilon = epsilon

    def __hash__(self):
        return hash((self.n_arms, self.epsilon))

    def __eq__(self, other):
        return (self.n_arms, self.epsilon) == (other.n_arms, other.epsilon)

    @partial(jax.jit, static_argnums=0)
    def act(self, values, key):
        k1, k2 = jax.random.split(key)
        explore = jax.random.uniform(k1) < self.epsilon  # OK stale
        return jnp.where(explore, jax.random.randint(k2, (), 0, self.n_arms), values.argmax())


@jax.jit
def learn(values, counts, arm, reward):
    counts = counts.at[arm].add(1)
    values = values.at[arm].add((reward - values[arm]) / counts[arm])
    return values, counts


def main():
    key = jax.random.key(3)
    means = jnp.array([0.1, 0.5, 0.9])
    values, counts = jnp.zeros(3), jnp.zeros(3, jnp.int32)
    epsilon = 1.0
    for t in range(8):
        key, ka, kr = jax.random.split(key, 3)
        policy = Greedy(3, round(epsilon, 4))
        arm = policy.act(values, ka)  # BUG recompile
        reward = means[arm] + 0.1 * jax.random.normal(kr)
        values, counts = learn(values, counts, arm, reward)  # OK recompile
        epsilon *= 0.8
    print("pulls", counts, "values", values)


if __name__ == "__main__":
    main()
