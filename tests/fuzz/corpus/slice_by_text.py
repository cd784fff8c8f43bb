import jax
import jax.numpy as jnp

@jax.jit
def f(x):
    return jnp.arange(4)['a':], x['a':'b':'c'], jnp.arange(10**5000)
