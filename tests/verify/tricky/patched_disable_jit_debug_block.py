"""Conjugate gradients, stepped through once without compilation."""
import jax
import jax.numpy as jnp
from jax import lax

inspected = []


@jax.jit
def cg(a, b, tol):
    def keep_going(state):
        _, r, _, k = state
        return (r @ r > tol**2) & (k < 50)

    def body(state):
        x, r, p, k = state
        ap = a @ p
        alpha = (r @ r) / (p @ ap)
        x, r_new = x + alpha * p, r - alpha * ap
        beta = (r_new @ r_new) / (r @ r)
        return x, r_new, r_new + beta * p, k + 1

    x, r, _, k = lax.while_loop(keep_going, body, (jnp.zeros_like(b), b, b, 0))
    return x, jnp.linalg.norm(r), k


@jax.jit
def explain(a, b, tol):
    x, res, k = cg(a, b, tol)
    if res > tol:  # OK trace-error
        return x, f"not converged after {int(k)}"
    return x, f"converged in {k}, residual {res:.1e}"


@jax.jit
def condition(a):
    inspected.append(a.shape)  # BUG effect
    eig = jnp.linalg.eigvalsh(a)
    return eig[-1] / eig[0]


def main():
    m = jax.random.normal(jax.random.key(0), (8, 8))
    a = m @ m.T + jnp.eye(8)
    b = jnp.arange(8.0)
    x, res, k = cg(a, b, 1e-4)
    print("compiled", int(k), "condition", float(condition(a)))
    with jax.disable_jit():
        x_slow, message = explain(a, b, 1e-4)
        condition(a)
    for shift in (1.0, 10.0):
        print("shifted by", shift, "condition", float(condition(a + shift * jnp.eye(8))))
    print(message, "difference", float(jnp.abs(x - x_slow).max()))
    print("matrices inspected", len(inspected))


if __name__ == "__main__":
    main()
