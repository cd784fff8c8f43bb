"""A tiny interpreter profile: operations count how often they run."""
import functools
from collections import Counter

import jax
import jax.numpy as jnp

OPS = Counter()


@jax.jit
def matmul(a, b):
    OPS["matmul"] += 1  # BUG effect
    return a @ b


def install_profiler():
    original = jax.jit

    def profiling_jit(fun=None, **kwargs):
        if fun is None:
            return functools.partial(profiling_jit, **kwargs)

        @functools.wraps(fun)
        def wrapper(*args):
            return fun(*args)

        return wrapper

    jax.jit = profiling_jit
    return original


real_jit = install_profiler()


@jax.jit
def activation(x):
    OPS["activation"] += 1  # OK effect
    return jnp.where(x > 0, x, 0.01 * x)


@functools.partial(real_jit, static_argnums=1)
def pool(x, width):
    OPS[f"pool{width}"] += 1
    return x.reshape(-1, width).max(axis=1)


def network(x, ws):
    for w in ws:
        x = activation(matmul(x, w))
    return pool(x.ravel(), 4) if x.size > 8 else pool(x.ravel(), 2)


def main():
    keys = jax.random.split(jax.random.key(0), 4)
    ws = [0.5 * jax.random.normal(k, (4, 4)) for k in keys]
    for rows in (1, 4):
        out = network(jnp.ones((rows, 4)), ws)
        print(rows, out)
    print(dict(OPS))


if __name__ == "__main__":
    main()
