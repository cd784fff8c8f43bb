"""Loop carries of several types: a queue simulator and its summary statistics."""
import jax
import jax.numpy as jnp


def waiting_times(gaps, service):
    def serve(wait, pair):
        gap, work = pair
        wait = jnp.maximum(wait + work - gap, 0.0)
        return wait, wait

    return jax.lax.scan(serve, 0, (gaps, service))  # OK trace-error


def geometric_tail(rate):
    return jax.lax.while_loop(lambda c: c[1] > 1e-3, lambda c: (c[0] + 1, c[1] * rate), (0, 1))  # OK trace-error


def discount(idle, cost):
    return jax.lax.cond(idle > 0.5, lambda c: 0.0, lambda c: c * (1.0 - idle), cost)  # OK trace-error


def running_max(waits):
    def push(i, best):
        return jnp.maximum(best, waits[i, None])

    return jax.lax.fori_loop(0, waits.shape[0], push, waits[0])  # BUG trace-error


def main():
    k1, k2 = jax.random.split(jax.random.key(0))
    gaps = jax.random.exponential(k1, (50,))
    service = 0.8 * jax.random.exponential(k2, (50,))
    last, waits = jax.jit(waiting_times)(gaps, service)
    print("last", float(last), "mean", float(waits.mean()))
    print("tail", geometric_tail(jnp.float32(0.8)))
    idle = jnp.mean(waits == 0.0)
    print("cost", jax.jit(discount)(idle, jnp.float32(12.0)))
    print("max", running_max(waits))


if __name__ == "__main__":
    main()
