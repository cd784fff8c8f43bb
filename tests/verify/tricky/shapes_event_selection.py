"""Selecting detector hits and their centroids."""
import jax
import jax.numpy as jnp


def hot_eager(energy, cut):
    (idx,) = jnp.where(energy > cut)  # OK trace-error
    return energy[idx]


@jax.jit
def hot_fixed(energy, cut):
    (idx,) = jnp.nonzero(energy > cut, size=4, fill_value=-1)  # OK trace-error
    return jnp.where(idx >= 0, energy[idx], 0.0)


@jax.jit
def cluster(energy):
    n = energy.shape[0]
    centre = jnp.arange(n)[: n // 2] * 2
    return energy[centre] + energy[centre + 1]


@jax.jit
def centroid(energy, cut):
    x = jnp.arange(energy.size, dtype=jnp.float32)
    hit = energy > cut
    return jnp.sum(x[hit] * energy[hit]) / jnp.sum(energy[hit])  # BUG trace-error


def main():
    energy = jax.random.exponential(jax.random.key(9), (3, 16))
    for event in energy:
        print("hot", hot_eager(event, 1.5).round(3), hot_fixed(event, 1.5).round(3))
    print("clusters", jax.vmap(cluster)(energy).sum(axis=1))
    print("many", jax.vmap(hot_fixed, in_axes=(0, None))(energy, 1.5).shape)
    print("centroid", [float(centroid(event, 1.5)) for event in energy])


if __name__ == "__main__":
    main()
