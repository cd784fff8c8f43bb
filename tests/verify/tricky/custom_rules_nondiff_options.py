"""Gradient reversal and gradient scaling layers with non-differentiable options."""
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def reverse(x, strength):
    return x


def reverse_fwd(x, strength):
    return x, None


def reverse_bwd(strength, _, g):
    if strength > 1.0:  # OK trace-error
        g = g / jnp.sqrt(strength)
    return (-strength * g,)


reverse.defvjp(reverse_fwd, reverse_bwd)


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def scale_gradient(x, factor):
    return x


@scale_gradient.defjvp
def scale_jvp(factor, primals, tangents):
    (x,), (dx,) = primals, tangents
    if factor == 0.0:  # BUG trace-error
        return x, jnp.zeros_like(dx)
    return x, factor * dx


@partial(jax.jit, static_argnums=2)
def adversary_grad(w, x, strength):
    def loss(w):
        return jnp.sum(jnp.tanh(reverse(x @ w, strength)) ** 2)

    return jax.grad(loss)(w)


@jax.jit
def trunk_grad(w, x, factor):
    def loss(w):
        return jnp.sum(jnp.tanh(scale_gradient(x @ w, factor)) ** 2)

    return jax.grad(loss)(w)


def main():
    key = jax.random.key(1)
    x = jax.random.normal(key, (6, 4))
    w = jnp.ones(4) * 0.1
    for strength in (0.5, 2.0, 0.5, 2.0):
        print("adversary", strength, adversary_grad(w, x, strength))
    print("trunk", trunk_grad(w, x, 0.0))


if __name__ == "__main__":
    main()
