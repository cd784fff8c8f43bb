"""Finds the definitions of function objects in the user's files, and reads facts off their text."""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any


class Texts:
    """Finds the definition of a function object in the user's files."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._nodes: dict[tuple[str, int, str], FunctionNode] = {}
        self._classes: dict[tuple[str, str], ast.ClassDef] = {}
        self._trees: dict[str, ast.Module] = {}
        for file, text in sources.items():
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError):
                continue
            self._trees[file] = tree
            self._classes.update({(file, node.name): node for node in _class_nodes(tree)})
            for node in ast.walk(tree):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                    self._nodes[file, first, node.name] = node
                elif isinstance(node, ast.Lambda):
                    self._nodes.setdefault((file, node.lineno, "<lambda>"), node)

    def trees(self) -> Iterator[tuple[str, ast.Module]]:
        """The files and their syntax trees."""
        yield from self._trees.items()

    def around(self, file: str, line: int) -> str:
        """The top-level function or method (`Model.step`) that holds a line; "" if none does."""
        return _around(self._trees[file].body, line) if file in self._trees else ""

    def bound_at(self, file: str, line: int, end_line: int) -> set[str]:
        """The names that a file's top level assigns by a statement that holds these lines."""
        found: set[str] = set()
        for node in self._trees[file].body if file in self._trees else ():
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.lineno <= line and end_line <= _end(node):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found |= {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
        return found

    def names_in(self, function: Any) -> set[str]:
        """The names and attributes that a function's text mentions."""
        node = self.of(function)
        if node is None:
            return set()
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        return names | {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}

    def record_classes(self, file: str) -> list[str]:
        """The names that a file's top level gives to classes of records that a call makes: `Pair = namedtuple(…)`."""
        body = self._trees[file].body if file in self._trees else []
        made = [node for node in body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
        calls = [(node, last_name(node.value.func)) for node in made if isinstance(node.value, ast.Call)]
        records = [node for node, called in calls if called in ("namedtuple", "NamedTuple", "make_dataclass")]
        return [target.id for node in records for target in node.targets if isinstance(target, ast.Name)]

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

    def method(self, cls: type | None, name: str) -> Any:
        """A method of a class, also one that its own text gives to a transform: `self.step = jax.jit(self._step)`.

        None if it has none of that name.
        """
        found = inspect.getattr_static(cls, name, None)
        if found is not None:
            return found
        for base in cls.__mro__ if cls is not None else ():
            file = getattr(sys.modules.get(base.__module__), "__file__", "") or ""
            node = self._classes.get((file, base.__name__))
            for part in ast.walk(node) if node is not None else ():
                if isinstance(part, ast.Assign) and any(_is_of_self(target, name) for target in part.targets):
                    inner = part.value
                    while isinstance(inner, ast.Call) and inner.args and last_name(inner.func) != "vmap":
                        inner = inner.args[0]
                    if _is_of_self(inner):
                        return inspect.getattr_static(cls, last_name(inner), None)
        return None

    def of(self, function: Any) -> FunctionNode | None:
        """The definition of a function, also of a bound, partial or wrapped one; None if it is none of the user's."""
        code = getattr(unwrapped(function), "__code__", None)
        if code is None:
            return None
        return self._nodes.get((code.co_filename, code.co_firstlineno, code.co_name))


def _is_of_self(node: ast.expr, name: str = "") -> bool:
    """Whether an expression is an attribute of `self`: one of that name, if a name is given."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and name in ("", node.attr)
    )


def last_name(node: ast.expr) -> str:
    """The last part of a dotted name; "" for other expressions."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _class_nodes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _around(body: list[ast.stmt], line: int) -> str:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first <= line <= _end(node):
                if not isinstance(node, ast.ClassDef):
                    return node.name
                inner = _around(node.body, line)
                return f"{node.name}.{inner}" if inner else ""
    return ""


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def unwrapped(function: Any) -> Any:
    """The plain function inside wrappers, partials, methods, properties and callable objects."""
    for _ in range(20):
        inner = None if isinstance(function, type) else _inner(function)
        if inner is None:
            break
        function = inner
    return function


def _inner(function: Any) -> Any:
    if isinstance(function, property):
        return function.fget
    if isinstance(function, functools.partial):
        return function.func
    for name in ("__wrapped__", "__func__"):
        if callable(inner := _attribute(function, name)):
            return inner
    return None if isinstance(function, types.FunctionType) else _call_of(function)


def _attribute(value: Any, name: str) -> Any:
    try:
        return getattr(value, name, None)
    except Exception:  # noqa: BLE001  attributes of the user's objects may raise anything
        return None


def _call_of(value: Any) -> Any:
    """The `__call__` of a value's class, None if it is not written in Python."""
    found = inspect.getattr_static(type(value), "__call__", None)
    return found if isinstance(getattr(found, "__wrapped__", found), types.FunctionType) else None


def is_bound(function: Any) -> bool:
    """Whether a function's wrappers hold a bound method or a callable object."""
    while function is not None and not inspect.ismethod(function):
        if not isinstance(function, (type, types.FunctionType)) and _call_of(function) is not None:
            return True
        function = _attribute(function, "__wrapped__")
    return function is not None


def visible_names(function: Any) -> dict[str, Any]:
    """The names that a function's body sees from outside: its module's and its closure's."""
    names = dict(getattr(function, "__globals__", {}))
    for name, cell in zip(
        getattr(getattr(function, "__code__", None), "co_freevars", ()), function.__closure__ or (), strict=False
    ):
        with contextlib.suppress(ValueError):  # a cell without a value yet
            names[name] = cell.cell_contents
    return names


def names_involved(node: FunctionNode, line: int) -> Iterator[str]:
    """The names on a line of a definition, then the names that those were computed from, nearest first."""
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
