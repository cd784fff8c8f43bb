import jax
import jax.numpy as jnp

import itertools

a = list(itertools.product(range(99), repeat=99))
b = [(i, j, k, m, n) for i in range(8) for j in range(8) for k in range(8) for m in range(8) for n in range(8)]
c = jnp.zeros((9,) * 99)
d = [0] * 9 * 9 * 9 * 9 * 9 * 9 * 9 * 9 * 9
@jax.jit
def f(x, s):
    return a, b, c, d
