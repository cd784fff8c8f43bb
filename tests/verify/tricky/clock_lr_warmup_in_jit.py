"""Wall-clock based learning-rate schedule for online logistic regression."""
import time

import jax
import jax.numpy as jnp
import optax

START = time.perf_counter()
WARMUP_SECONDS = 30.0


def wall_clock_schedule(_count):
    elapsed = time.perf_counter() - START  # BUG stale
    return jnp.minimum(1.0, elapsed / WARMUP_SECONDS)


tx = optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(wall_clock_schedule), optax.scale(-0.1))


def nll(w, x, y):
    logits = x @ w
    return jnp.mean(jnp.logaddexp(0.0, logits) - y * logits)


@jax.jit
def step(w, state, x, y):
    grads = jax.grad(nll)(w, x, y)
    updates, state = tx.update(grads, state, w)
    return optax.apply_updates(w, updates), state, updates


def stream(key, n):
    for k in jax.random.split(key, n):
        x = jax.random.normal(k, (16, 3))
        yield x, (x[:, 0] - x[:, 2] > 0).astype(jnp.float32)
        time.sleep(0.1)


def main():
    w = jnp.zeros(3)
    state = tx.init(w)
    for i, (x, y) in enumerate(stream(jax.random.key(0), 8)):
        t0 = time.perf_counter()  # OK stale
        w, state, updates = step(w, state, x, y)
        w.block_until_ready()
        took = time.perf_counter() - t0
        print(f"{i} step size {jnp.abs(updates).max():.4f} took {took:.3f}s nll {nll(w, x, y):.4f}")


if __name__ == "__main__":
    main()
