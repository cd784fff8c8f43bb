"""Kalman smoothing of a drifting level; precision chosen at start-up."""
import os

import jax
import jax.numpy as jnp
from jax import lax

PRIOR = (jnp.zeros(()), jnp.ones(()))
Q, R = 0.01, 0.5


def filter_step(state, z):
    mean, var = state
    var = var + Q
    gain = var / (var + R)
    mean = mean + gain * (z - mean)
    return (mean, (1.0 - gain) * var), mean


def observations(n):
    t = jnp.linspace(0.0, 3.0, n)
    return jnp.sin(t) + 0.3 * jnp.cos(17 * t)


def run_filter(zs, prior=None):
    if prior is None:
        prior = (jnp.zeros(()), jnp.ones(()))
    return lax.scan(filter_step, prior, zs)  # OK trace-error


@jax.jit
def run_from_prior(zs):
    (mean, var), levels = lax.scan(filter_step, PRIOR, zs)  # BUG trace-error
    return mean, var, levels


def main():
    if os.environ.get("FILTER_PRECISION", "double") == "double":
        jax.config.update("jax_enable_x64", True)
    zs = observations(40)
    (mean, var), _ = run_filter(zs)
    print("fresh prior", mean.dtype, float(mean), float(var))
    mean, var, levels = run_from_prior(zs)
    print("module prior", mean.dtype, float(mean), float(levels[-1]))


if __name__ == "__main__":
    main()
