"""Image tone mapping and tinting with option records."""
import dataclasses
from functools import partial

import jax
import jax.numpy as jnp


@dataclasses.dataclass(eq=False)
class Curve:
    exposure: float = 1.0
    shoulder: float = 0.8


@dataclasses.dataclass(eq=False)
class Tint:
    warmth: float = 0.0
    mix: float = 0.5


@partial(jax.jit, static_argnums=1)
def tone(img, curve):
    lit = img * curve.exposure  # BUG stale
    return lit / (lit + curve.shoulder)


@partial(jax.jit, static_argnums=1)
def tint(img, look):
    shift = jnp.array([1.0, 0.0, -1.0]) * look.warmth  # OK stale
    return jnp.clip(img + look.mix * shift, 0.0, 1.0)


def main():
    img = jax.random.uniform(jax.random.key(0), (8, 8, 3))
    curve = Curve()
    for stop in (0, 1, 2):
        curve.exposure = 2.0**stop
        print(f"stop {stop}: mean {float(tone(img, curve).mean()):.4f}")

    look = Tint()
    for warmth in (0.0, 0.2, 0.4):
        look = dataclasses.replace(look, warmth=warmth)
        print(f"warmth {warmth}: mean {tint(img, look).mean(axis=(0, 1))}")  # BUG recompile


if __name__ == "__main__":
    main()
