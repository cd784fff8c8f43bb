"""Special methods of project classes, and calls with a star of unknown length."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check

PROLOGUE = """\
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Columns(NamedTuple):
    data: jax.Array
    names: tuple

    def __getitem__(self, name):
        return self.data[self.names.index(name)]

    def __len__(self):
        return len(self.names)

    def __add__(self, other):
        return Columns(self.data + other, self.names)


class Bag:
    def __init__(self, values):
        self.values = values

    def __iter__(self):
        yield from self.values

    def __contains__(self, value):
        return any(v is value for v in self.values)

    def __len__(self):
        return len(self.values)

    def __neg__(self):
        return Bag([-v for v in self.values])

    def __gt__(self, limit):
        return self.values[0] > limit


class Countdown:
    def __init__(self, value):
        self.value = value

    def __iter__(self):
        return self

    def __next__(self):
        return self.value


class Rows:
    def __init__(self, table):
        self.table = table

    def __getitem__(self, index):
        return self.table[index]


@jax.jit
def f(x, names=("a", "b")):
"""

BODIES = {
    "item of a NamedTuple": """
        columns = Columns(x, ("a", "b"))
        if len(columns) == 2 and columns.names: x = x + 1
        if columns["a"] > 0: x = x + 1  # expect: JIT101
    """,
    "operator of a NamedTuple": """
        columns = Columns(x, ("a", "b")) + 1
        if columns.names: x = x + 1
        if columns.data[0] > 0: x = x + 1  # expect: JIT101
    """,
    "iteration over an object": """
        for value in Bag([x, x]):
            if value is not None: x = x + 1
            if value[0] > 0: x = x + 1  # expect: JIT101
        for value in Bag([1, 2]):
            if value: x = x + 1
    """,
    "unpacking and display of an object": """
        first, _ = Bag([x[0], x[1]])
        parts = [*Bag([x[0]])]
        if parts: x = x + 1
        if first > 0: x = x + 1  # expect: JIT101
        if parts[0] > 0: x = x + 1  # expect: JIT101
    """,
    "iterator of the project": """
        for value in Countdown(x[0]):
            if value > 0: x = x + 1  # expect: JIT101
            break
    """,
    "iteration by index": """
        for row in Rows(x):
            if row > 0: x = x + 1  # expect: JIT101
    """,
    "membership asks the object": """
        bag = Bag([x, 1])
        if x in bag or len(bag) > 5: x = x + 1
        if x[0] in [1, 2]: x = x + 1  # expect: JIT108
    """,
    "truth by length": """
        if Bag([x]) and not Bag([]): x = x + 1
    """,
    "negation and reflected comparison": """
        for value in -Bag([x[0]]):
            if value > 0: x = x + 1  # expect: JIT101
        if 0 < Bag([x[0]]): x = x + 1  # expect: JIT101
    """,
    "an array in the last place of a chain": """
        inside = 0 < len(names) <= x[0]
        if inside: x = x + 1  # expect: JIT101
    """,
}


@pytest.mark.parametrize("name", BODIES)
def test_special_methods(tmp_path: Path, name: str) -> None:
    check(tmp_path, PROLOGUE + BODIES[name].replace("\n        ", "\n    ") + "\n    return x\n")


def test_a_star_ends_with_the_parameters_that_need_it(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        from functools import partial

        import jax

        @jax.jit
        def scaled(x, y, power=2):
            if power > 1:
                x = x * power
            if y > 0:  # expect: JIT101
                x = x + y
            return x

        @partial(jax.jit, static_argnums=2)
        def repeated(x, y, times):
            return sum(x * y for _ in range(times))

        def run(*arrays):
            return scaled(*arrays), repeated(*arrays)
        """,
    )
