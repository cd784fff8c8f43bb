import jax
import jax.numpy as jnp

types = [int]
types.append(types)


@jax.jit
def f(x):
    return x if isinstance(x, types) else jnp.array(types)
