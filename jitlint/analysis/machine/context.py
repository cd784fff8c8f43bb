"""Where the interpreter stands: the trace around the code, a handler, a loop's exits, the root that runs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from jitlint.analysis.machine.store import Changes
from jitlint.events.event import Entry


@dataclass(frozen=True, eq=False, slots=True)
class Trace:
    """The transformations around the code that runs; None stands for no transformation.

    `staging`: every JAX operation is recorded, so that even constants become tracers. `concrete`: tracers made here
    keep their values (eager differentiation). `stage` is the depth of the outermost staging one (0: none), `cached`
    whether a compile cache keeps the result, `fresh` whether that cache ends with the running call. `entry` is where
    the outermost one that takes values away was applied. `guess`: what the trace itself rests on, if it is not in view.
    """

    parent: Trace | None
    transform: str
    depth: int
    staging: bool
    concrete: bool
    stage: int
    cached: bool
    fresh: bool
    entry: Entry
    guess: str = ""


@dataclass(slots=True)
class Handler:
    """An `except` clause, or a context manager, that catches what tracers raise."""

    text: str
    """Its source text."""
    broad: bool
    """Whether it takes every exception."""
    depth: int
    """The depth of the trace that it stands in."""
    deliberate: bool
    """Whether it is meant for tracers: it names JAX's errors, or uses the exception that it caught."""
    undecided: int
    """How many branches around it are taken on a test whose outcome is not known."""
    is_reached: bool = False
    """Whether what it guards certainly raises an error that it catches."""


@dataclass(slots=True)
class Loop:
    """A loop that is being run: its identity, and the states in which it was left or cut short."""

    identity: int
    mark: int = 0
    round_mark: int = 0
    breaks: list[Changes] = field(default_factory=list)
    continues: list[Changes] = field(default_factory=list)


Rank = tuple[int, int]
"""When a root has its turn among all of the component: the kind of root, then by which module it lies in."""


class Start(NamedTuple):
    """A root that was run for want of a caller: the identity of its function, and its rank."""

    identity: Hashable
    rank: Rank
