"""Ballistics on several bodies; the compiled functions are built per body."""
import jax
import jax.numpy as jnp

WORLD = {"name": "earth", "g": 9.81, "dt": 0.05}


def step(state, _=None):
    pos, vel = state
    vel = vel - jnp.array([0.0, WORLD["g"]]) * WORLD["dt"]  # BUG stale
    return pos + vel * WORLD["dt"], vel


def apex(v0):
    return v0**2 / (2.0 * WORLD["g"])  # OK stale


def build():
    return jax.jit(step), jax.jit(jax.vmap(apex))


def fly(advance, speed, angle, n=20):
    pos = jnp.zeros(2)
    vel = speed * jnp.array([jnp.cos(angle), jnp.sin(angle)])
    for _ in range(n):
        pos, vel = advance((pos, vel))
    return pos


def report(advance, heights):
    print(WORLD["name"])
    print("  landing", fly(advance, 20.0, 0.9))
    print("  apexes ", heights(jnp.array([5.0, 10.0, 20.0])))


def main():
    for name, g in [("earth", 9.81), ("moon", 1.62), ("mars", 3.71)]:
        WORLD.update(name=name, g=g)
        report(*build())


if __name__ == "__main__":
    main()
