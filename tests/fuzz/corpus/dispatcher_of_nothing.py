import functools
import jax

dispatcher = functools.singledispatch()
dispatcher(1)
jax.jit(dispatcher)(1.0)
