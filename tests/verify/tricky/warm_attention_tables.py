"""Self-attention with rotary angles and causal masks kept in memo tables."""
from functools import lru_cache

import jax
import jax.numpy as jnp

DIM = 8


@lru_cache(maxsize=None)
def rotary(length):
    freq = 1.0 / 100.0 ** (jnp.arange(0, DIM, 2) / DIM)
    ang = jnp.arange(length)[:, None] * freq[None, :]
    return jnp.cos(ang), jnp.sin(ang)  # OK leak


@lru_cache(maxsize=None)
def causal(length):
    return jnp.tril(jnp.ones((length, length), bool))  # BUG leak


def rotate(x):
    cos, sin = rotary(x.shape[0])
    a, b = x[:, 0::2], x[:, 1::2]
    return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


@jax.jit
def attend(q, k, v):
    q, k = rotate(q), rotate(k)
    score = q @ k.T / jnp.sqrt(DIM)
    score = jnp.where(causal(q.shape[0]), score, -jnp.inf)
    return jax.nn.softmax(score) @ v


@jax.jit
def attend_windowed(q, k, v, window):
    n = q.shape[0]
    score = rotate(q) @ rotate(k).T / jnp.sqrt(DIM)
    near = jnp.abs(jnp.arange(n)[:, None] - jnp.arange(n)[None, :]) < window
    score = jnp.where(near & causal(n), score, -jnp.inf)
    return jax.nn.softmax(score) @ v


def main():
    rotary(12)
    q, k, v = jax.random.normal(jax.random.key(0), (3, 12, DIM))
    print("full", attend(q, k, v).sum())
    print("full", attend(k, q, v).sum())
    print("windowed", attend_windowed(q, k, v, 4).sum())


if __name__ == "__main__":
    main()
