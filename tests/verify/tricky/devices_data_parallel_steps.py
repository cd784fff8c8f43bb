"""Data-parallel softmax regression with two optimisers."""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))
ROWS = NamedSharding(mesh, P("data"))
EVERYWHERE = NamedSharding(mesh, P())


def cross_entropy(w, x, y):
    logp = jax.nn.log_softmax(x @ w)
    return -jnp.mean(jnp.sum(logp * y, axis=-1))


@jax.jit
def sgd(w, x, y):
    return w - 0.2 * jax.grad(cross_entropy)(w, x, y)


@jax.jit
def momentum(state, x, y):
    w, m = state
    m = 0.9 * m + jax.grad(cross_entropy)(w, x, y)
    return w - 0.1 * m, m


def batches(key, n):
    for k in jax.random.split(key, n):
        x = jax.random.normal(k, (32, 6))
        y = jax.nn.one_hot(jnp.argmax(x[:, :3], axis=1), 3)
        yield jax.device_put(x, ROWS), jax.device_put(y, ROWS)


def main():
    key = jax.random.key(0)
    w = jnp.zeros((6, 3))
    for x, y in batches(key, 5):
        w = sgd(w, x, y)  # BUG recompile
    print("sgd", float(cross_entropy(w, x, y)))

    start = (jnp.zeros((6, 3)), jnp.zeros((6, 3)))
    state = jax.device_put(start, EVERYWHERE)
    for x, y in batches(key, 5):
        state = momentum(state, x, y)  # OK recompile
    print("momentum", float(cross_entropy(state[0], x, y)))


if __name__ == "__main__":
    main()
