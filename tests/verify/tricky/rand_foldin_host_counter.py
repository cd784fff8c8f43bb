"""A stateful sampler in the manner of numpy's Generator, with a counter on the host."""
import jax
import jax.numpy as jnp


class Sampler:
    def __init__(self, seed, dim):
        self.key = jax.random.key(seed)
        self.dim = dim
        self.count = 0
        self._draw = jax.jit(self._draw_impl)

    def _draw_impl(self, mean, scale):
        key = jax.random.fold_in(self.key, self.count)  # BUG stale
        return mean + scale * jax.random.normal(key, (self.dim,))

    def draw(self, mean, scale):
        out = self._draw(mean, scale)
        self.count += 1
        return out


def log_prob(z):
    return -0.5 * jnp.sum(z**2) - jnp.sum(jnp.cos(2 * z))


@jax.jit
def accept(key, current, proposal):
    ratio = log_prob(proposal) - log_prob(current)
    ok = jnp.log(jax.random.uniform(key)) < ratio
    return jnp.where(ok, proposal, current), ok


def metropolis(sampler, key, n):
    state = jnp.zeros(sampler.dim)
    accepted = 0
    for key in jax.random.split(key, n):
        proposal = sampler.draw(state, 0.7)
        state, ok = accept(key, state, proposal)
        accepted += int(ok)
    return state, accepted / n


def main():
    sampler = Sampler(seed=5, dim=2)
    state, rate = metropolis(sampler, jax.random.key(1), 25)
    print("state", state, "rate", rate, "draws", sampler.count)


if __name__ == "__main__":
    main()
