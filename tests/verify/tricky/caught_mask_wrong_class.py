"""Robust statistics on residuals; boolean masks with a fall-back."""
import jax
import jax.numpy as jnp


def trimmed_mean(r, limit):
    keep = jnp.abs(r) < limit
    try:
        return r[keep].mean()  # OK trace-error
    except IndexError:
        return jnp.sum(jnp.where(keep, r, 0.0)) / jnp.sum(keep)


def positive_energy(r):
    try:
        part = r[r > 0]  # BUG trace-error
    except (TypeError, ValueError):
        part = jnp.maximum(r, 0.0)
    return jnp.sum(part**2)


@jax.jit
def location_step(theta, data):
    r = data - theta
    return theta + trimmed_mean(r, 2.5)


def fit_location(data):
    theta = jnp.median(data)
    for _ in range(5):
        theta = location_step(theta, data)
    return theta


@jax.jit
def one_sided_loss(theta, data):
    return positive_energy(data - theta)


def main():
    data = jnp.concatenate([jax.random.normal(jax.random.key(0), (40,)), jnp.array([30.0, 45.0])])
    theta = fit_location(data)
    print("eager check", float(trimmed_mean(data - theta, 2.5)))
    print("energy", float(positive_energy(data - theta)))
    print("location", float(theta))
    print("one sided", float(one_sided_loss(theta, data)))


if __name__ == "__main__":
    main()
