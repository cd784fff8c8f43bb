"""Logistic regression with a fit history kept by host callbacks."""
import jax
import jax.numpy as jnp


class History:
    def __init__(self):
        self.losses = []
        self.steps = 0
        self.batch_sizes = []

    def on_step(self, loss):
        self.losses.append(float(loss))  # OK effect
        if loss > 10.0:  # OK trace-error
            raise RuntimeError("diverged")

    def on_batch(self, size):
        self.batch_sizes.append(size)  # BUG effect


history = History()


def nll(w, x, y):
    z = x @ w
    return jnp.mean(jnp.logaddexp(0.0, z) - y * z)


@jax.jit
def train_step(w, x, y):
    history.on_batch(x.shape[0])
    loss, g = jax.value_and_grad(nll)(w, x, y)
    jax.debug.callback(history.on_step, loss, ordered=True)
    return w - 0.5 * g


def main():
    key = jax.random.key(0)
    x = jax.random.normal(key, (120, 4))
    y = (x @ jnp.array([1.0, -1.0, 0.5, 0.0]) > 0).astype(jnp.float32)
    w = jnp.zeros(4)
    for start in range(0, 120, 30):
        w = train_step(w, x[start : start + 30], y[start : start + 30])
        history.steps += 1
    jax.effects_barrier()
    print("losses", [round(v, 4) for v in history.losses])
    print("seen", sum(history.batch_sizes), "rows in", history.steps, "steps")


if __name__ == "__main__":
    main()
