"""Sensor calibrated in double precision and run in single precision."""
import jax
import jax.numpy as jnp
import numpy as np


class Sensor:
    def __init__(self):
        self.gain = 1.0
        self.offset = 0.0

        def response(volts):
            return self.gain * jnp.log1p(volts)  # OK stale

        def level(counts):
            return counts * 0.01 - self.offset  # BUG stale

        self.response = jax.jit(response)
        self.level = jax.jit(level)

    def calibrate(self, volts, reference):
        with jax.enable_x64(True):
            phi = jnp.log1p(jnp.asarray(volts))
            self.gain = float(phi @ reference / (phi @ phi))
            fitted = self.response(volts)
            self.offset = float(jnp.mean(fitted - reference)) + 0.25
            return float(jnp.abs(fitted - reference).max())


def main():
    volts = np.linspace(0.0, 2.0, 9)
    reference = 1.7 * np.log1p(volts)
    sensor = Sensor()
    counts = jnp.arange(5.0)
    print("raw", sensor.response(volts)[-1], sensor.level(counts))
    print("calibration error", sensor.calibrate(volts, reference))
    print("gain", sensor.gain, "offset", sensor.offset)
    print("levels", sensor.level(counts))


if __name__ == "__main__":
    main()
