"""Scoring sentences of many lengths."""
import jax
import jax.numpy as jnp
import numpy as np

BUCKETS = (4, 8, 16)


@jax.jit
def perplexity(table, tokens, n):
    logits = table[tokens[:-1]]
    logp = jax.nn.log_softmax(logits)
    picked = jnp.take_along_axis(logp, tokens[1:, None], axis=1)[:, 0]
    live = jnp.arange(tokens.shape[0] - 1) < n - 1
    return jnp.exp(-jnp.sum(picked * live) / (n - 1))


@jax.jit
def diversity(tokens):
    counts = jnp.bincount(tokens, length=20)
    return (counts > 0).sum() / tokens.shape[0]


def fit_bucket(tokens):
    size = next(b for b in BUCKETS if b >= len(tokens))
    return np.pad(tokens, (0, size - len(tokens))), np.int32(len(tokens))


class Scorer:
    def __init__(self, table):
        self.table = table
        for b in BUCKETS:
            perplexity(table, np.zeros(b, np.int32), np.int32(b))

    def __call__(self, tokens):
        padded, n = fit_bucket(tokens)
        return float(perplexity(self.table, padded, n))  # OK recompile


def main():
    rng = np.random.default_rng(3)
    scorer = Scorer(jax.random.normal(jax.random.key(0), (20, 20)))
    for n in (3, 7, 12, 5, 16, 9):
        sentence = rng.integers(0, 20, n).astype(np.int32)
        fresh = float(diversity(sentence))  # BUG recompile
        print(n, round(scorer(sentence), 3), round(fresh, 3))


if __name__ == "__main__":
    main()
