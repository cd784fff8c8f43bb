"""Kernel regression evaluated under several precision settings and bandwidths."""
import jax
import jax.numpy as jnp

BAND = {"width": 0.5}


@jax.jit
def gram(a, b):
    d2 = jnp.sum((a[:, None] - b[None, :]) ** 2, axis=-1)
    return jnp.exp(-0.5 * d2 / BAND["width"] ** 2)  # OK stale


@jax.jit
def smooth(query, x, y):
    k = jnp.exp(-jnp.abs(query[:, None, 0] - x[None, :, 0]) / BAND["width"])  # BUG stale
    return k @ y / k.sum(axis=1)


def main():
    x = jnp.linspace(-1.0, 1.0, 30)[:, None]
    y = jnp.sin(3.0 * x[:, 0])
    query = jnp.array([[-0.5], [0.0], [0.5]])

    for width, precision in [(0.5, "bfloat16"), (0.2, "tensorfloat32"), (0.1, "float32")]:
        BAND["width"] = width
        with jax.default_matmul_precision(precision):
            k = gram(x, x) + 1e-2 * jnp.eye(len(x))
            fit = gram(query, x) @ jnp.linalg.solve(k, y)
        print(f"{precision:14s} {width}: {fit}")

    for width in (0.5, 0.2, 0.1):
        BAND["width"] = width
        print(f"laplace {width}: {smooth(query, x, y)}")


if __name__ == "__main__":
    main()
