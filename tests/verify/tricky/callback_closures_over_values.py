"""Calling SciPy-like host code from a compiled filter, with captured parameters."""
import jax
import jax.numpy as jnp
import numpy as np


def host_median(x, radius):
    padded = np.pad(np.asarray(x), radius, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * radius + 1)
    return np.median(windows, axis=1).astype(np.float32)


def median_filter(x, radius):
    def call(v):
        return host_median(v, int(radius))  # OK trace-error

    return jax.pure_callback(call, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


def threshold_filter(x, cut):
    def call(v):
        v = np.asarray(v)
        return np.where(np.abs(v) < float(cut), v, np.float32(0.0))  # BUG trace-error

    return jax.pure_callback(call, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


@jax.jit
def denoise(x):
    return median_filter(x, x.shape[0] // 16)


@jax.jit
def despike(x):
    cut = 3.0 * jnp.std(x)
    return threshold_filter(x, cut)


def main():
    key = jax.random.key(0)
    t = jnp.linspace(0.0, 6.0, 64)
    x = jnp.sin(t) + 0.1 * jax.random.normal(key, t.shape)
    x = x.at[20].set(9.0)
    print("denoised", float(denoise(x).max()))
    print("with fixed cut", float(threshold_filter(x, 2.0).max()))
    print("despiked", float(despike(x).max()))


if __name__ == "__main__":
    main()
