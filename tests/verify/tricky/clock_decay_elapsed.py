"""Exponentially forgotten word counts, aged by wall-clock time."""
import time
from functools import partial

import jax
import jax.numpy as jnp


@jax.jit
def age_counts(counts, elapsed):
    return counts * jnp.exp(-0.5 * elapsed)


@partial(jax.jit, static_argnames=("elapsed",))
def age_bigrams(table, *, elapsed):
    keep = max(0.0, 1.0 - 0.5 * elapsed)
    return table * keep


@jax.jit
def observe(counts, table, tokens):
    counts = counts.at[tokens].add(1.0)
    table = table.at[tokens[:-1], tokens[1:]].add(1.0)
    return counts, table


def main():
    vocab = 12
    counts, table = jnp.zeros(vocab), jnp.zeros((vocab, vocab))
    last = time.monotonic()
    for k in jax.random.split(jax.random.key(7), 8):
        tokens = jax.random.randint(k, (20,), 0, vocab)
        now = time.monotonic()
        counts = age_counts(counts, now - last)  # OK recompile
        table = age_bigrams(table, elapsed=now - last)  # BUG recompile
        counts, table = observe(counts, table, tokens)
        last = now
        time.sleep(0.03)
    print("top", jnp.argsort(-counts)[:3], "mass", float(counts.sum()))
    print("busiest", divmod(int(jnp.argmax(table)), vocab))


if __name__ == "__main__":
    main()
