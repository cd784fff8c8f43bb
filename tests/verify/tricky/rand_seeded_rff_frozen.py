"""Random Fourier features; the frequencies are rebuilt from the seed on demand."""
import dataclasses
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass(frozen=True)
class FourierFeatures:
    dim: int
    n_features: int
    lengthscale: float = 1.0
    seed: int = 0

    def frequencies(self):
        rng = np.random.default_rng(self.seed)
        omega = rng.normal(size=(self.dim, self.n_features)) / self.lengthscale  # OK stale
        phase = rng.uniform(0.0, 2 * np.pi, size=self.n_features)
        return omega.astype(np.float32), phase.astype(np.float32)

    @partial(jax.jit, static_argnums=0)
    def __call__(self, x):
        omega, phase = self.frequencies()
        return jnp.sqrt(2.0 / self.n_features) * jnp.cos(x @ omega + phase)


@jax.jit
def ridge(phi, y, lam):
    gram = phi.T @ phi + lam * jnp.eye(phi.shape[1])
    return jnp.linalg.solve(gram, phi.T @ y)


def main():
    x = jnp.linspace(-2.0, 2.0, 64)[:, None]
    y = jnp.sin(3 * x[:, 0])
    base = FourierFeatures(dim=1, n_features=40, lengthscale=0.5)
    preds = []
    for seed in range(4):
        features = dataclasses.replace(base, seed=seed)
        weights = ridge(features(x), y, 1e-3)
        preds.append(features(x) @ weights)
    preds = jnp.stack(preds)
    print("rmse", jnp.sqrt(jnp.mean((preds.mean(0) - y) ** 2)))
    print("spread", jnp.std(preds, axis=0).max())


if __name__ == "__main__":
    main()
