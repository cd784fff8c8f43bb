"""The intermediate representation that the analyzer interprets: small, immutable, picklable, with spans.

`syntax/` makes it from text. Nodes are named tuples, told apart by their class, and each begins with its `span`:
character offsets into the file's text, without surrounding parentheses or whitespace.
Statements with several effects are split; what the analysis has no use for (whitespace, comments, `pass`, docstrings'
position) is gone. Parts of the language that cannot be represented become `Opaque`, which evaluates its children and
gives Unknown.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias, Union

from jitlint.source.places import Span

# --- expressions ------------------------------------------------------------------------------------------------------


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
    """Something with no representation; its children are evaluated for their effects."""

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

# --- functions --------------------------------------------------------------------------------------------------------


class Parameter(NamedTuple):
    """`kind` is "positional-only", "positional", "*", "keyword-only" or "**"."""

    span: Span
    name: str
    kind: str
    default: Expr | None
    annotation: Expr | None


class Packed(NamedTuple):
    """Statements as a cache has kept them, pickled: `Project.body` reads them when they are to run."""

    data: bytes


class Function(NamedTuple):
    """A function or lambda body with its scope resolved.

    `name` is "<lambda>" for lambdas, whose body is one Return. `qualname` is dotted as Python's `__qualname__`, with
    "<locals>". `span` covers the whole definition without decorators, `name_span` the name (a lambda's own span for a
    lambda). `locals` are the names that the body binds (parameters included, comprehension targets not), `globals` and
    `nonlocals` those so declared.
    """

    span: Span
    name: str
    name_span: Span
    qualname: str
    parameters: tuple[Parameter, ...]
    body: tuple[Stmt, ...] | Packed
    returns: Expr | None
    is_async: bool
    is_generator: bool
    locals: frozenset[str]
    globals: frozenset[str]
    nonlocals: frozenset[str]


# --- patterns ---------------------------------------------------------------------------------------------------------


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

# --- statements -------------------------------------------------------------------------------------------------------


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
    """`import module as name`: one alias each. Without `as`, `name` is the first part and `bound` the module it binds
    (`import a.b` binds `a`); with `as`, `bound` is the module itself."""

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
    """`locals` are the names that the body binds."""

    span: Span
    name: str
    name_span: Span
    qualname: str
    arguments: tuple[Argument, ...]
    body: tuple[Stmt, ...]
    decorators: tuple[Expr, ...]
    locals: frozenset[str]


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


class Module(NamedTuple):
    """One file. `body` in source order; `locals` the names bound at top level; `imports` all of them, also those in
    functions; `suites` the bodies of functions that lie in no other function."""

    body: tuple[Stmt, ...]
    locals: frozenset[str]
    imports: tuple[Import | ImportFrom, ...] = ()
    suites: tuple[Span, ...] = ()
