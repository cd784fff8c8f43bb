"""Expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Union

from jitlint.source.places import Span

if TYPE_CHECKING:
    from jitlint.ir.functions import Function


class Const(NamedTuple):
    """A literal: None, bool, int, float, complex, str, bytes or Ellipsis."""

    span: Span
    value: Any


class Name(NamedTuple):
    span: Span
    name: str


class Attribute(NamedTuple):
    """`value.name`; `name_span` covers the name alone."""

    span: Span
    value: Expr
    name: str
    name_span: Span


class Subscript(NamedTuple):
    """`value[item]`; several indices arrive as one tuple Display, slices as Slice."""

    span: Span
    value: Expr
    item: Expr


class Slice(NamedTuple):
    span: Span
    lower: Expr | None
    upper: Expr | None
    step: Expr | None


class Argument(NamedTuple):
    """One argument of a call. `star` is "", "*" or "**"; `keyword` is None for positional ones."""

    span: Span
    star: str
    keyword: str | None
    value: Expr


class Call(NamedTuple):
    span: Span
    function: Expr
    arguments: tuple[Argument, ...]


class Binary(NamedTuple):
    """`left op right` with op one of + - * / // % ** @ & | ^ << >>."""

    span: Span
    op: str
    left: Expr
    right: Expr


class Unary(NamedTuple):
    """op is one of - + ~ not."""

    span: Span
    op: str
    operand: Expr


class Compare(NamedTuple):
    """`first op1 rest1 op2 rest2 …` with ops of < <= > >= == != is, is not, in, not in."""

    span: Span
    first: Expr
    ops: tuple[str, ...]
    rest: tuple[Expr, ...]


class BoolOp(NamedTuple):
    """`left op right`, op is `and` or `or`; `a and b and c` is `(a and b) and c`."""

    span: Span
    op: str
    left: Expr
    right: Expr


class IfExp(NamedTuple):
    span: Span
    test: Expr
    body: Expr
    orelse: Expr


class Display(NamedTuple):
    """A tuple, list or set display; `kind` is "tuple", "list" or "set"; elements may be Starred."""

    span: Span
    kind: str
    elements: tuple[Expr, ...]


class DictDisplay(NamedTuple):
    """A dict display; an item whose key is None is `**value`."""

    span: Span
    items: tuple[tuple[Expr | None, Expr], ...]


class Starred(NamedTuple):
    span: Span
    value: Expr


class Clause(NamedTuple):
    """One `for target in iterable if test …` of a comprehension."""

    span: Span
    target: Expr
    iterable: Expr
    tests: tuple[Expr, ...]
    is_async: bool


class Comprehension(NamedTuple):
    """`kind` is "list", "set", "dict" or "generator"; `key` is None except for dicts."""

    span: Span
    kind: str
    key: Expr | None
    element: Expr
    clauses: tuple[Clause, ...]


class Lambda(NamedTuple):
    span: Span
    function: Function


class FormatField(NamedTuple):
    """`{value!conversion:spec}`; conversion is "", "r", "s" or "a"; spec is None if there is none."""

    span: Span
    value: Expr
    conversion: str
    spec: Expr | None


class FormatString(NamedTuple):
    """An f-string (or t-string): literal parts are Const."""

    span: Span
    parts: tuple[Const | FormatField, ...]


class NamedExpr(NamedTuple):
    span: Span
    target: Name
    value: Expr


class Await(NamedTuple):
    span: Span
    value: Expr


class Yield(NamedTuple):
    """`yield value` or, with `is_from`, `yield from value`."""

    span: Span
    value: Expr | None
    is_from: bool


class Opaque(NamedTuple):
    """Code that cannot be represented; its children are evaluated for their effects."""

    span: Span
    children: tuple[Expr, ...]


Expr: TypeAlias = Union[
    Const,
    Name,
    Attribute,
    Subscript,
    Slice,
    Call,
    Binary,
    Unary,
    Compare,
    BoolOp,
    IfExp,
    Display,
    DictDisplay,
    Starred,
    Comprehension,
    Lambda,
    FormatString,
    NamedExpr,
    Await,
    Yield,
    Opaque,
]
