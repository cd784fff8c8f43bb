"""The scope that is being lowered: which names it binds and declares, and how things defined in it are qualified."""

from __future__ import annotations

import sys
import unicodedata

from jitlint import ir
from jitlint.source.places import Span


class Found:
    """What a module holds, at its top level or within functions and classes: all its scopes add to it."""

    __slots__ = ("imports", "suites")

    def __init__(self) -> None:
        self.imports: list[ir.Import | ir.ImportFrom] = []
        self.suites: list[Span] = []


class Scope:
    """A module, class or function body while it is being lowered. A module has no `outer` scope."""

    __slots__ = ("outer", "qualname", "prefix", "in_function", "found", "bound", "globals", "nonlocals", "yields")

    def __init__(self, outer: Scope | None, qualname: str, prefix: str, in_function: bool) -> None:
        """`prefix` goes before the names of what is defined here to give their `__qualname__`; empty for a module."""
        self.outer = outer
        self.qualname = qualname
        self.prefix = prefix
        self.in_function = in_function
        self.found: Found = Found() if outer is None else outer.found
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


def module_scope() -> Scope:
    """The scope of a module's top level."""
    return Scope(None, "", "", False)


def function_scope(outer: Scope, name: str, parameters: tuple[ir.Parameter, ...]) -> Scope:
    """The scope of the body of a function or lambda that is defined in another scope."""
    qualname = outer.qualify(name)
    scope = Scope(outer, qualname, qualname + ".<locals>.", True)
    scope.bound.update([parameter.name for parameter in parameters])
    return scope


def class_scope(outer: Scope, name: str) -> Scope:
    """The scope of the body of a class that is defined in another scope."""
    qualname = outer.qualify(name)
    return Scope(outer, qualname, qualname + ".", outer.in_function)


def identifier(name: str) -> str:
    """A name as Python sees it: NFKC; interned, since few names make up most of a program."""
    return sys.intern(name if name.isascii() else unicodedata.normalize("NFKC", name))
