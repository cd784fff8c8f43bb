"""Simulated annealing of a tour; temperature and move size are set per stage."""
from types import SimpleNamespace

import jax
import jax.numpy as jnp

SETTINGS = SimpleNamespace(temperature=2.0, reach=6)


def length(cities, tour):
    pts = cities[tour]
    return jnp.linalg.norm(pts - jnp.roll(pts, 1, axis=0), axis=1).sum()


@jax.jit
def propose(tour, key):
    n = tour.shape[0]
    k1, k2 = jax.random.split(key)
    i = jax.random.randint(k1, (), 0, n)
    j = (i + jax.random.randint(k2, (), 1, SETTINGS.reach + 1)) % n  # BUG stale
    return tour.at[i].set(tour[j]).at[j].set(tour[i])


@jax.jit
def accept(delta, key):
    u = jax.random.uniform(key)
    return (delta < 0) | (u < jnp.exp(-delta / SETTINGS.temperature))  # OK stale


def anneal(cities, tour, key, sweeps=15):
    cost = length(cities, tour)
    for _ in range(sweeps):
        key, kp, ka = jax.random.split(key, 3)
        candidate = propose(tour, kp)
        new_cost = length(cities, candidate)
        if accept(new_cost - cost, ka):
            tour, cost = candidate, new_cost
    return tour, cost, key


def main():
    key = jax.random.key(5)
    cities = jax.random.uniform(key, (24, 2))
    tour = jnp.arange(24)
    for temperature, reach in [(2.0, 12), (0.3, 4), (0.01, 1)]:
        SETTINGS.temperature, SETTINGS.reach = temperature, reach
        accept.clear_cache()
        tour, cost, key = anneal(cities, tour, key)
        print(f"T={temperature:<5} reach={reach:<3} length={float(cost):.4f}")


if __name__ == "__main__":
    main()
