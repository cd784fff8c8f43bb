"""Activation statistics gathered in the forward passes of custom layers."""
import jax
import jax.numpy as jnp

SPREAD = []
PASSES = []
CAPTURED = {}


@jax.custom_vjp
def soft(x):
    return jax.nn.softplus(x)


def soft_fwd(x):
    SPREAD.append(x.std())  # OK leak
    return soft(x), jax.nn.sigmoid(x)


def soft_bwd(slope, g):
    return (g * slope,)


soft.defvjp(soft_fwd, soft_bwd)


@jax.custom_vjp
def swish(x):
    return x * jax.nn.sigmoid(x)


def swish_fwd(x):
    s = jax.nn.sigmoid(x)
    PASSES.append(x.shape)  # BUG effect
    CAPTURED["gate"] = s  # BUG leak
    return x * s, (x, s)


def swish_bwd(res, g):
    x, s = res
    return (g * (s + x * s * (1 - s)),)


swish.defvjp(swish_fwd, swish_bwd)


def loss(w, x, y, act):
    return jnp.mean((act(x @ w).sum(axis=1) - y) ** 2)


def main():
    x = jax.random.normal(jax.random.key(0), (32, 4))
    y = jnp.sin(x[:, 0])
    w = 0.3 * jnp.ones((4, 6))
    for _ in range(4):
        w = w - 0.02 * jax.grad(lambda w: loss(w, x, y, soft))(w)
    print("spread", [round(float(s), 4) for s in SPREAD])

    step = jax.jit(lambda w: w - 0.02 * jax.grad(loss)(w, x, y, swish))
    for _ in range(4):
        w = step(w)
    print("swish passes", len(PASSES))
    print("final", float(loss(w, x, y, swish)), sorted(CAPTURED))


if __name__ == "__main__":
    main()
