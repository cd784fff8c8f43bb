"""Generic `accumulate` in the manner of itertools, on top of lax.scan."""
import operator

import jax
import jax.numpy as jnp
from jax import lax


def accumulate(op, init, xs):
    def body(carry, x):
        carry = op(carry, x)
        return carry, carry

    try:
        _, ys = lax.scan(body, init, xs)  # OK trace-error
    except TypeError:
        wide = jnp.result_type(init, xs)
        _, ys = lax.scan(body, jnp.asarray(init, wide), xs)
    return ys


@jax.jit
def running_mean(xs):
    zero = jnp.zeros((), jnp.int32)
    totals = accumulate(operator.add, zero, xs)
    return totals / jnp.arange(1, xs.shape[0] + 1)


def drawdown(prices):
    peaks = accumulate(jnp.maximum, prices[0], prices)
    return jnp.max((peaks - prices) / peaks)


def main():
    steps = jax.random.normal(jax.random.key(3), (12,))
    prices = jnp.exp(accumulate(operator.add, jnp.float32(0), 0.1 * steps))
    print("mean price", running_mean(prices)[-1], "expected", prices.mean())
    counts = jnp.array([3, 1, 4, 1, 5])
    print("mean count", running_mean(counts)[-1])
    print("drawdown", float(drawdown(prices)))


if __name__ == "__main__":
    main()
