"""A sensor read on the host from within a compiled control loop."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback


class Sensor:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.readings = []

    def read(self, true_value):
        value = np.float32(true_value + 0.1 * self.rng.normal())  # OK stale
        self.readings.append(float(value))  # OK effect
        return value


def make_loop(sensor, weather, gain):
    spec = jax.ShapeDtypeStruct((), jnp.float32)

    @jax.jit
    def tick(temp, target):
        measured = io_callback(sensor.read, spec, temp, ordered=True)
        heat = gain * (target - measured)
        outside = 15.0 + 2.0 * weather.normal()  # BUG stale
        return temp + 0.1 * heat - 0.02 * (temp - outside), measured

    return tick


def main():
    sensor = Sensor(seed=12)
    tick = make_loop(sensor, np.random.default_rng(1), gain=1.5)
    temp = jnp.float32(16.0)
    for minute in range(12):
        temp, measured = tick(temp, 21.0)
    temp.block_until_ready()
    print("temp", float(temp), "last reading", float(measured))
    print("n readings", len(sensor.readings), "std", np.std(np.diff(sensor.readings)))


if __name__ == "__main__":
    main()
