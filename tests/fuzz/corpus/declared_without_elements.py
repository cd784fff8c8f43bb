"""A list of nothing, and of a tuple of nothing, as annotations."""

import dataclasses

import jax


@dataclasses.dataclass
class Table:
    rows: list[()]
    names: dict[()]
    pairs: list[tuple[()]]

    def row(self, i):
        return self.rows[i], self.names[i], self.pairs[i]


def looked_up(table: Table, more: list[()]):
    return jax.jit(lambda i: (table.row(i), more[i]))
