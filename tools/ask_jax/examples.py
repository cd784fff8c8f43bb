"""Examples of arguments: which arrays are in them, what they are filled with, and what else could stand there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tools.ask_jax.calling import SIDE, Arr

MIXED = "mixed"
"""Stands for a kind: the first array of several int, the others float."""

DTYPES = ("float32", "int32", "bool", "complex64")


@dataclass(frozen=True)
class Fill:
    """The kind, rank and side of the arrays in a call; `single` has the kind and rank of one argument's by its name."""

    kind: str
    rank: int
    side: int = SIDE
    single: tuple[str, str, int] = ("", "", 0)

    def filled(self, name: str, value: Any) -> Any:
        """An argument's example with arrays that leave nothing open."""
        kind, rank = self.single[1:] if name == self.single[0] else (self.kind, self.rank)
        return _filled(value, kind, rank, self.side)


def _filled(value: Any, kind: str, rank: int, side: int = SIDE) -> Any:
    if isinstance(value, Arr):
        return value.filled("float" if kind == MIXED else kind, rank, side)
    if type(value) in (tuple, list):
        kinds = ["int" if kind == MIXED and i == 0 else kind for i in range(len(value))]
        return type(value)(_filled(part, each, rank, side) for part, each in zip(value, kinds, strict=True))
    return {key: _filled(part, kind, rank, side) for key, part in value.items()} if type(value) is dict else value


def flat(value: Any) -> Iterator[Any]:
    """The parts of an example that are no containers."""
    if type(value) in (tuple, list):
        for part in value:
            yield from flat(part)
    elif type(value) is dict:
        yield from flat(list(value.values()))
    else:
        yield value


def has_array(value: Any) -> bool:
    """Whether there is an array in an example."""
    return any(isinstance(part, Arr) for part in flat(value))


def is_size(example: Any) -> bool:
    """Whether an example is a tuple of integers."""
    return type(example) is tuple and bool(example) and all(type(part) is int for part in example)


def variants(value: Any) -> list[Any]:
    """Other examples for sizes and dtypes."""
    if type(value) is int:
        return [value + 1, (value, value + 1), (value,)]
    if type(value) is tuple and all(type(part) is int for part in value):
        return [value[1:], (value[0], *value), value[0]] if value else [(4,), (4, 4)]
    if type(value) in (tuple, list) and any(isinstance(part, Arr) for part in value):
        return [type(value)((value[0], *value))]
    if type(value) is dict:
        return [{**value, "more": Arr()}]
    if isinstance(value, str) and value in DTYPES:
        return [name for name in DTYPES if name != value]
    return []
