"""Stack machine and reward shaping with plain Python start values."""
import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_enable_x64", True)


def discounted(rewards, gamma):
    def body(acc, r):
        acc = r + gamma * acc
        return acc, acc

    return lax.scan(body, 0, rewards, reverse=True)[1]  # OK trace-error


def first_above(xs, level):
    def cond(state):
        i, best = state
        return (i < xs.shape[0]) & (best < level)

    def body(state):
        i, best = state
        return i + 1, jnp.maximum(best, xs[i])

    return lax.while_loop(cond, body, (0, 0))


def bonus(reached, value):
    return lax.cond(reached, lambda: 0.5 * value, lambda: 0)  # BUG trace-error


@jax.jit
def shaped_return(rewards, level):
    returns = discounted(rewards, 0.9)
    index, best = first_above(rewards, level)
    return returns[0] + bonus(best >= level, best), index


def main():
    rewards = jnp.array([0.1, 0.4, 0.2, 1.3, 0.0])
    print("returns", discounted(rewards, 0.9))
    print("first above", first_above(rewards, 1.0))
    print("shaped", shaped_return(rewards, 1.0))


if __name__ == "__main__":
    main()
