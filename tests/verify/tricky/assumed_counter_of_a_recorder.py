"""A solver takes a recorder; the recorder that counts rounds in an int adds the size of a step to it."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Peak(NamedTuple):
    height: jax.Array

    @classmethod
    def start(cls):
        return cls(jnp.zeros(()))

    def seen(self, wave, step):
        return Peak(jnp.maximum(self.height, wave.max()))


class Clock(NamedTuple):
    time: jax.Array

    @classmethod
    def start(cls):
        return cls(jnp.zeros((), jnp.int32))

    def seen(self, wave, step):
        return Clock(self.time + step)


RECORDERS = {"peak": Peak, "clock": Clock}


def solve(wave, step, rounds, recorder="peak"):
    def advance(carry, _):
        wave, record = carry
        wave = wave - step * jnp.roll(wave, 1)
        return (wave, record.seen(wave, step)), None

    return jax.lax.scan(advance, (wave, RECORDERS[recorder].start()), None, length=rounds)[0]  # BUG trace-error


def main():
    wave = jnp.sin(jnp.linspace(0.0, 6.0, 16))
    _, record = solve(wave, 0.1, 20)
    print("peak", float(record.height))
    _, record = solve(wave, 0.1, 20, recorder="clock")
    print("time", float(record.time))


if __name__ == "__main__":
    main()
