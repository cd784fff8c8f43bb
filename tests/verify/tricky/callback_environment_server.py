"""A host-side grid world stepped from compiled rollouts through io_callback."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

STATS = {"resets": 0, "episodes": 0}


class GridWorld:
    def __init__(self, size, wind):
        self.size = size
        self.wind = wind
        self.pos = np.zeros(2, np.int32)

    def step(self, action):
        moves = [(0, 1), (1, 0), (0, -1), (-1, 0)]
        if action < 2:  # OK trace-error
            self.pos = self.pos + np.array([self.wind, 0], np.int32)  # OK stale
        self.pos = np.clip(self.pos + moves[int(action)], 0, self.size - 1).astype(np.int32)
        reached = bool((self.pos == self.size - 1).all())
        if reached:
            STATS["resets"] += 1  # OK effect
            self.pos = np.zeros(2, np.int32)
        return self.pos, np.float32(reached)


world = GridWorld(size=4, wind=0)
SPEC = (jax.ShapeDtypeStruct((2,), jnp.int32), jax.ShapeDtypeStruct((), jnp.float32))


@jax.jit
def episode(key):
    STATS["episodes"] += 1  # BUG effect

    def tick(carry, k):
        action = jax.random.randint(k, (), 0, 2)
        pos, reward = io_callback(world.step, SPEC, action, ordered=True)
        return carry + reward, pos

    total, path = jax.lax.scan(tick, 0.0, jax.random.split(key, 12))
    return total, path[-1]


def main():
    key = jax.random.key(7)
    for i, wind in enumerate((0, 1, 2)):
        world.wind = wind
        total, last = episode(jax.random.fold_in(key, i))
        print("wind", wind, "return", float(total), "last", last)
    jax.effects_barrier()
    print(STATS)


if __name__ == "__main__":
    main()
