"""RK4 pendulum. One step by hand for a sanity check, then the recorded grid."""
import jax
import jax.numpy as jnp
import numpy as np


def field(t, y):
    theta, omega = y
    return jnp.stack([omega, -jnp.sin(theta) + 0.1 * jnp.cos(2.0 * t)])


@jax.jit
def rk4(y, t, dt):
    k1 = field(t, y)
    k2 = field(t + dt / 2, y + dt / 2 * k1)
    k3 = field(t + dt / 2, y + dt / 2 * k2)
    k4 = field(t + dt, y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@jax.jit
def energy(y):
    return 0.5 * y[1] ** 2 - jnp.cos(y[0])


def main():
    y = jnp.array([1.0, 0.0])
    probe = rk4(y, 0.0, 0.01)
    print("probe", probe)
    print("energy", float(energy(probe)))

    grid = jnp.linspace(0.0, 1.0, 101)
    path = [y]
    for t in grid[:-1]:
        y = rk4(y, t, 0.01)  # BUG recompile
        path.append(y)

    recorded = np.stack([np.asarray(p) for p in path])
    drift = [float(energy(row)) for row in recorded]  # OK recompile
    print("drift", drift[-1] - drift[0])

    for shift in (0.25, 0.5):
        y = rk4(y, shift, 0.01)
    print("end", y)


if __name__ == "__main__":
    main()
