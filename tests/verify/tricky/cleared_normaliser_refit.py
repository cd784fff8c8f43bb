"""Streaming standardiser: statistics are refitted on every chunk of sensor data."""
import jax
import jax.numpy as jnp
import numpy as np


class Standardiser:
    def __init__(self, dim):
        self.mean = np.zeros(dim, np.float32)
        self.std = np.ones(dim, np.float32)
        self.clip = 8.0
        self.apply = jax.jit(self._apply)

    def _apply(self, chunk):
        z = (chunk - self.mean) / self.std  # BUG stale
        return jnp.clip(z, -self.clip, self.clip)

    def refit(self, chunk):
        jax.clear_caches()
        before = np.asarray(self.apply(chunk))
        self.mean = chunk.mean(axis=0)
        self.std = chunk.std(axis=0) + 1e-6
        return np.abs(before).max()


def stream(seed, n_chunks, dim):
    rng = np.random.default_rng(seed)
    for i in range(n_chunks):
        yield rng.normal(3.0 * i, 1.0 + i, size=(50, dim)).astype(np.float32)


def main():
    scaler = Standardiser(dim=3)
    for i, chunk in enumerate(stream(0, 4, 3)):
        widest = scaler.refit(chunk)
        z = scaler.apply(chunk)
        print(f"chunk {i}: widest before {widest:.2f} mean {float(z.mean()):.3f} std {float(z.std()):.3f}")


if __name__ == "__main__":
    main()
