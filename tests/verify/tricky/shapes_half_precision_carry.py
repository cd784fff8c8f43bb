"""Training steps in a scan: with a dtype given by default, the weights come out of the body as another type."""

import jax
import jax.numpy as jnp


def trained(weights, batches, dtype=jnp.bfloat16):
    def step(weights, batch):
        def loss(weights):
            return jnp.sum((batch.astype(dtype) @ weights.astype(dtype)) ** 2)

        weights = (weights - 0.1 * jax.grad(loss)(weights)).astype(dtype)
        return weights, weights

    return jax.lax.scan(step, weights, batches)  # BUG trace-error


def trained_in_single(weights, batches, dtype=jnp.float32):
    def step(weights, batch):
        weights = (weights - 0.1 * batch.mean(axis=0)).astype(dtype)
        return weights, weights

    return jax.lax.scan(step, weights, batches)  # OK trace-error


if __name__ == "__main__":
    batches = jnp.ones((5, 4, 3))
    print(jax.jit(trained_in_single)(jnp.ones(3), batches)[0])
    print(jax.jit(trained)(jnp.ones(3), batches)[0])
