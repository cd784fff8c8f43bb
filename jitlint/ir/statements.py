"""Statements."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, Union

from jitlint.ir.expressions import Argument, Expr
from jitlint.ir.functions import Function
from jitlint.ir.patterns import Pattern
from jitlint.source.places import Span


class ExprStmt(NamedTuple):
    span: Span
    value: Expr


class Assign(NamedTuple):
    """`a = b = value`: targets are Name, Attribute, Subscript, Display or Starred within a Display."""

    span: Span
    targets: tuple[Expr, ...]
    value: Expr


class AnnAssign(NamedTuple):
    """`target: annotation` with or without a value."""

    span: Span
    target: Expr
    annotation: Expr
    value: Expr | None


class AugAssign(NamedTuple):
    """`target op= value`; op as in Binary, without the `=`."""

    span: Span
    target: Expr
    op: str
    value: Expr


class Return(NamedTuple):
    span: Span
    value: Expr | None


class Raise(NamedTuple):
    span: Span
    value: Expr | None
    cause: Expr | None


class Assert(NamedTuple):
    span: Span
    test: Expr
    message: Expr | None


class Delete(NamedTuple):
    span: Span
    targets: tuple[Expr, ...]


class Break(NamedTuple):
    span: Span


class Continue(NamedTuple):
    span: Span


class Import(NamedTuple):
    """One name of an `import` statement. `name` is the variable and `bound` the module that it is bound to.

    `import a.b` binds the variable `a` to the module `a`, `import a.b as c` the variable `c` to the module `a.b`.
    """

    span: Span
    module: str
    name: str
    bound: str


class ImportFrom(NamedTuple):
    """`from ..module import name as asname`; `level` counts the dots; names hold ("*", "*") for a star."""

    span: Span
    module: str
    level: int
    names: tuple[tuple[str, str], ...]


class If(NamedTuple):
    """`elif` is an If alone in `orelse`."""

    span: Span
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


class While(NamedTuple):
    span: Span
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


class For(NamedTuple):
    span: Span
    target: Expr
    iterable: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    is_async: bool


class Handler(NamedTuple):
    """`type` is None for a bare except; `is_star` for `except*`."""

    span: Span
    type: Expr | None
    name: str | None
    body: tuple[Stmt, ...]
    is_star: bool


class Try(NamedTuple):
    span: Span
    body: tuple[Stmt, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Stmt, ...]
    final: tuple[Stmt, ...]


class WithItem(NamedTuple):
    span: Span
    context: Expr
    target: Expr | None


class With(NamedTuple):
    span: Span
    items: tuple[WithItem, ...]
    body: tuple[Stmt, ...]
    is_async: bool


class Case(NamedTuple):
    span: Span
    pattern: Pattern
    guard: Expr | None
    body: tuple[Stmt, ...]


class Match(NamedTuple):
    span: Span
    subject: Expr
    cases: tuple[Case, ...]


class FunctionDef(NamedTuple):
    span: Span
    function: Function
    decorators: tuple[Expr, ...]


class ClassDef(NamedTuple):
    """`locals` are the names that the body binds, `assigned` the attributes of `self` that code in the class assigns
    (`self.x = 1`), `augmented` those that it updates in place (`self.x += 1`)."""

    span: Span
    name: str
    name_span: Span
    qualname: str
    arguments: tuple[Argument, ...]
    body: tuple[Stmt, ...]
    decorators: tuple[Expr, ...]
    locals: frozenset[str]
    assigned: frozenset[str] = frozenset()
    augmented: frozenset[str] = frozenset()


class TypeAliasStmt(NamedTuple):
    """`type Name = value` (the value is lazy and not evaluated)."""

    span: Span
    name: str


Stmt: TypeAlias = Union[
    ExprStmt,
    Assign,
    AnnAssign,
    AugAssign,
    Return,
    Raise,
    Assert,
    Delete,
    Break,
    Continue,
    Import,
    ImportFrom,
    If,
    While,
    For,
    Try,
    With,
    Match,
    FunctionDef,
    ClassDef,
    TypeAliasStmt,
]
