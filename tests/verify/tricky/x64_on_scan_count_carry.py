"""Streaming histogram and moments in double precision."""
import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_enable_x64", True)


def ramp_integral(n, dt):
    return lax.fori_loop(0, n, lambda i, acc: acc + dt * i, 0.0)


def welford(xs):
    def body(carry, x):
        n, mean, m2 = carry
        n = n + 1
        delta = x - mean
        mean = mean + delta / n
        return (n, mean, m2 + delta * (x - mean)), None

    (n, _, m2), _ = lax.scan(body, (0, 0.0, 0.0), xs)  # OK trace-error
    return m2 / (n - 1)


@jax.jit
def count_above(blocks, level):
    def body(count, block):
        count = count + jnp.sum(block > level)
        return count, count

    return lax.scan(body, jnp.int32(0), blocks)  # BUG trace-error


def main():
    xs = jax.random.normal(jax.random.key(0), (6, 50))
    print("ramp", ramp_integral(100, 0.01))
    print("variance", welford(xs.ravel()))
    total, running = count_above(xs, 1.0)
    print("above", total, running)


if __name__ == "__main__":
    main()
