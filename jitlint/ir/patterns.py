"""Patterns of `match` statements."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, Union

from jitlint.ir.expressions import Expr
from jitlint.source.places import Span


class ValuePattern(NamedTuple):
    """Compares with `==` (constants and dotted names; None, True and False with `is`)."""

    span: Span
    value: Expr


class CapturePattern(NamedTuple):
    """Binds `name` (None for `_`) to whatever `pattern` matched (anything if None)."""

    span: Span
    name: str | None
    pattern: Pattern | None


class SequencePattern(NamedTuple):
    """Elements may hold one StarPattern."""

    span: Span
    patterns: tuple[Pattern, ...]


class StarPattern(NamedTuple):
    span: Span
    name: str | None


class MappingPattern(NamedTuple):
    span: Span
    items: tuple[tuple[Expr, Pattern], ...]
    rest: str | None


class ClassPattern(NamedTuple):
    span: Span
    cls: Expr
    patterns: tuple[Pattern, ...]
    keywords: tuple[tuple[str, Pattern], ...]


class OrPattern(NamedTuple):
    span: Span
    patterns: tuple[Pattern, ...]


Pattern: TypeAlias = Union[
    ValuePattern, CapturePattern, SequencePattern, StarPattern, MappingPattern, ClassPattern, OrPattern
]
