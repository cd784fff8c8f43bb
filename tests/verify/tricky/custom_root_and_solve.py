"""Implicit differentiation with lax.custom_root and lax.custom_linear_solve."""
import jax
import jax.numpy as jnp


def newton(f, x0):
    x = x0
    for _ in range(20):
        x = x - f(x) / jax.grad(f)(x)
    return x


def newton_until(f, x0):
    x = x0
    while jnp.abs(f(x)) > 1e-5:  # BUG trace-error
        x = x - f(x) / jax.grad(f)(x)
    return x


def divide(g, y):
    slope = g(1.0)
    return y / slope


def cube_root(a):
    return jax.lax.custom_root(lambda x: x**3 - a, jnp.float32(1.0), newton, divide)


def bracket_check(lo, hi, f):
    if f(lo) * f(hi) > 0:  # OK trace-error
        raise ValueError("no sign change")


def kepler(mean_anomaly, ecc):
    def residual(x):
        return x - ecc * jnp.sin(x) - mean_anomaly

    bracket_check(mean_anomaly - 1.0, mean_anomaly + 1.0, residual)
    return jax.lax.custom_root(residual, mean_anomaly, newton_until, divide)


def damped(diag, rhs):
    def solve(matvec, b):
        x = b
        for _ in range(30):
            x = x + 0.3 * (b - matvec(x))
        return x

    if diag.min() <= 0.0:
        raise ValueError("not positive")
    return jax.lax.custom_linear_solve(lambda v: diag * v, rhs, solve, symmetric=True)


def main():
    print("cube root", cube_root(8.0), jax.grad(cube_root)(8.0))
    diag = jnp.array([1.0, 2.0, 3.0])
    print("solve", damped(diag, jnp.ones(3)))
    print("d solve", jax.grad(lambda b: damped(diag, b).sum())(jnp.ones(3)))
    print("kepler", kepler(jnp.float32(0.8), 0.3))


if __name__ == "__main__":
    main()
