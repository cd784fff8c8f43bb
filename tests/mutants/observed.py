"""What was seen of a program while it was traced."""

from __future__ import annotations

from typing import TypedDict


class Leaf(TypedDict):
    """A tracer that a variable holds: how to reach it from the variable, its shape and dtype."""

    access: str
    shape: list[int]
    dtype: str


class Variable(TypedDict):
    """`stages` are all seen at this line (tracer, contains, array, static); `own` is false for a closure's variable."""

    stages: list[str]
    leaves: list[Leaf]
    own: bool


class Line(TypedDict):
    """A line about to run, in the function named, whose first line is `start`."""

    function: str
    start: int
    variables: dict[str, Variable]
