"""Tiny classifier with a module-wide mode switch, trained and validated by turns."""
import jax
import jax.numpy as jnp

MODE = {"train": True, "rate": 0.5}


def init(key, sizes=(8, 32, 3)):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        (jax.random.normal(k, (m, n)) / jnp.sqrt(m), jnp.zeros(n))
        for k, m, n in zip(keys, sizes[:-1], sizes[1:])
    ]


@jax.jit
def logits(params, x, key):
    (w1, b1), (w2, b2) = params
    h = jax.nn.relu(x @ w1 + b1)
    if MODE["train"]:  # OK stale
        keep = 1.0 - MODE["rate"]
        h = jnp.where(jax.random.bernoulli(key, keep, h.shape), h / keep, 0.0)
    return h @ w2 + b2


def loss(params, x, y, key):
    logp = jax.nn.log_softmax(logits(params, x, key))
    return -jnp.take_along_axis(logp, y[:, None], axis=1).mean()


def main():
    key = jax.random.key(1)
    x = jax.random.normal(key, (64 + 100, 8))
    y = (x[:, 0] > 0).astype(int) + (x[:, 1] > 0.5)
    train, valid = (x[:64], y[:64]), (x[64:], y[64:])
    params = init(key)
    for epoch in range(3):
        MODE["train"] = True
        for step in range(2):
            part = slice(32 * step, 32 * step + 32)
            sub = jax.random.fold_in(key, 10 * epoch + step)
            g = jax.grad(loss)(params, train[0][part], train[1][part], sub)
            params = jax.tree.map(lambda p, d: p - 0.1 * d, params, g)
        MODE["train"] = False
        held_out = logits(params, valid[0], key)
        acc = (held_out.argmax(-1) == valid[1]).mean()
        print(epoch, f"{float(acc):.3f}")


if __name__ == "__main__":
    main()
