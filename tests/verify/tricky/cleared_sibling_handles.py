"""Ridge and entropy penalties, each with two compiled handles."""
import jax
import jax.numpy as jnp

HYPER = {"ridge": 0.1, "entropy": 0.01}


def ridge_risk(w, x, y):
    return jnp.mean((x @ w - y) ** 2) + HYPER["ridge"] * w @ w  # OK stale


def entropy_risk(w, x, y):
    p = jax.nn.softmax(w)
    return jnp.mean((x @ p - y) ** 2) + HYPER["entropy"] * (p @ jnp.log(p))  # BUG stale


train_ridge = jax.jit(ridge_risk)
valid_ridge = jax.jit(ridge_risk)
train_entropy = jax.jit(jax.value_and_grad(entropy_risk))
valid_entropy = jax.jit(entropy_risk)


def retune(**values):
    HYPER.update(values)
    valid_ridge.clear_cache()
    valid_entropy.clear_cache()


def main():
    key = jax.random.key(2)
    x = jax.random.normal(key, (40, 5))
    w = jnp.array([0.1, 0.2, 0.3, 0.2, 0.2])
    y = x @ w
    trial = jnp.linspace(-1.0, 1.0, 5)
    for ridge, entropy in [(0.1, 0.01), (1.0, 0.5)]:
        retune(ridge=ridge, entropy=entropy)
        print("ridge  ", float(train_ridge(trial, x, y)))
        value, grad = train_entropy(trial, x, y)
        print("entropy", float(value), float(jnp.linalg.norm(grad)))


if __name__ == "__main__":
    main()
