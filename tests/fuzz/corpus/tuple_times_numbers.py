import jax
import jax.numpy as jnp

t = (0,) * 64 * 64 * 64 * 64 * 64
u = [0] * 999999999
@jax.jit
def f(x, s):
    return t, u
