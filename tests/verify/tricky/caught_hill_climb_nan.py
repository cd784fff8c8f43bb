"""Random hill climbing which survives broken objective functions."""
import logging
import math

import jax
import jax.numpy as jnp

log = logging.getLogger("climb")


def rastrigin(x):
    return 10.0 * x.size + jnp.sum(x**2 - 10.0 * jnp.cos(2 * jnp.pi * x))


def smooth_bowl(x):
    return jnp.sum((x - 0.5) ** 2)


def make_trial(objective):
    @jax.jit
    def trial(x, best, key):
        candidate = x + 0.3 * jax.random.normal(key, x.shape)
        value = objective(candidate)
        if value < best:  # BUG trace-error
            return candidate, value
        return x, best

    return trial


def climb(objective, x, key, rounds):
    trial = make_trial(objective)
    best = objective(x)
    for k in jax.random.split(key, rounds):
        try:
            x, best = trial(x, best, k)
        except Exception as err:
            log.warning("trial failed: %s", type(err).__name__)
            best = math.nan
            break
    return x, best


def main():
    logging.basicConfig(level=logging.ERROR)
    start = jnp.array([1.5, -0.7])
    for objective in (rastrigin, smooth_bowl):
        x, best = climb(objective, start, jax.random.key(0), 30)
        print(objective.__name__, "best", float(best), "at", x)


if __name__ == "__main__":
    main()
