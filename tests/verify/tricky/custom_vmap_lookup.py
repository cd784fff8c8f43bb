"""A piecewise table with a hand-written batching rule."""
import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap

KNOTS = jnp.array([0.0, 0.5, 1.5, 4.0])
VALUES = jnp.array([1.0, 0.7, 0.2, 0.05])


@custom_vmap
def attenuation(depth):
    return jnp.interp(depth, KNOTS, VALUES)


@attenuation.def_vmap
def _attenuation_rule(axis_size, in_batched, depth):
    (batched,) = in_batched
    if not batched:  # OK trace-error
        return attenuation(depth), False
    if axis_size > 64:
        idx = jnp.clip(jnp.searchsorted(KNOTS, depth) - 1, 0, 2)
        t = (depth - KNOTS[idx]) / (KNOTS[idx + 1] - KNOTS[idx])
        return VALUES[idx] * (1 - t) + VALUES[idx + 1] * t, True
    return jnp.interp(depth, KNOTS, VALUES), True


@custom_vmap
def surface(depth):
    if depth < 0.0:  # BUG trace-error
        return jnp.float32(1.0)
    return jnp.exp(-depth)


@surface.def_vmap
def _surface_rule(axis_size, in_batched, depth):
    return jnp.where(depth < 0.0, 1.0, jnp.exp(-depth)), True


def main():
    print("one", attenuation(jnp.float32(0.75)))
    few = jnp.linspace(0.0, 3.0, 5)
    many = jnp.linspace(0.0, 3.0, 200)
    print("few", jax.vmap(attenuation)(few))
    print("many", jax.jit(jax.vmap(attenuation))(many).sum())
    pair = jax.vmap(lambda d, w: w * attenuation(d), in_axes=(None, 0))
    print("pair", pair(jnp.float32(1.0), few))
    for depth in (-0.5, 0.5):
        print("surface", surface(depth))


if __name__ == "__main__":
    main()
