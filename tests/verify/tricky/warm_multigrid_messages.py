"""One V-cycle of a 1-d Poisson multigrid, telling which grids are compiled."""
import jax
import jax.numpy as jnp


@jax.jit
def restrict(r):
    print("restrict", r.shape[0], "->", r.shape[0] // 2)  # OK effect
    return 0.25 * (r[:-2:2] + 2.0 * r[1:-1:2] + r[2::2])


@jax.jit
def prolong(e):
    print("prolong", e.shape[0], "->", 2 * e.shape[0] + 1)  # OK effect
    mid = jnp.zeros(2 * e.shape[0] + 1).at[1::2].set(e)
    padded = jnp.pad(e, 1)
    return mid.at[0::2].set(0.5 * (padded[:-1] + padded[1:]))


def laplacian(u, h):
    p = jnp.pad(u, 1)
    return (2.0 * u - p[:-2] - p[2:]) / h**2


@jax.jit
def smooth(u, f, h):
    print("sweep on", u.shape[0], "points")  # BUG effect
    for _ in range(3):
        u = u + (2.0 / 3.0) * 0.5 * h**2 * (f - laplacian(u, h))
    return u


def vcycle(f, h):
    u = smooth(jnp.zeros_like(f), f, h)
    if f.shape[0] > 3:
        coarse = restrict(f - laplacian(u, h))
        u = u + prolong(vcycle(coarse, 2 * h))
    return smooth(u, f, h)


def main():
    n = 31
    h = 1.0 / (n + 1)
    x = jnp.linspace(h, 1.0 - h, n)
    f = jnp.pi**2 * jnp.sin(jnp.pi * x)
    u = vcycle(f, h)
    print("error", float(jnp.abs(u - jnp.sin(jnp.pi * x)).max()))


if __name__ == "__main__":
    main()
