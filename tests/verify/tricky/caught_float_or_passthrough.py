"""Metrics which work both in compiled training steps and in plain evaluation."""
import jax
import jax.numpy as jnp


def as_scalar(x):
    try:
        return float(x)  # OK trace-error
    except jax.errors.ConcretizationTypeError:
        return x


def summarize(pred, target):
    err = pred - target
    return {
        "mse": as_scalar(jnp.mean(err**2)),
        "mae": as_scalar(jnp.mean(jnp.abs(err))),
        "bias": as_scalar(jnp.mean(err)),
    }


@jax.jit
def train_step(w, x, y):
    def objective(w):
        metrics = summarize(x @ w, y)
        return metrics["mse"] + 0.1 * metrics["mae"], metrics

    grads, metrics = jax.grad(objective, has_aux=True)(w)
    return w - 0.1 * grads, metrics


def main():
    key = jax.random.key(11)
    x = jax.random.normal(key, (32, 4))
    y = x @ jnp.arange(4.0)
    w = jnp.zeros(4)
    for i in range(20):
        w, metrics = train_step(w, x, y)
        if i % 5 == 0:
            print(i, {k: round(float(v), 4) for k, v in metrics.items()})
    print("eval", summarize(x @ w, y))


if __name__ == "__main__":
    main()
