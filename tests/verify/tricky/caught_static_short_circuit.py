"""Layer with optional input checks."""
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class NormLayer:
    eps: float = 1e-6
    strict: bool = False

    def __call__(self, x, scale):
        if x.ndim == 2 or jnp.all(scale > 0):  # OK trace-error
            x = x - x.mean(-1, keepdims=True)
        if self.strict and jnp.any(jnp.isnan(x)):  # BUG trace-error
            raise ValueError("nan in the input of NormLayer")
        return scale * x / jnp.sqrt(jnp.mean(x**2, -1, keepdims=True) + self.eps)


@partial(jax.jit, static_argnums=0)
def apply(layer, x, scale):
    return layer(x, scale)


def forward(layers, x, scale):
    skipped = []
    for i, layer in enumerate(layers):
        try:
            x = jnp.tanh(apply(layer, x, scale))
        except ValueError:
            raise
        except Exception as err:
            skipped.append((i, type(err).__name__))
    return x, skipped


def main():
    x = jax.random.normal(jax.random.key(5), (6, 4))
    scale = jnp.ones(4)
    for layers in ([NormLayer(), NormLayer(1e-3)], [NormLayer(), NormLayer(strict=True)]):
        out, skipped = forward(layers, x, scale)
        print("norm", float(jnp.linalg.norm(out)), "skipped", len(skipped))


if __name__ == "__main__":
    main()
