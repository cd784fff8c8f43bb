"""Discrete-event queue whose holding cost depends on the simulated clock."""
import heapq
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp


@dataclass
class SimClock:
    epoch: float = 10.0
    now: float = 10.0

    def advance_to(self, t):
        self.now = max(self.now, t)


@dataclass
class Warehouse:
    clock: SimClock
    stock: jax.Array
    history: list = field(default_factory=list)

    def __post_init__(self):
        @jax.jit
        def holding_cost(stock, rate):
            age = self.clock.now - self.clock.epoch  # BUG stale
            return jnp.sum(stock) * rate * age

        @jax.jit
        def withdraw(stock, item, amount):
            opened = jnp.maximum(self.clock.epoch, 0.0)  # OK stale
            taken = jnp.minimum(stock[item], amount)
            return stock.at[item].add(-taken), taken + 0.0 * opened

        self.holding_cost, self.withdraw = holding_cost, withdraw

    def handle(self, item, amount):
        self.stock, taken = self.withdraw(self.stock, item, amount)
        cost = self.holding_cost(self.stock, 0.01)
        self.history.append((self.clock.now, float(taken), float(cost)))


def main():
    clock = SimClock()
    house = Warehouse(clock, jnp.array([50.0, 20.0, 80.0]))
    events = [(11.0, 0, 5.0), (17.5, 2, 30.0), (12.0, 1, 25.0), (30.0, 0, 1.0)]
    heapq.heapify(events)
    while events:
        t, item, amount = heapq.heappop(events)
        clock.advance_to(t)
        house.handle(item, amount)
    for row in house.history:
        print("t=%.1f taken=%.1f cost=%.3f" % row)


if __name__ == "__main__":
    main()
