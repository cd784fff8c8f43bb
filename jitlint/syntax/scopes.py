"""The scope that the lowering pass is in: names bound, declared, and how things defined here are qualified."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable

from jitlint import ir
from jitlint.source.places import Span


class Scope:
    """A module, class or function body while it is being lowered."""

    __slots__ = ("prefix", "in_function", "bound", "globals", "nonlocals", "yields")

    def __init__(self, prefix: str, in_function: bool) -> None:
        """`prefix` goes before the names of what is defined here to give their `__qualname__`; empty for a module."""
        self.prefix = prefix
        self.in_function = in_function
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.yields = False

    def qualify(self, name: str) -> str:
        """The `__qualname__` of a function or class defined here."""
        return name if name in self.globals else self.prefix + name

    def bind(self, target: ir.Expr | None) -> None:
        """Enter the names that an assignment to `target` binds."""
        if isinstance(target, ir.Name):
            self.bound.add(target.name)
        elif isinstance(target, ir.Display):
            for element in target.elements:
                self.bind(element)
        elif isinstance(target, ir.Starred):
            self.bind(target.value)

    def locals(self) -> frozenset[str]:
        """The names that are this scope's own."""
        return frozenset(self.bound - self.globals - self.nonlocals)


def deleted(targets: tuple[ir.Expr, ...]) -> tuple[ir.Expr, ...]:
    """What a `del` statement deletes, without the brackets around all of it."""
    while len(targets) == 1 and isinstance(targets[0], ir.Display):
        targets = targets[0].elements
    return targets


def identifier(name: str) -> str:
    """A name as Python sees it: NFKC; interned, since few names make up most of a program."""
    return sys.intern(name if name.isascii() else unicodedata.normalize("NFKC", name))


def function_scope(qualname: str, parameters: Iterable[ir.Parameter]) -> Scope:
    """The scope of a function's body."""
    scope = Scope(qualname + ".<locals>.", True)
    scope.bound.update([parameter.name for parameter in parameters])
    return scope


def lambda_of(
    span: Span, qualname: str, parameters: tuple[ir.Parameter, ...], body: ir.Expr, scope: Scope
) -> ir.Lambda:
    """A lambda, whose body was lowered in its scope."""
    function = ir.Function(
        span=span,
        name="<lambda>",
        name_span=span,
        qualname=qualname,
        parameters=parameters,
        body=(ir.Return(body.span, body),),
        returns=None,
        is_async=False,
        is_generator=scope.yields,
        locals=scope.locals(),
        globals=frozenset(),
        nonlocals=frozenset(),
    )
    return ir.Lambda(span, function)
