"""Input validation shared by a library of small physics helpers."""
import jax
import jax.numpy as jnp
import numpy as np


def check_mass(m):
    if isinstance(m, jax.core.Tracer):
        return m
    if np.any(np.asarray(m) <= 0):  # OK trace-error
        raise ValueError("masses must be positive")
    return m


def check_radius(r):
    if isinstance(r, jax.Array) and r.ndim == 0:
        if float(r) < 1e-6:  # BUG trace-error
            raise ValueError("bodies collide")
    return r


def potential(masses, pos, g=1.0):
    masses = check_mass(masses)
    total = 0.0
    for i in range(len(masses)):
        for j in range(i):
            r = jnp.linalg.norm(pos[i] - pos[j])
            total = total - g * masses[i] * masses[j] / check_radius(r)
    return total


@jax.jit
def center_of_mass(masses, pos):
    return check_mass(masses) @ pos / masses.sum()


def relax(masses, pos, steps):
    force = jax.grad(potential, argnums=1)
    for _ in range(steps):
        try:
            pos = pos - 0.01 * force(masses, pos)
        except (ValueError, TypeError) as err:
            print("stopped:", type(err).__name__)
            break
    return pos


def main():
    masses = jnp.array([1.0, 2.0, 0.5])
    pos = jnp.array([[0.0, 0.0], [1.0, 0.2], [-0.5, 1.0]])
    print("energy", potential(masses, pos))
    print("com", center_of_mass(masses, pos))
    moved = relax(masses, pos, 10)
    print("energy after", potential(masses, moved))


if __name__ == "__main__":
    main()
