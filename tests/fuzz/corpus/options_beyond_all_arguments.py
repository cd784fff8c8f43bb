"""Positions of arguments that are further from the end than there are arguments, and calls without any."""

import jax
import jax.numpy as jnp


def product(x, n):
    return (x * n).sum()


jax.grad(product, argnums=-5)(jnp.ones(2), 3)
jax.grad(product, argnums=-(10**5000))(jnp.ones(2), 3)
jax.jit(product, static_argnums=-7, donate_argnums=-9)(jnp.ones(2), 3)
jnp.where()
