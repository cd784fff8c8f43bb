"""What was seen of a suite while it ran."""

from __future__ import annotations

from typing import TypedDict

from tests.mutants.observed import Line


class Failure(TypedDict):
    """An error of tracing: where it was raised (the innermost frame in the tree), and which frames it left.

    `left` is the path of the outermost file that it left: a file of tests if nothing in the package caught it.
    `callers` are the places in the tree from which the place was called, the innermost first.
    """

    path: str
    line: int
    error: str
    left: str
    callers: list[tuple[str, int]]


class File(TypedDict):
    """`lines` (by their number, as text) ran while JAX traced; `eager` are those that ran without."""

    lines: dict[str, Line]
    eager: list[int]


class Watched(TypedDict):
    """`tests` counts the outcomes; `late` says whether the time was over before all tests had run."""

    tests: dict[str, int]
    late: bool
    files: dict[str, File]
    failures: list[Failure]
