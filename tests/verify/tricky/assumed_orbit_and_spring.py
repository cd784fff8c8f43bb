"""Samples two models by their gradients; only one of them solves its equation by a loop."""
import jax
import jax.numpy as jnp
import numpy as np


class Spring:
    def __init__(self, lengths):
        self.lengths = jnp.asarray(lengths)

    def log_density(self, stiffness):
        return -0.5 * jnp.sum((self.lengths - stiffness) ** 2)


def anomaly(mean, eccentricity):
    def unsettled(state):
        return jnp.abs(state[1]) > 1e-4

    def newton(state):
        angle, _ = state
        step = (angle - eccentricity * jnp.sin(angle) - mean) / (1.0 - eccentricity * jnp.cos(angle))
        return angle - step, step

    return jax.lax.while_loop(unsettled, newton, (mean, jnp.ones_like(mean)))[0]


class Orbit:
    def __init__(self, phase):
        self.phase = phase

    def log_density(self, eccentricity):
        return -jnp.square(anomaly(self.phase, eccentricity) - 1.0)


def climb(density, start, rounds):
    slope = jax.grad(density)
    for _ in range(rounds):
        start = start + 0.1 * slope(start)  # BUG trace-error
    return start


def run(model, start):
    return climb(model.log_density, start, 5)


def main():
    lengths = np.random.default_rng(0).normal(size=8).astype(np.float32)
    print("stiffness", float(run(Spring(lengths), jnp.float32(0.0))))
    print("eccentricity", float(run(Orbit(jnp.float32(0.7)), jnp.float32(0.3))))


if __name__ == "__main__":
    main()
