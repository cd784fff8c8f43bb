"""Signal pipeline where each stage is put together from a list of transforms."""
import functools
import time

import jax
import jax.numpy as jnp

SPANS = []


def with_span(fn):
    def inner(*args):
        t0 = time.perf_counter()
        result = fn(*args)
        SPANS.append((fn.__name__, time.perf_counter() - t0))  # BUG effect
        return result

    return inner


def apply_all(transforms, fn):
    return functools.reduce(lambda f, transform: transform(f), transforms, fn)


STAGE = [with_span, jax.jit]


def detrend(x):
    t = jnp.arange(x.shape[0], dtype=x.dtype)
    slope = jnp.polyfit(t, x, 1)
    return x - jnp.polyval(slope, t)


def window(x):
    return x * jnp.hanning(x.shape[0])


def spectrum(x):
    return jnp.abs(jnp.fft.rfft(x)) ** 2


def main():
    stages = [apply_all(STAGE, fn) for fn in (detrend, window, spectrum)]
    n_blocks = 6
    total = 0.0
    for block in range(n_blocks):
        x = jnp.sin(0.3 * jnp.arange(128.0) + block) + 0.01 * jnp.arange(128.0)
        for stage in stages:
            x = stage(x)
        total = total + x
    print("peak bin", int(jnp.argmax(total)))
    for name in ("detrend", "window", "spectrum"):
        spans = [dt for n, dt in SPANS if n == name]
        print(f"{name:9s} {len(spans)} spans, {1e3 * sum(spans) / n_blocks:.2f} ms per block")


if __name__ == "__main__":
    main()
