"""Waves that go through a relay. Its kernels are kept; who does not prepare them stores some while tracing."""

import sys
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Wave:
    data: jax.Array

    def scaled(self, factor):
        return replace(self, data=factor * self.data)

    def padded(self, count):
        return replace(self, data=jnp.pad(self.data, count))

    def intensity(self):
        return jnp.sum(jnp.abs(self.data) ** 2)


class Relay:
    def __init__(self, distance):
        self.distance = distance
        self.kernels = {}

    def kernel(self, size):
        return jnp.exp(-1j * self.distance * jnp.arange(size))

    def prepare(self, size):
        self.kernels[size] = self.kernel(size)
        return self

    def __call__(self, wave):
        size = wave.data.shape[0]
        kernel = self.kernels.setdefault(size, self.kernel(size))  # BUG leak
        return wave.scaled(kernel)


def brightest(relay, waists):
    @jax.jit
    def brightness(waist):
        wave = Wave(jnp.exp(-((jnp.linspace(-1, 1, 8) / waist) ** 2)).astype(complex))
        return relay(wave).intensity()

    return max(float(brightness(waist)) for waist in waists)


def main(words):
    relay = Relay(0.1)
    if "--cold" not in words:
        relay.prepare(8)
    found = brightest(relay, jnp.array([0.2, 0.4]))
    return found, relay(Wave(jnp.ones(8, complex))).intensity()


if __name__ == "__main__":
    print(main(sys.argv[1:]))
