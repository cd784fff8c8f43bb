"""Controllers which rebuild their compiled handles when their weights change."""
import jax
import jax.numpy as jnp


class LinearPolicy:
    def __init__(self, weights):
        self.weights = weights
        self.refresh()

    def refresh(self):
        self.fast = jax.jit(self.act)

    def act(self, obs):
        return jnp.tanh(self.weights @ obs)  # OK stale


class TabularPolicy:
    def __init__(self, table):
        self.table = table
        self.refresh()

    def refresh(self):
        self.fast = jax.jit(TabularPolicy.act, static_argnums=0)

    def act(self, cell):
        return self.table[cell].argmax()  # BUG stale


def evolve(policy, name, key, rounds=3):
    for k in jax.random.split(key, rounds):
        current = getattr(policy, name)
        setattr(policy, name, jax.random.normal(k, current.shape))
        policy.refresh()
        yield policy


def main():
    key = jax.random.key(0)
    obs = jnp.array([0.5, -1.0, 2.0])
    linear = LinearPolicy(jnp.zeros((2, 3)))
    print("linear", linear.fast(obs))
    for p in evolve(linear, "weights", key):
        print("linear", p.fast(obs))

    tabular = TabularPolicy(jnp.eye(4))
    print("table", tabular.fast(tabular, jnp.int32(2)))
    for p in evolve(tabular, "table", key):
        print("table", p.fast(p, jnp.int32(2)))


if __name__ == "__main__":
    main()
