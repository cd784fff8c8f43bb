import jax
import jax.numpy as jnp

s = [1]
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s
s += s


@jax.jit
def f(x, s):
    t = s + s
    return t
    return x, s
