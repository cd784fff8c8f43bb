"""Synth voice whose knobs are turned between blocks."""
import jax
import jax.numpy as jnp
import numpy as np

KNOBS = {"cutoff": 0.9, "volume": 1.0, "octave": 0}
BLOCK = 64


def volume():
    return np.float32(KNOBS["volume"])  # OK stale


def cutoff():
    return jnp.float32(KNOBS["cutoff"])  # BUG stale


def transpose(pitch):
    return pitch * 2.0 ** KNOBS["octave"]


@jax.jit
def voice(phase, pitch):
    t = phase + jnp.arange(BLOCK) * pitch
    saw = 2.0 * (t % 1.0) - 1.0
    a = cutoff()

    def pole(y, x):
        y = (1.0 - a) * y + a * x
        return y, y

    _, soft = jax.lax.scan(pole, jnp.float32(0.0), saw)
    level = jax.pure_callback(volume, jax.ShapeDtypeStruct((), jnp.float32))
    return t[-1] + pitch, level * soft


def perform(score):
    phase = jnp.float32(0.0)
    for pitch, turned in score:
        KNOBS.update(turned)
        phase, block = voice(phase, jnp.float32(transpose(pitch)))
        yield float(jnp.abs(block).max()), float(jnp.abs(jnp.diff(block)).max())


def main():
    score = [
        (0.011, {}),
        (0.011, {"volume": 0.5}),
        (0.011, {"cutoff": 0.1}),
        (0.011, {"volume": 0.25, "octave": 1}),
    ]
    for peak, slope in perform(score):
        print(f"peak {peak:.4f} slope {slope:.4f}")


if __name__ == "__main__":
    main()
