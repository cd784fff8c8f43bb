"""Two-layer regressor with dropout and input jitter, trained with optax."""
import jax
import jax.numpy as jnp
import numpy as np
import optax

KEEP = 0.8
host_rng = np.random.default_rng(17)


def init(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        {"w": jax.random.normal(k, (m, n)) / jnp.sqrt(m), "b": jnp.zeros(n)}
        for k, m, n in zip(keys, sizes[:-1], sizes[1:])
    ]


def forward(params, x, train):
    h = jnp.tanh(x @ params[0]["w"] + params[0]["b"])
    if train:
        mask = host_rng.uniform(size=h.shape) < KEEP  # BUG stale
        h = jnp.where(mask, h / KEEP, 0.0)
    return h @ params[1]["w"] + params[1]["b"]


def loss_fn(params, x, y):
    return jnp.mean((forward(params, x, True)[:, 0] - y) ** 2)


opt = optax.adam(3e-2)


@jax.jit
def update(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
    updates, opt_state = opt.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def train_step(params, opt_state, x, y):
    jitter = 0.05 * host_rng.normal(size=x.shape).astype(np.float32)  # OK stale
    return update(params, opt_state, x + jitter, y)


def main():
    x = jnp.asarray(host_rng.normal(size=(32, 3)), jnp.float32)
    y = jnp.sin(x[:, 0]) + 0.5 * x[:, 1]
    params = init(jax.random.key(0), [3, 16, 1])
    opt_state = opt.init(params)
    for step in range(30):
        params, opt_state, loss = train_step(params, opt_state, x, y)
        if step % 10 == 0:
            print(f"step {step:3d} loss {loss:.4f}")
    print("final", float(jnp.mean((forward(params, x, False)[:, 0] - y) ** 2)))


if __name__ == "__main__":
    main()
