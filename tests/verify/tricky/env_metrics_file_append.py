"""Write training metrics as CSV next to the run."""
import os
import tempfile

import jax
import jax.numpy as jnp

RUN_DIR = os.environ.setdefault("RUN_DIR", tempfile.mkdtemp())


def append_row(name, *values):
    with open(os.path.join(RUN_DIR, name), "a") as fh:
        fh.write(",".join(str(v) for v in values) + "\n")


def clip_by_norm(g, limit):
    norm = jnp.linalg.norm(g)
    jax.debug.callback(lambda n: append_row("norms.csv", f"{n:.4f}"), norm)  # OK effect
    return g * jnp.minimum(1.0, limit / norm)


@jax.jit
def step(w, x, y, lr):
    loss, g = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(w)
    append_row("steps.csv", loss.shape, w.shape)  # BUG effect
    return w - lr * clip_by_norm(g, 1.0), loss


def fit(x, y, n):
    w = jnp.zeros(x.shape[1])
    for i in range(n):
        w, loss = step(w, x, y, 0.1)
        append_row("loss.csv", i, float(loss))
    return w


def main():
    x = jax.random.normal(jax.random.key(1), (20, 3))
    y = x @ jnp.array([3.0, -2.0, 0.5])
    w = fit(x, y, 7)
    jax.effects_barrier()
    print("w", w)
    for name in sorted(os.listdir(RUN_DIR)):
        with open(os.path.join(RUN_DIR, name)) as fh:
            print(name, "rows:", len(fh.readlines()))


if __name__ == "__main__":
    main()
