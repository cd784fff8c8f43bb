"""Spiking neurons; compilation is switched centrally for this project."""
import jax
import jax.numpy as jnp

SETTINGS = {"compile": False, "threshold": 1.0}
spike_log = []


def jit(fn=None, **options):
    if fn is None:
        return lambda f: jit(f, **options)
    return jax.jit(fn, **options) if SETTINGS["compile"] else fn


@jit
def membrane(v, current):
    return 0.9 * v + current


@jit(static_argnames="label")
def fire(v, label):
    spikes = v > SETTINGS["threshold"]  # OK stale
    spike_log.append((label, int(spikes.sum())))  # OK effect
    return jnp.where(spikes, 0.0, v), spikes


def simulate(key, steps, label):
    v = jnp.zeros(10)
    total = 0
    for k in jax.random.split(key, steps):
        v = membrane(v, 0.4 * jax.random.uniform(k, v.shape))
        v, spikes = fire(v, label)
        total += int(spikes.sum())
    return total


def main():
    for threshold in (1.0, 1.5, 2.0):
        SETTINGS["threshold"] = threshold
        total = simulate(jax.random.key(0), 12, f"thr{threshold}")
        logged = sum(n for label, n in spike_log if label == f"thr{threshold}")
        print(f"threshold {threshold:.1f} spikes {total} logged {logged}")


if __name__ == "__main__":
    main()
