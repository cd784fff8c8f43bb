"""Equinox regression, warm-up phase with one rate and then a schedule."""
import equinox as eqx
import jax
import jax.numpy as jnp


class Net(eqx.Module):
    first: eqx.nn.Linear
    second: eqx.nn.Linear
    slope: float

    def __init__(self, key):
        k1, k2 = jax.random.split(key)
        self.first = eqx.nn.Linear(2, 16, key=k1)
        self.second = eqx.nn.Linear(16, 1, key=k2)
        self.slope = 0.1

    def __call__(self, x):
        return self.second(jax.nn.leaky_relu(self.first(x), self.slope))


def mse(net, x, y):
    return jnp.mean((jax.vmap(net)(x)[:, 0] - y) ** 2)


@eqx.filter_jit
def update(net, x, y, lr):
    loss, grads = eqx.filter_value_and_grad(mse)(net, x, y)
    return eqx.apply_updates(net, jax.tree.map(lambda g: -lr * g, grads)), loss


def main():
    key = jax.random.key(0)
    x = jax.random.normal(key, (64, 2))
    y = x[:, 0] * x[:, 1]
    net = Net(key)
    for _ in range(5):
        net, loss = update(net, x, y, jnp.float32(0.05))
    print("warm-up", float(loss))
    rate = 0.05
    for _ in range(4):
        rate *= 0.9
        net, loss = update(net, x, y, rate)  # BUG recompile
    print("decay", float(loss))
    tail = jnp.linspace(0.03, 0.01, 6)
    for i in range(6):
        net, loss = update(net, x, y, tail[i])  # OK recompile
    print("tail", float(loss))


if __name__ == "__main__":
    main()
