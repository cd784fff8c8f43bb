"""Word-vector training over a corpus of word pairs."""
import jax
import jax.numpy as jnp
import numpy as np
import optax

BATCH = 64
OPT = optax.sgd(0.5)


def nce(table, pairs, weight):
    a, b = table[pairs[:, 0]], table[pairs[:, 1]]
    return jnp.sum(weight * jax.nn.softplus(-jnp.sum(a * b, axis=1))) / weight.sum()


@jax.jit
def train_step(table, opt_state, pairs):
    grads = jax.grad(nce)(table, pairs, jnp.ones(pairs.shape[0]))
    updates, opt_state = OPT.update(grads, opt_state)
    return optax.apply_updates(table, updates), opt_state


@jax.jit
def evaluate(table, pairs, weight):
    return nce(table, pairs, weight)


@jax.jit
def similarity(table, words):
    v = table[words]
    return v @ v.T


def padded(pairs):
    for i in range(0, len(pairs), BATCH):
        part = pairs[i : i + BATCH]
        short = BATCH - len(part)
        yield np.pad(part, ((0, short), (0, 0))), np.pad(np.ones(len(part), np.float32), (0, short))


def main():
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 40, size=(300, 2)).astype(np.int32)
    table = 0.1 * jax.random.normal(jax.random.key(0), (40, 8))
    opt_state = OPT.init(table)
    for epoch in range(2):
        for i in range(0, len(pairs), BATCH):
            table, opt_state = train_step(table, opt_state, pairs[i : i + BATCH])  # BUG recompile
    losses = [evaluate(table, p, w) for p, w in padded(pairs)]  # OK recompile
    print("loss", float(np.mean(losses)))
    for words in np.array_split(np.arange(40), 5):
        print(words[0], float(similarity(table, words).max()))  # OK recompile


if __name__ == "__main__":
    main()
