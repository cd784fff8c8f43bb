"""Piecewise losses written with plain `if`, for stepping in the debugger."""
import jax
import jax.numpy as jnp

DEBUG = True


@jax.jit
def huber(r, delta):
    if abs(r) <= delta:  # OK trace-error
        return 0.5 * r**2
    return delta * (abs(r) - 0.5 * delta)


@jax.jit
def pinball(r, q):
    if r >= 0:  # BUG trace-error
        return q * r
    return (q - 1.0) * r


def fit_huber(ys, lr=0.2, steps=8):
    theta = 0.0
    slope = jax.grad(lambda t, y: huber(y - t, 1.0))
    for _ in range(steps):
        g = sum(slope(theta, y) for y in ys) / len(ys)
        theta = theta - lr * g
    return theta


def quantile_loss(theta, ys, q):
    return jax.vmap(pinball, in_axes=(0, None))(ys - theta, q).mean()


def main():
    if DEBUG:
        jax.config.update("jax_disable_jit", True)
    ys = jnp.array([0.5, 1.0, 1.5, 9.0])
    theta = fit_huber([float(y) for y in ys])
    print("huber location", float(theta))
    print("pinball", [float(pinball(y - theta, 0.9)) for y in ys])
    print("quantile loss", float(quantile_loss(theta, ys, 0.9)))


if __name__ == "__main__":
    main()
