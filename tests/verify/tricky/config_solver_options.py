"""Descent solvers assembled from an options dict."""
import jax
import jax.numpy as jnp

DEFAULTS = {"search": "fixed", "stop": "budget", "step": 0.1}


def armijo(f, x, g):
    t = 1.0
    while f(x - t * g) > f(x) - 0.3 * t * (g @ g):  # OK trace-error
        t *= 0.5
    return t


def norm_rule(x, g):
    if jnp.linalg.norm(g) < 1e-3:  # BUG trace-error
        return x, True
    return x, False


def budget_rule(x, g):
    return x, False


SEARCHES = {"fixed": lambda f, x, g: 0.1, "armijo": armijo}
STOPS = {"budget": budget_rule, "norm": norm_rule}


def make_solver(f, **options):
    opts = {**DEFAULTS, **options}
    search, stop = SEARCHES[opts["search"]], STOPS[opts["stop"]]

    def solve(x):
        for _ in range(8):
            g = jax.grad(f)(x)
            x, done = stop(x, g)
            if done:
                break
            x = x - search(f, x, g) * g
        return x

    return solve


def bowl(x):
    return jnp.sum(jnp.array([1.0, 4.0, 2.0]) * (x - 1.0) ** 2)


def minimise(x, compiled=True, **options):
    solve = make_solver(bowl, **options)
    if compiled:
        try:
            return jax.jit(solve)(x)
        except jax.errors.JAXTypeError:
            print("not compiled:", options)
    return solve(x)


def main():
    x = jnp.zeros(3)
    print("plain", minimise(x))
    print("armijo", minimise(x, compiled=False, search="armijo"))
    print("norm", minimise(x, stop="norm"))


if __name__ == "__main__":
    main()
