"""Memory-saving project default: compiled functions donate their first argument."""
import functools

import jax
import jax.numpy as jnp

plain_jit = jax.jit
jax.jit = functools.partial(plain_jit, donate_argnums=(0,))


@jax.jit
def leapfrog(phase, dt):
    q, p = phase
    p = p - 0.5 * dt * jnp.sin(q)
    q = q + dt * p
    p = p - 0.5 * dt * jnp.sin(q)
    return jnp.stack([q, p])


def hamiltonian(phase):
    q, p = phase
    return 0.5 * p**2 - jnp.cos(q)


@plain_jit
def energy_error(phase, dt):
    moved = leapfrog(phase, dt)
    return hamiltonian(moved) - hamiltonian(phase)  # OK donated


def main():
    start = jnp.array([[0.1, 0.5, 1.0], [0.0, 0.2, 0.4]])
    print("error of one step", energy_error(start, 0.1))
    h0 = hamiltonian(start)
    phase = start
    for _ in range(20):
        phase = leapfrog(phase, 0.1)
    print("energy drift", jnp.abs(hamiltonian(phase) - h0).max())
    print("displacement", phase[0] - start[0])  # BUG donated


if __name__ == "__main__":
    main()
