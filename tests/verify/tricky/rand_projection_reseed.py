"""Ensemble of random projections for approximate nearest neighbours."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


class SignHash:
    """Maps rows to sign bits of a random projection."""

    def __init__(self, n_in, n_bits, seed=0):
        self.n_in, self.n_bits, self.seed = n_in, n_bits, seed

    def __hash__(self):
        return hash((self.n_in, self.n_bits))

    def __eq__(self, other):
        return isinstance(other, SignHash) and (self.n_in, self.n_bits) == (other.n_in, other.n_bits)

    def reseed(self, seed):
        self.seed = seed
        return self

    @partial(jax.jit, static_argnums=0)
    def codes(self, x):
        rng = np.random.default_rng(self.seed)  # BUG stale
        planes = rng.normal(size=(self.n_in, self.n_bits)).astype(np.float32)
        return (x @ planes) > 0


@jax.jit
def hamming(codes, query):
    return jnp.sum(codes != query[None, :], axis=1)


def vote(data, query, n_tables=5):
    table = SignHash(data.shape[1], 12)
    score = jnp.zeros(data.shape[0], jnp.int32)
    for t in range(n_tables):
        table.reseed(100 + t)
        codes = table.codes(data)
        query_code = table.codes(query[None, :])[0]
        score = score + hamming(codes, query_code)
    return score


def main():
    data = jax.random.normal(jax.random.key(3), (50, 6))
    query = data[7] + 0.05
    score = vote(data, query)
    print("best", int(jnp.argmin(score)), "scores", np.asarray(score[:10]))


if __name__ == "__main__":
    main()
