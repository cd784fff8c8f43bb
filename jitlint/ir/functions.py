"""Functions and lambdas."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from jitlint.ir.expressions import Expr
from jitlint.source.places import Span

if TYPE_CHECKING:
    from jitlint.ir.statements import Stmt


class Parameter(NamedTuple):
    """`kind` is "positional-only", "positional", "*", "keyword-only" or "**".

    `attributes` are those that the function's body, functions within it included, asks of the parameter: `state.step`
    asks for `step`. Private ones (`state._step`) are left out.
    """

    span: Span
    name: str
    kind: str
    default: Expr | None
    annotation: Expr | None
    attributes: frozenset[str] = frozenset()


class Packed(NamedTuple):
    """A function's body in a tree from the cache: pickled statements. `Project.body` unpickles them when they run."""

    data: bytes


class Function(NamedTuple):
    """The code of a function or lambda, with its scope resolved.

    `span` covers the whole definition without decorators, `name_span` the name. `qualname` is Python's `__qualname__`,
    with "<locals>". A lambda's name is "<lambda>", its `name_span` the whole lambda, and its body one Return.

    `locals` are the names that the body binds (parameters included, comprehension targets not), `globals` and
    `nonlocals` those that it declares so. `reassigned` are the attributes that it assigns more than once, functions
    within it included, as they are written: `self.cache` in `self.cache = new` … `self.cache = old`.
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
    reassigned: frozenset[str]
