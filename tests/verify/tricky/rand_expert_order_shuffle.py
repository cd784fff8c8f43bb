"""Committee of linear experts: the best answer wins, visited in a random order."""
import random

import jax
import jax.numpy as jnp

random.seed(99)


def make_expert(slope, offset):
    def expert(x):
        return slope * x + offset

    return expert


EXPERTS = {
    "flat": make_expert(0.0, 0.3),
    "rising": make_expert(1.5, -1.0),
    "falling": make_expert(-2.0, 0.5),
    "steep": make_expert(4.0, -6.0),
}


@jax.jit
def committee(x):
    order = list(EXPERTS)
    random.shuffle(order)  # OK stale
    best = jnp.full_like(x, -jnp.inf)
    for name in order:
        best = jnp.maximum(best, EXPERTS[name](x))
    return best


@jax.jit
def votes(x):
    start = random.randrange(len(EXPERTS))  # BUG stale
    name = list(EXPERTS)[start]
    return EXPERTS[name](x)


def main():
    x = jnp.linspace(-1.0, 2.0, 7)
    envelopes = jnp.stack([committee(x) for _ in range(6)])
    print("envelope", envelopes[-1])
    random_votes = jnp.stack([votes(x) for _ in range(40)])
    print("mean vote", random_votes.mean(axis=0))
    print("regret", jnp.mean(envelopes[0] - random_votes.mean(axis=0)))


if __name__ == "__main__":
    main()
