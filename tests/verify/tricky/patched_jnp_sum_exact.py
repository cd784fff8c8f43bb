"""Check the summation error of a long reduction by exact host sums."""
import contextlib
import math

import jax
import jax.numpy as jnp
import numpy as np


def exact_sum(x, *_, **__):
    values = np.asarray(x, np.float64).ravel()  # BUG trace-error
    return jnp.float32(math.fsum(values))


def exact_prod(x, *_, **__):
    values = np.asarray(x, np.float64).ravel()  # OK trace-error
    return jnp.float32(math.prod(values))


@contextlib.contextmanager
def swapped(**new):
    old = {name: getattr(jnp, name) for name in new}
    for name, fn in new.items():
        setattr(jnp, name, fn)
    try:
        yield
    finally:
        for name, fn in old.items():
            setattr(jnp, name, fn)


def geometric_mean(x):
    return jnp.prod(x) ** (1.0 / x.size)


def harmonic_mean(x):
    return x.size / jnp.sum(1.0 / x)


fast_geometric = jax.jit(geometric_mean)
fast_harmonic = jax.jit(harmonic_mean)


def main():
    x = 1.0 + 0.1 * jax.random.normal(jax.random.key(0), (50,))
    with swapped(prod=exact_prod):
        reference = geometric_mean(x)
    print("geometric", float(fast_geometric(x)), "exact", float(reference))
    with swapped(sum=exact_sum):
        reference = harmonic_mean(x)
        fast = fast_harmonic(x)
    print("harmonic", float(fast), "exact", float(reference))


if __name__ == "__main__":
    main()
