"""Two recurrences of an ecosystem model, run with lax loops and no jit at all."""
import jax
import jax.numpy as jnp

RATES = {"birth": 1.1, "harvest": 0.05, "noise": 0.02}


def season(pop, shock):
    grown = pop * RATES["birth"] * (1.0 - pop / 10.0)  # OK stale
    pop = jnp.maximum(grown + RATES["noise"] * shock, 0.0)
    return pop, pop


def harvest(i, stock):
    return stock - RATES["harvest"] * stock  # BUG stale


def simulate(shocks):
    jax.clear_caches()
    _, path = jax.lax.scan(season, jnp.float32(2.0), shocks)
    return path


def deplete(stock, months):
    return jax.lax.fori_loop(0, months, harvest, stock)


def main():
    shocks = jax.random.normal(jax.random.key(8), (30,))
    for birth in (1.1, 1.6, 2.2):
        RATES["birth"] = birth
        print(f"birth {birth}: final {float(simulate(shocks)[-1]):.4f}")

    stock = jnp.float32(100.0)
    for quota in (0.05, 0.10, 0.20):
        RATES["harvest"] = quota
        print(f"quota {quota}: left {float(deplete(stock, 12)):.3f}")


if __name__ == "__main__":
    main()
