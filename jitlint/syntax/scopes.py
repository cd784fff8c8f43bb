"""Scopes while they are lowered: which names they bind and declare, and the qualified names of what they define."""

from __future__ import annotations

import sys
import unicodedata

from jitlint import ir


class ModuleFacts:
    """The text of a module, and what is noted of the module as a whole: all its scopes share one object of this."""

    __slots__ = ("text", "imports", "suites", "rebound", "popped")

    def __init__(self, text: str) -> None:
        self.text = text
        self.imports: list[ir.Import | ir.ImportFrom] = []
        self.suites: list[ir.Suite] = []
        self.rebound: set[str] = set()
        self.popped: set[str] = set()


class Scope:
    """A module, class or function body while it is being lowered. A module has no `outer` scope.

    `asked` has a pair for each `variable.attribute` here or in an inner scope, unless the variable belongs to the inner
    one. `assigned` and `augmented` are the attributes that `=` and `+=` (or the like) set here or in an inner scope.
    """

    __slots__ = (
        "outer",
        "qualname",
        "prefix",
        "in_function",
        "module",
        "bound",
        "globals",
        "nonlocals",
        "yields",
        "asked",
        "assigned",
        "augmented",
    )

    def __init__(self, outer: Scope | None, module: ModuleFacts, qualname: str, prefix: str, in_function: bool) -> None:
        """`prefix` goes before the names of what is defined here to give their `__qualname__`; empty for a module."""
        self.outer = outer
        self.module = module
        self.qualname = qualname
        self.prefix = prefix
        self.in_function = in_function
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.yields = False
        self.asked: list[tuple[str, str]] = []
        self.assigned: list[ir.Attribute] = []
        self.augmented: list[ir.Attribute] = []

    def qualify(self, name: str) -> str:
        """The `__qualname__` of a function or class defined here."""
        return name if name in self.globals else self.prefix + name

    def bind(self, target: ir.Expr | None) -> None:
        """Enter the names that an assignment to `target` binds, and the attributes that it sets."""
        if isinstance(target, ir.Name):
            self.bound.add(target.name)
        elif isinstance(target, ir.Display):
            for element in target.elements:
                self.bind(element)
        elif isinstance(target, ir.Starred):
            self.bind(target.value)
        elif isinstance(target, ir.Attribute):
            self.assigned.append(target)

    def locals(self) -> frozenset[str]:
        """The names that are this scope's own."""
        return frozenset(self.bound - self.globals - self.nonlocals)


def module_scope(text: str) -> Scope:
    """The scope of the top level of a module with a text."""
    return Scope(None, ModuleFacts(text), "", "", False)


def function_scope(outer: Scope, name: str, parameters: tuple[ir.Parameter, ...]) -> Scope:
    """The scope of the body of a function or lambda that is defined in another scope."""
    qualname = outer.qualify(name)
    scope = Scope(outer, outer.module, qualname, qualname + ".<locals>.", True)
    scope.bound.update([parameter.name for parameter in parameters])
    return scope


def class_scope(outer: Scope, name: str) -> Scope:
    """The scope of the body of a class that is defined in another scope."""
    qualname = outer.qualify(name)
    return Scope(outer, outer.module, qualname, qualname + ".", outer.in_function)


def identifier(name: str) -> str:
    """A name as Python sees it: NFKC; interned, since few names make up most of a program."""
    return sys.intern(name if name.isascii() else unicodedata.normalize("NFKC", name))
