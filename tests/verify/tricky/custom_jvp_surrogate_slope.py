"""Spiking neuron with a surrogate slope that sharpens while training goes on."""
import jax
import jax.numpy as jnp

SURROGATE = {"sharpness": 1.0, "threshold": 0.5}
SCORE = {"temperature": 4.0}


@jax.custom_jvp
def spike(v):
    return (v > SURROGATE["threshold"]).astype(v.dtype)  # OK stale


@spike.defjvp
def _spike_jvp(primals, tangents):
    (v,), (dv,) = primals, tangents
    k = SURROGATE["sharpness"]  # BUG stale
    z = k * (v - SURROGATE["threshold"])
    return spike(v), k * jax.nn.sigmoid(z) * (1 - jax.nn.sigmoid(z)) * dv


@jax.custom_jvp
def soft_count(v):
    return jax.nn.sigmoid(v).sum()


@soft_count.defjvp
def _soft_count_jvp(primals, tangents):
    (v,), (dv,) = primals, tangents
    s = jax.nn.sigmoid(v / SCORE["temperature"])  # OK stale
    return soft_count(v), jnp.vdot(s * (1 - s), dv)


def rate_loss(w, current, target):
    def tick(v, i):
        v = 0.9 * v + i @ w
        s = spike(v)
        return v * (1 - s), s

    _, spikes = jax.lax.scan(tick, jnp.zeros(w.shape[1]), current)
    return jnp.mean((spikes.mean(axis=0) - target) ** 2)


def main():
    key = jax.random.key(4)
    current = jax.random.uniform(key, (40, 3))
    w = 0.3 * jax.random.normal(key, (3, 5))
    target = jnp.full(5, 0.2)
    grad = jax.jit(jax.grad(rate_loss))
    for sharpness in (1.0, 5.0, 25.0):
        SURROGATE["sharpness"] = sharpness
        w = w - 0.5 * grad(w, current, target)
        SCORE["temperature"] = 4.0 / sharpness
        count_slope = jax.grad(soft_count)(w[0])
        print(sharpness, float(jnp.abs(w).sum()), float(count_slope.sum()))


if __name__ == "__main__":
    main()
