"""Blur pyramid over a 1-d signal: compiled filters are memoised per setting."""
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np


def gaussian_taps(radius):
    t = np.arange(-radius, radius + 1)
    taps = np.exp(-0.5 * (t / max(radius / 2, 1)) ** 2)
    return jnp.asarray(taps / taps.sum(), dtype=jnp.float32)


@lru_cache(maxsize=None)
def blur_for(radius):
    taps = gaussian_taps(radius)
    return jax.jit(lambda row: jnp.convolve(row, taps, mode="same"))  # OK recompile


@lru_cache(maxsize=1)
def unsharp_for(radius):
    taps = gaussian_taps(radius)

    def unsharp(row):
        soft = jnp.convolve(row, taps, mode="same")
        return row + 0.5 * (row - soft)

    return jax.jit(unsharp)  # BUG recompile


def pyramid(row, radii):
    layers = []
    for r in radii:
        smooth = blur_for(r)(row)
        layers.append(row - smooth)
        row = smooth
    return layers, row


def collapse(layers, row, radii):
    for layer, r in zip(reversed(layers), reversed(radii)):
        row = unsharp_for(r)(row + layer)
    return row


def main():
    radii = [2, 5, 2, 5]
    key = jax.random.key(0)
    for k in jax.random.split(key, 3):
        row = jax.random.normal(k, (256,))
        layers, rest = pyramid(row, radii)
        out = collapse(layers, rest, radii)
        print(f"{float(jnp.abs(out - row).mean()):.4f}")


if __name__ == "__main__":
    main()
