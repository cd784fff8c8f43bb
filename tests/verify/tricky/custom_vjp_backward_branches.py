"""Straight-through rounding and a gradient gate."""
import jax
import jax.numpy as jnp


@jax.custom_vjp
def gate(x, limit):
    return x


def gate_fwd(x, limit):
    return x, limit


def gate_bwd(limit, g):
    size = jnp.linalg.norm(g)
    if size > limit:  # OK trace-error
        g = g * (limit / size)
    return g, None


gate.defvjp(gate_fwd, gate_bwd)


@jax.custom_vjp
def quantise(x, levels):
    return jnp.round(x * levels) / levels


def quantise_fwd(x, levels):
    return quantise(x, levels), x


def quantise_bwd(x, g):
    if jnp.abs(x).max() > 1.0:  # BUG trace-error
        g = jnp.where(jnp.abs(x) > 1.0, 0.0, g)
    return g, None


quantise.defvjp(quantise_fwd, quantise_bwd)


def fit_gated(w, x, y):
    def loss(w):
        return jnp.mean((x @ gate(w, 0.5) - y) ** 2)

    for _ in range(10):
        w = w - 0.3 * jax.grad(loss)(w)
    return w


def quantised_loss(w, x, y):
    return jnp.mean((x @ quantise(w, 8.0) - y) ** 2)


def main():
    x = jax.random.normal(jax.random.key(0), (30, 3))
    w = jnp.array([0.5, -0.25, 0.75])
    y = x @ w
    print("gated", fit_gated(jnp.zeros(3), x, y))
    score = jax.jit(quantised_loss)
    print("quantised loss", score(w, x, y), score(1.5 * w, x, y))
    w, step = 1.5 * w, jax.jit(jax.grad(quantised_loss))
    for _ in range(3):
        w = w - 0.1 * step(w, x, y)
    print("quantised", w)


if __name__ == "__main__":
    main()
