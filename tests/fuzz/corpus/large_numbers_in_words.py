import jax
import jax.numpy as jnp

a = str(10**5000)
b = f'{10**5000}'
c = repr(-10**5000)


@jax.jit
def f(x):
    reveal_stage(10**10000)
    reveal_stage(a)
    return x[10**5000], x if x > 10**5000 else a


g = jax.jit(f, static_argnums=10**5000)
h = jax.jit(f, static_argnames=10**5000)
