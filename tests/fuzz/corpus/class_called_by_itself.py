import jax
import jax.numpy as jnp

class C:
    pass


C.__call__ = C()
jax.jit(C())(1.0)
jax.vmap(C.__call__)(1.0)
