"""Flax NNX regressor with dropout: two ways of compiling its forward pass."""
import jax
import jax.numpy as jnp
from flax import nnx


class Regressor(nnx.Module):
    def __init__(self, width, rngs):
        self.up = nnx.Linear(3, width, rngs=rngs)
        self.down = nnx.Linear(width, 1, rngs=rngs)
        self.noisy = True
        self.noise = 0.5

    def __call__(self, x, key):
        h = nnx.relu(self.up(x))
        if self.noisy:  # OK stale
            h = h + self.noise * jax.random.normal(key, h.shape)
        return self.down(h)[:, 0]


class Calibrator:
    def __init__(self):
        self.offset = 0.0
        self.scale = 1.0

    def correct(self, y):
        return self.scale * y + self.offset  # BUG stale


@nnx.jit
def forward(model, x, key):
    return model(x, key)


def main():
    x = jax.random.normal(jax.random.key(0), (10, 3))
    model = Regressor(8, nnx.Rngs(0))
    keys = jax.random.split(jax.random.key(1), 2)
    noisy = [forward(model, x, k) for k in keys]
    model.noisy = False
    plain = [forward(model, x, k) for k in keys]
    print("spread", float(jnp.abs(noisy[0] - noisy[1]).max()))
    print("spread", float(jnp.abs(plain[0] - plain[1]).max()))

    cal = Calibrator()
    correct = jax.jit(cal.correct)
    residual = float(jnp.mean(1.0 - correct(plain[0])))
    cal.offset = residual
    print("mean after calibration", float(correct(plain[0]).mean()))


if __name__ == "__main__":
    main()
