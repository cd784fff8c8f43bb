"""Trainer which keeps a history for plotting."""
from functools import partial

import jax
import jax.numpy as jnp


class Trainer:
    def __init__(self, lr):
        self.lr = lr
        self.losses = []
        self.scores = []

    @partial(jax.jit, static_argnums=0)
    def step(self, w, x, y):
        loss, g = jax.value_and_grad(self.loss)(w, x, y)
        self.losses.append(loss)  # BUG leak
        return w - self.lr * g

    @staticmethod
    def loss(w, x, y):
        return jnp.mean((jnp.sin(x @ w) - y) ** 2)

    def predict(self, w, x):
        return jnp.sin(x @ w)

    def evaluate(self, w, x, y):
        score = jax.jit(self.loss)(w, x, y)  # OK recompile
        top = jax.jit(self.predict)(w, x).max()  # BUG recompile
        self.scores.append((score, top))  # OK leak

    def fit(self, w, x, y, n):
        for _ in range(n):
            w = self.step(w, x, y)
            self.evaluate(w, x, y)
        return w

    def curve(self):
        try:
            return jnp.stack(self.losses)
        except jax.errors.UnexpectedTracerError:
            return jnp.zeros(0)


def main():
    x = jax.random.normal(jax.random.key(0), (30, 2))
    y = jnp.sin(x @ jnp.array([0.5, -1.0]))
    trainer = Trainer(lr=0.3)
    w = trainer.fit(jnp.zeros(2), x, y, 6)
    print("w", w)
    print("train curve", trainer.curve())
    print("eval curve", jnp.array(trainer.scores)[:, 0])


if __name__ == "__main__":
    main()
