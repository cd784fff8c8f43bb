import jax
import jax.numpy as jnp

t = (1,)
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = t + t
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)
t = (*t, *t)


@jax.jit
def f(x, s):
    return t
    return x, s
