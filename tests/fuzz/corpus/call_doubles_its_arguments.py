import jax
import jax.numpy as jnp

@jax.jit
def g(*a, **k):
    return g(*a, *a, **k, z=a)


g(1)
