"""Implicit key streams: `Rng` hands out a new key each time it is asked."""
import jax
import jax.numpy as jnp


class Rng:
    def __init__(self, seed):
        self._key = jax.random.PRNGKey(seed)

    def __call__(self):
        with jax.ensure_compile_time_eval():
            self._key, sub = jax.random.split(self._key)  # OK leak
        return sub


rng = Rng(0)


@jax.jit
def orthogonal_init(like):
    q, _ = jnp.linalg.qr(jax.random.normal(rng(), like.shape))  # OK stale
    return q


@jax.jit
def exploration_noise(actions, scale):
    return actions + scale * jax.random.normal(rng(), actions.shape)  # BUG stale


def rollout(policy, obs, n):
    total = jnp.zeros(())
    for _ in range(n):
        act = exploration_noise(jnp.tanh(obs @ policy), 0.3)
        obs = 0.9 * obs + 0.1 * act
        total = total - jnp.sum(obs**2)
    return total, obs


def main():
    policy = orthogonal_init(jnp.zeros((4, 4)))
    head = orthogonal_init(jnp.zeros((4, 2)))
    total, obs = rollout(policy, jnp.ones(4), 10)
    print("return", float(total), "obs", obs @ head)
    print("fresh", jax.random.uniform(rng()))


if __name__ == "__main__":
    main()
