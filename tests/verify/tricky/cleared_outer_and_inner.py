"""Layered audio effect: a jitted chain which calls a jitted saturation stage."""
import jax
import jax.numpy as jnp

PRESET = {"drive": 1.0, "level": 1.0}


@jax.jit
def saturate(x):
    return jnp.tanh(PRESET["drive"] * x)  # BUG stale


@jax.jit
def chain(x):
    low = jnp.convolve(x, jnp.ones(5) / 5, mode="same")
    high = x - low
    return PRESET["level"] * (low + saturate(high))  # OK stale


def load(preset):
    PRESET.update(preset)
    chain.clear_cache()


def rms(x):
    return float(jnp.sqrt(jnp.mean(x**2)))


def main():
    t = jnp.linspace(0.0, 1.0, 400)
    tone = jnp.sin(2 * jnp.pi * 5 * t) + 0.5 * jnp.sin(2 * jnp.pi * 90 * t)
    presets = {
        "clean": {"drive": 1.0, "level": 1.0},
        "crunch": {"drive": 6.0, "level": 0.8},
        "fuzz": {"drive": 40.0, "level": 0.5},
    }
    for name, preset in presets.items():
        load(preset)
        print(f"{name:8s} rms {rms(chain(tone)):.5f}")


if __name__ == "__main__":
    main()
