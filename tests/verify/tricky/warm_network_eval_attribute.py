"""A small object-style network with train()/eval() switches."""
from functools import partial

import jax
import jax.numpy as jnp


class Denoiser:
    def __init__(self, key, width):
        k1, k2 = jax.random.split(key)
        self.width = width
        self.noise = 0.1
        self.training = True
        self.gain = 1.0
        self.params = {
            "enc": jax.random.normal(k1, (4, width)) * 0.3,
            "dec": jax.random.normal(k2, (width, 4)) * 0.3,
        }

    def calibrate(self, sample):
        self.gain = float(1.0 / jnp.std(sample))

    def eval(self):
        self.training = False
        return self

    @partial(jax.jit, static_argnums=0)
    def reconstruct(self, params, x, key):
        x = x * self.gain  # OK stale
        if self.training:  # BUG stale
            x = x + self.noise * jax.random.normal(key, x.shape)
        return jnp.tanh(x @ params["enc"]) @ params["dec"]

    def loss(self, params, x, key):
        return jnp.mean((self.reconstruct(params, x, key) - x) ** 2)

    def fit(self, x, key, steps=20):
        for i in range(steps):
            g = jax.grad(self.loss)(self.params, x, jax.random.fold_in(key, i))
            self.params = jax.tree.map(lambda p, d: p - 0.2 * d, self.params, g)


def main():
    key = jax.random.key(0)
    x = 3.0 * jax.random.normal(key, (16, 4))
    net = Denoiser(key, width=8)
    net.calibrate(x)
    net.fit(x, key)
    net.eval()
    a = net.reconstruct(net.params, x, jax.random.key(10))
    b = net.reconstruct(net.params, x, jax.random.key(11))
    print("spread between two evaluations:", float(jnp.abs(a - b).max()))


if __name__ == "__main__":
    main()
