"""PID control of a cart, with an observer."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Pid(NamedTuple):
    integral: float = 0.0
    previous: float = 0.0


class Observer(NamedTuple):
    position: jax.Array
    velocity: jax.Array


@jax.jit
def control(pid, error, kp):
    integral = pid.integral + 0.05 * error
    rate = (error - pid.previous) / 0.05
    return Pid(integral, error), kp * error + 0.5 * integral + 0.1 * rate


@jax.jit
def observe(obs, measured, force):
    velocity = obs.velocity + 0.05 * force
    position = obs.position + 0.05 * velocity
    blend = 0.7 * position + 0.3 * measured
    return Observer(blend, velocity)


def main():
    jax.config.update("jax_enable_x64", True)
    pid = Pid()
    obs = Observer(jnp.zeros((), jnp.float32), jnp.zeros((), jnp.float32))
    truth, speed = 0.0, 0.0
    for k in range(20):
        kp = 2.0 if k < 10 else 1.5
        pid, force = control(pid, 1.0 - obs.position, kp)  # BUG recompile
        speed = speed + 0.05 * float(force)
        truth = truth + 0.05 * speed
        obs = observe(obs, truth, force)  # OK recompile
    print("position", float(obs.position), "truth", truth, "force", float(force))


if __name__ == "__main__":
    main()
