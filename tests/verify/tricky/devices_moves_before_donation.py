"""Relaxation of a potential with donated buffers; copies are kept for reports."""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@partial(jax.jit, donate_argnums=0)
def relax(phi):
    inner = 0.25 * (phi[:-2, 1:-1] + phi[2:, 1:-1] + phi[1:-1, :-2] + phi[1:-1, 2:])
    return phi.at[1:-1, 1:-1].set(inner)


def box(n, top):
    return jnp.zeros((n, n)).at[0].set(top)


def on_second_device(n):
    phi = box(n, 1.0)
    moved = jax.device_put(phi, jax.devices()[1])
    for _ in range(20):
        moved = relax(moved)
    return float(jnp.abs(np.asarray(moved) - phi).max())  # OK donated


def with_host_view(n):
    phi = box(n, 2.0)
    host = np.asarray(phi)
    out = relax(phi)
    return float(jnp.abs(out - phi).max()), float(host.max())  # OK donated


def with_padding(n):
    phi = box(n, 3.0)
    padded = jnp.pad(phi, 1)
    out = relax(padded)
    return float(jnp.abs(out[1:-1, 1:-1] - phi).max())  # OK donated


def on_first_device(n):
    phi = box(n, 4.0)
    moved = jax.device_put(phi, jax.devices()[0])
    out = relax(moved)
    return float(jnp.abs(out - phi).max())  # BUG donated


def main():
    print("second device", on_second_device(12))
    print("host view", with_host_view(10))
    print("padding", with_padding(8))
    print("first device", on_first_device(16))


if __name__ == "__main__":
    main()
