"""A declared list that grows in a branch of a loop: its content was of two kinds, which nothing could join."""

from dataclasses import dataclass, field

import jax


@jax.jit
def doubled(x):
    return x * 2


def noted(history: list[float], rounds, more):
    for value in rounds:
        history.append(value)
        if more:
            history.append(doubled(value))
    return history


@dataclass
class Server:
    losses: list[float] = field(default_factory=list)

    def simulate(self, rounds, more):
        for value in rounds:
            if more:
                self.losses.append(float(doubled(value)))
        return self.losses
