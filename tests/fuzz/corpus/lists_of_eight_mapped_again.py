"""Lists of eight lists, mapped again and again: thousands of leaves in each of many statements are too much."""

import jax
from jax import tree


@jax.jit
def f(a, c):
    b = a
    for _ in range(8):
        a = [b] * 8
        b = tree.map(lambda x: c, a)
        a = [b] * 8
        b = tree.map(lambda x: c, a)
        a = [b] * 8
        b = tree.map(lambda x: c, a)
        a = [b] * 8
        b = tree.map(lambda x: c, a)
        a = [b] * 8
        b = tree.map(lambda x: c, a)
        a = [b] * 8
        b = tree.map(lambda x: c, a)
        a = [b] * 8
        b = tree.map(lambda x: c, a)
        a = [b] * 8
        b = tree.map(lambda x: c, a)
    return b


def g(a, c):
    return f([a] * 8, c)


def h(a, c):
    return g(tree.map(g, [a, a], [c, c]), c)
