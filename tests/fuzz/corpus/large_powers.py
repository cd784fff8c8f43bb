import jax
import jax.numpy as jnp

a = 10 ** 10 ** 10
b = 1 << 10 ** 10
c = pow(7, 10 ** 9)
d = abs(-10**5000)
@jax.jit
def f(x, s):
    return a, b, c, d
