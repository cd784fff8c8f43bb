"""Game of life with a chatty stepping function."""
import os

os.environ["JAX_DISABLE_JIT"] = "1"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402

population = []


@jax.jit
def generation(board):
    shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    neighbours = sum(jnp.roll(board, s, (0, 1)) for s in shifts)
    board = ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype(jnp.int32)
    population.append(board.sum())  # OK effect
    return board


@jax.jit
def settle(board, n):
    def body(carry, _):
        new = generation(carry)
        if jnp.array_equal(new, carry):  # OK trace-error
            return new, True
        return new, False

    board, same = lax.scan(body, board, None, length=n)
    return board, same


def main():
    board = jnp.zeros((8, 8), jnp.int32)
    board = board.at[jnp.array([1, 2, 3, 3, 3]), jnp.array([2, 3, 1, 2, 3])].set(1)
    board, same = settle(board, 6)
    print("still", same.tolist() if hasattr(same, "tolist") else same)
    print("population", [int(p) for p in population])
    print(board.sum())


if __name__ == "__main__":
    main()
