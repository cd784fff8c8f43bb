"""A function that calls itself through others, and gives itself to a transform each time."""

import jax, jax.numpy as jnp, numpy as np, numpy, scipy
def step(args, *args): return (_ := '{}'.format('%d' % (range(itertools.repeat()), (A := type(items))))[g(True for (_, (loss, *step)) in optax.tree_utils.tree_dtype()), *((g := (yield from z) and jit(f)))])
async def _(*, z):
    n, state = next(next(zip('%s' % items, loss))), dict({False: i.at[::-1].__repr__(jax.numpy.meshgrid(args, sparse=params, indexing=B)), **(y.extend(items, where=step))})
def g(_: range(numpy.random.integers(key in _))):
    with (next(self) as params, loss):
        g = jax.linearize(g)
    match {zip(dict({}), partial(enumerate(i), g)(i, *(n), T=T)) for self.params in (await {})}, partial(B, {}, *(n), key=jax.scipy.stats.logistic.pdf()):
        case True | 'x':
            _ = n = type((lambda g: T))(key, B)
    match '{}'.format(step(state, n, key, A, n)) not in jnp.vectorize(step, T, params, key, i, x)(loss, *(step), loss=T) in '%s' % B():
        case None:
            global params
    try:
        pass
    except:
        pass