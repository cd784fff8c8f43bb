"""Probes which collect intermediate values of an ODE solve."""
from functools import partial

import jax
import jax.numpy as jnp

probes = {"energy": [], "state": [], "stage": []}


def record(name, value):
    probes[name].append(value)  # OK leak


def kinetic(v):
    return 0.5 * jnp.vdot(v, v)


@partial(jax.jit, static_argnames="probe")
def leapfrog(q, v, dt, probe=False):
    v_half = v - 0.5 * dt * q
    if probe:
        probes["stage"].append(v_half)  # OK leak
    q = q + dt * v_half
    v = v_half - 0.5 * dt * q
    jax.debug.callback(partial(record, "energy"), kinetic(v) + kinetic(q), ordered=True)
    return q, v


@jax.jit
def damped(q, v, dt, rate):
    v = v - dt * (q + rate * v)
    q = q + dt * v
    jax.debug.callback(lambda: probes["state"].append(q), ordered=True)  # BUG leak
    return q, v


def main():
    q, v = jnp.array([1.0, 0.0]), jnp.array([0.0, 0.5])
    for _ in range(5):
        q, v = leapfrog(q, v, 0.1)
    jax.effects_barrier()
    print("energies", [round(float(e), 5) for e in probes["energy"]])
    for _ in range(3):
        q, v = damped(q, v, 0.1, 0.3)
    jax.effects_barrier()
    print("stages", len(probes["stage"]), "states", len(probes["state"]))
    print("last state", q, "first energy", probes["energy"][0])


if __name__ == "__main__":
    main()
