"""Monte-Carlo option pricing; the layout of the work follows the number of devices."""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp

N_PATHS = 2048


def terminal(key, n, spot, rate, vol):
    z = jax.random.normal(key, (n,))
    return spot * jnp.exp(rate - 0.5 * vol**2 + vol * z)


@jax.jit
def price_single(key, strike):
    paths = terminal(key, N_PATHS, 100.0, 0.03, 0.2)
    payoff = jnp.maximum(paths - strike, 0.0)
    if payoff.std() > 50.0:  # OK trace-error
        payoff = jnp.clip(payoff, 0.0, 200.0)
    return jnp.exp(-0.03) * payoff.mean()


def price_spread(key, strike):
    devices = jax.devices()
    parts = []
    for k, dev in zip(jax.random.split(key, len(devices)), devices):
        with jax.default_device(dev):
            paths = terminal(k, N_PATHS // len(devices), 100.0, 0.03, 0.2)
            parts.append(jnp.maximum(paths - strike, 0.0).mean())
    worst = max(float(p) for p in parts)
    return sum(float(p) for p in parts) / len(parts), worst


@jax.jit
def combine(values):
    if len(jax.devices()) > 2:
        spread = values.max() - values.min()
        if spread > 1.0:  # BUG trace-error
            return jnp.median(values)
    return values.mean()


def main():
    key = jax.random.key(11)
    if len(jax.local_devices()) == 1:
        print("single", float(price_single(key, 105.0)))
        return
    values = []
    for strike in (95.0, 105.0):
        mean, worst = price_spread(key, strike)
        print(f"strike {strike}: {mean:.3f} worst {worst:.3f}")
        values.append(mean)
    print("basket", float(combine(jnp.array(values))))


if __name__ == "__main__":
    main()
