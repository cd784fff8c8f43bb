import jax
import jax.numpy as jnp

a = '%999999999d' % 7
b = '%*d' % (999999999, 7)
c = f'{7:999999999}'
d = '{:{}}'.format(7, 999999999)
e = 'x'.center(999999999)
g = 'x'.zfill(999999999)
@jax.jit
def f(x, s):
    return a, b, c, d, e, g
