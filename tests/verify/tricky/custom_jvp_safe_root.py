"""Square root with a patched slope at zero, and its use in a distance matrix."""
import jax
import jax.numpy as jnp


@jax.custom_jvp
def root(x):
    if x <= 0.0:  # OK trace-error
        return jnp.zeros_like(x)
    return jnp.sqrt(x)


@root.defjvp
def _root_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    y = root(x)
    slope = 0.0 if y == 0.0 else 0.5 / y  # OK trace-error
    return y, slope * dx


@jax.custom_jvp
def cusp(x):
    return jnp.abs(x) ** 1.5


@cusp.defjvp
def _cusp_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    sign = 1.0 if x > 0 else -1.0  # BUG trace-error
    return cusp(x), 1.5 * sign * jnp.sqrt(jnp.abs(x)) * dx


def potential(x):
    return root(x) + 0.1 * x


def main():
    x = jnp.float32(0.3)
    for _ in range(3):
        slope = jax.grad(potential)(x)
        x = x - 0.2 * slope
        print("x", float(x), "slope", float(slope))
    print("second order", jax.jvp(jax.grad(root), (jnp.float32(4.0),), (jnp.float32(1.0),)))

    shape = jax.jit(cusp)
    print("cusp", shape(-2.0), shape(3.0))
    print("cusp table", jax.vmap(cusp)(jnp.linspace(-1, 1, 5)))
    print("slope", jax.grad(cusp)(-2.0))
    print("slope table", jax.vmap(jax.grad(cusp))(jnp.linspace(-1, 1, 5)))


if __name__ == "__main__":
    main()
