"""A list of the traced function that the body of its loop fills, and a list that Python's own loop fills."""

import jax
import jax.numpy as jnp


@jax.jit
def stacked(values):
    rows = []

    def body(i, total):
        rows.append(values[i])  # BUG leak
        return total + values[i]

    total = jax.lax.fori_loop(0, 3, body, 0.0)
    return total, jnp.stack(rows)


@jax.jit
def unrolled(values):
    rows, total = [], 0.0
    for i in range(3):
        rows.append(values[i])  # OK leak
        total = total + values[i]
    return total, jnp.stack(rows)


if __name__ == "__main__":
    print(unrolled(jnp.ones(3)))
    print(stacked(jnp.ones(3)))
