"""A whole file."""

from __future__ import annotations

from typing import NamedTuple

from jitlint.ir.statements import Import, ImportFrom, Stmt


class Suite(NamedTuple):
    """The body of a function that lies in no other function, and what other modules know of it without running it.

    `start` and `end` are character offsets; `assigned` and `augmented` the attributes of `self` that it sets, as in
    ClassDef.
    """

    start: int
    end: int
    is_generator: bool
    assigned: frozenset[str]
    augmented: frozenset[str]


class Module(NamedTuple):
    """One file. `locals` are the names bound at its top level, `imports` all its imports (those in functions, too) and
    `rebound` the names that its functions and classes declare `global`. `popped` are the variables and attributes of
    which it asks a `pop` anywhere. Body, imports and suites are in source order.
    """

    body: tuple[Stmt, ...]
    locals: frozenset[str]
    imports: tuple[Import | ImportFrom, ...] = ()
    suites: tuple[Suite, ...] = ()
    rebound: frozenset[str] = frozenset()
    popped: frozenset[str] = frozenset()
