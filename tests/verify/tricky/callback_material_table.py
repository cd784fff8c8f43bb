"""Steel property look-ups on the host, used from compiled and plain code."""
import bisect

import jax
import jax.numpy as jnp
import numpy as np

TEMPS = [0.0, 200.0, 400.0, 600.0, 800.0]
CONDUCT = [54.0, 47.0, 40.7, 34.0, 27.3]
HEAT = [450.0, 530.0, 606.0, 760.0, 803.0]


def conductivity(temp):
    temp = float(temp)  # OK trace-error
    i = min(max(bisect.bisect(TEMPS, temp) - 1, 0), len(TEMPS) - 2)
    t = (temp - TEMPS[i]) / (TEMPS[i + 1] - TEMPS[i])
    return np.float32((1 - t) * CONDUCT[i] + t * CONDUCT[i + 1])


def phase(temp):
    if temp > 735.0:  # OK trace-error
        return "austenite"
    return "ferrite"


def heat_capacity(temp):
    if temp > TEMPS[-1]:  # BUG trace-error
        return HEAT[-1]
    return jnp.interp(temp, jnp.array(TEMPS), jnp.array(HEAT))


def lookup(temp):
    spec = jax.ShapeDtypeStruct((), jnp.float32)
    return jax.pure_callback(conductivity, spec, temp, vmap_method="sequential")


@jax.jit
def conduct(bar, dt):
    k = jax.vmap(lookup)(bar)
    flux = 0.5 * (k[1:] + k[:-1]) * jnp.diff(bar)
    return bar + dt * jnp.diff(jnp.pad(flux, 1))


@jax.jit
def stored_heat(bar):
    return jnp.sum(jax.vmap(heat_capacity)(bar) * bar)


def main():
    bar = jnp.linspace(20.0, 790.0, 8)
    for _ in range(5):
        bar = conduct(bar, 0.002)
    print("bar", np.round(np.asarray(bar), 2))
    print([phase(t) for t in bar])
    print("capacity at the cold end", heat_capacity(bar[0]))
    print("heat", stored_heat(bar))


if __name__ == "__main__":
    main()
