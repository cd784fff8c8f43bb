"""Timing decorator around equinox-jitted functions."""
import functools
import time
from collections import defaultdict

import equinox as eqx
import jax
import jax.numpy as jnp

TIMES = defaultdict(list)


def timed(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        begin = time.perf_counter()  # OK stale
        out = jax.block_until_ready(fn(*args, **kwargs))
        TIMES[fn.__name__].append(time.perf_counter() - begin)  # OK effect
        return out

    return wrapper


class Encoder(eqx.Module):
    first: eqx.nn.Linear
    second: eqx.nn.Linear

    def __init__(self, key):
        a, b = jax.random.split(key)
        self.first = eqx.nn.Linear(4, 8, key=a)
        self.second = eqx.nn.Linear(8, 2, key=b)

    def __call__(self, x):
        return self.second(jax.nn.gelu(self.first(x)))


@timed
@eqx.filter_jit
def embed(model, xs):
    return jax.vmap(model)(xs)


@timed
@eqx.filter_jit
@eqx.filter_grad
def gradient(model, xs):
    return jnp.sum(jax.vmap(model)(xs) ** 2)


def main():
    model = Encoder(jax.random.key(0))
    xs = jnp.ones((16, 4))
    for _ in range(5):
        embed(model, xs)
        grads = gradient(model, xs)
        model = eqx.apply_updates(model, jax.tree.map(lambda g: -0.01 * g, grads))
    for name, values in TIMES.items():
        print(f"{name:10s} calls {len(values)} best {min(values) * 1e6:.0f}us")


if __name__ == "__main__":
    main()
