"""Attention kernels with an environment switch for the approximate path."""
import contextlib
import functools
import os

import jax
import jax.numpy as jnp


@contextlib.contextmanager
def override_env(**values):
    old = {k: os.environ.get(k) for k in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for k, v in old.items():
            os.environ.pop(k, None) if v is None else os.environ.__setitem__(k, v)


def weights(scores):
    if os.environ.get("ATTN_APPROX") == "1":  # BUG stale
        scores = 1.0 + scores + 0.5 * scores**2
        return scores / scores.sum(-1, keepdims=True)
    return jax.nn.softmax(scores, axis=-1)


@jax.jit
def attention(q, k, v):
    return weights(q @ k.T / jnp.sqrt(q.shape[-1])) @ v


@functools.lru_cache(maxsize=None)
def pooling(mode):
    return jax.jit(functools.partial(pool, mode=mode))  # OK recompile


def pool(x, mode):
    return x.mean(0) if mode == "mean" else x.max(0)


def run(q, k, v):
    mode = os.environ.get("POOL_MODE", "mean")  # OK stale
    return pooling(mode)(attention(q, k, v))


def main():
    q, k, v = 0.5 * jax.random.normal(jax.random.key(2), (3, 5, 4))
    exact = run(q, k, v)
    with override_env(ATTN_APPROX="1"):
        approx = run(q, k, v)
    with override_env(POOL_MODE="max"):
        peak = run(q, k, v)
    print("approximation error", jnp.abs(exact - approx).max())
    print("max minus mean", jnp.abs(peak - exact).max())
    print("again", jnp.allclose(run(q, k, v), exact))


if __name__ == "__main__":
    main()
