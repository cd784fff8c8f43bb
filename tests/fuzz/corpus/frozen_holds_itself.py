import jax
import jax.numpy as jnp

from dataclasses import dataclass


@dataclass(frozen=True)
class Frozen:
    me: object = None


a = Frozen()
object.__setattr__(a, 'me', a)
jax.jit(lambda x, f: x, static_argnums=1)(1.0, a)
