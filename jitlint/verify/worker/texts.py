"""The user's functions as text: definitions found from function objects, and what can be read off them."""

from __future__ import annotations

import ast
import contextlib
import inspect
import sys
from collections.abc import Iterator, Mapping
from typing import Any


class Texts:
    """Finds the definition of a function object in the user's files."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._nodes: dict[tuple[str, int, str], FunctionNode] = {}
        self._classes: dict[tuple[str, str], ast.ClassDef] = {}
        for file, text in sources.items():
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError):
                continue
            self._classes.update({(file, node.name): node for node in _class_nodes(tree)})
            for node in ast.walk(tree):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                    self._nodes[file, first, node.name] = node
                elif isinstance(node, ast.Lambda):
                    self._nodes.setdefault((file, node.lineno, "<lambda>"), node)

    def names_in(self, function: Any) -> set[str]:
        """The names and attributes that a function's text mentions."""
        node = self.of(function)
        if node is None:
            return set()
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        return names | {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}

    def attributes(self, cls: type) -> set[str]:
        """The attributes that a class's own text declares or sets on `self`."""
        found: set[str] = set()
        for base in cls.__mro__:
            file = getattr(sys.modules.get(base.__module__), "__file__", "") or ""
            node = self._classes.get((file, base.__name__))
            for part in ast.walk(node) if node is not None else ():
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "self":
                    found.add(part.attr)
                elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                    found.add(part.target.id)
        return found

    def of(self, function: Any) -> FunctionNode | None:
        """The definition that a function (bound, partial or wrapped) comes from."""
        code = getattr(unwrapped(function), "__code__", None)
        if code is None:
            return None
        return self._nodes.get((code.co_filename, code.co_firstlineno, code.co_name))


def _class_nodes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in tree.body if isinstance(node, ast.ClassDef))


FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def unwrapped(function: Any) -> Any:
    """The plain function at the bottom of wrappers, partials and methods."""
    for _ in range(20):
        inner = getattr(function, "__wrapped__", None) or getattr(function, "__func__", None)
        if inner is None and type(function).__name__ == "partial":
            inner = function.func
        if inner is None or isinstance(function, type):
            break
        function = inner
    return function


def is_bound(function: Any) -> bool:
    """Whether a bound method is at the bottom of a function's wrappers."""
    while function is not None and not inspect.ismethod(function):
        function = getattr(function, "__wrapped__", None)
    return function is not None


def visible_names(function: Any) -> dict[str, Any]:
    """The names that a function's body sees from outside: its module's, and those that it closes over."""
    names = dict(getattr(function, "__globals__", {}))
    for name, cell in zip(
        getattr(getattr(function, "__code__", None), "co_freevars", ()), function.__closure__ or (), strict=False
    ):
        with contextlib.suppress(ValueError):  # not bound yet
            names[name] = cell.cell_contents
    return names


def names_involved(node: FunctionNode, line: int) -> Iterator[str]:
    """The names on a line of a definition, and those that they were computed from, nearest first."""
    sources: dict[str, set[str]] = {}
    for part in ast.walk(node):
        if isinstance(part, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For)):
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            value = part.iter if isinstance(part, ast.For) else part.value
            read = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)} if value is not None else set()
            for target in targets:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        sources.setdefault(name.id, set()).update(read)
    here: list[str] = []
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.lineno <= line <= (part.end_lineno or line):
            here.append(part.id)
    seen: set[str] = set()
    while here:
        nearest = here.pop(0)
        if nearest not in seen:
            seen.add(nearest)
            yield nearest
            here += sorted(sources.get(nearest, ()))
