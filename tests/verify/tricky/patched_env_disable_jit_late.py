"""Beam tracing with a per-surface report."""
import os
from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class Surface:
    curvature: float
    index: float


VERBOSE = True
report = []


@jax.jit
def refract(ray, curvature, ratio):
    height, angle = ray
    report.append(f"surface hit, height {height}")  # BUG effect
    angle = ratio * angle - (1.0 - ratio) * curvature * height
    return jnp.stack([height, angle])


@jax.jit
def propagate(ray, distance):
    height, angle = ray
    return jnp.stack([height + distance * angle, angle])


def trace(ray, surfaces, gap):
    index = 1.0
    for s in surfaces:
        ray = propagate(refract(ray, s.curvature, index / s.index), gap)
        index = s.index
    return ray


def main():
    if VERBOSE:
        os.environ["JAX_DISABLE_JIT"] = "1"
    lens = [Surface(0.02, 1.5), Surface(-0.02, 1.0), Surface(0.01, 1.6), Surface(0.0, 1.0)]
    ray = trace(jnp.array([1.0, 0.0]), lens, 5.0)
    print("ray", ray)
    print("surfaces reported", len(report), "of", len(lens))


if __name__ == "__main__":
    main()
