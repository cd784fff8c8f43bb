"""A whole file."""

from __future__ import annotations

from typing import NamedTuple

from jitlint.ir.statements import Import, ImportFrom, Stmt
from jitlint.source.places import Span


class Module(NamedTuple):
    """One file. `body` in source order; `locals` the names bound at top level; `imports` all of them, also those in
    functions; `suites` the bodies of functions that lie in no other function."""

    body: tuple[Stmt, ...]
    locals: frozenset[str]
    imports: tuple[Import | ImportFrom, ...] = ()
    suites: tuple[Span, ...] = ()
