"""Other values of what chooses a way through a program: flags, words that the text knows, functions of one table."""

from __future__ import annotations

import argparse
import ast
import copy
import dataclasses
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..inputs import copies
from ..watching.harvest import Harvest

Option = tuple[str, Iterator[Any]]
"""The name of something that has a choice, and copies of the whole value with other choices."""

_DEPTH = 2
"""So deep in an object options are looked for."""

_FIELDS = 40
"""So many fields of an object are looked at."""


class OtherOptions:
    """What the user's files offer in place of a value.

    Args:
        trees: the syntax trees of the user's files.
        modules: the loaded modules.
        harvest: what programs passed to functions.
    """

    def __init__(self, trees: Iterable[ast.Module], modules: Iterable[types.ModuleType], harvest: Harvest) -> None:
        self._families: list[tuple[str, frozenset[str]]] = [one for tree in trees for one in _families(tree)]
        self._modules, self._harvest = list(modules), harvest

    def of(self, name: str, value: Any, depth: int = _DEPTH) -> Iterator[Option]:
        """The choices in a value that has a name: its own, then those of its fields."""
        yield name, self._others(name, value)
        if depth:
            for field, part, changed in _fields(value, self._harvest.is_own):
                for inner, others in self.of(field, part, depth - 1):
                    yield inner, map(changed, others)

    def _others(self, name: str, value: Any) -> Iterator[Any]:
        if isinstance(value, bool):
            yield not value
        elif isinstance(value, str):
            yield from self._words(name, value)
        elif value is None:
            own = self._harvest.is_own
            yield from (copies.fresh(one, own) for one in self._harvest.names.get(name, ()) if one is not None)
            yield from self._made(name)
        elif isinstance(value, types.FunctionType) or self._harvest.is_own(type(value)):
            yield from self._beside(value)

    def _words(self, name: str, value: str) -> Iterator[str]:
        """The words that stand beside a word in the text, and those that its name is compared with."""
        found = (words for owner, words in self._families if value in words or owner == name)
        yield from dict.fromkeys(word for words in found for word in sorted(words) if word != value)
        yield f"{value}_"  # what no text names: the way of an `else`

    def _made(self, name: str) -> Iterator[Any]:
        """An instance of the class that has the name: a `Tracker` for `tracker`."""
        for module in self._modules:
            for other, cls in list(vars(module).items()):
                if (
                    isinstance(cls, type)
                    and other.lower() == name.replace("_", "").lower()
                    and self._harvest.is_own(cls)
                ):
                    yield from _instance(cls)

    def _beside(self, value: Any) -> Iterator[Any]:
        """The functions, or instances of the classes, that stand with a value's in a table of the user's modules."""
        wanted = value if isinstance(value, types.FunctionType) else type(value)
        for module in self._modules:
            for table in list(vars(module).values()):
                items = list(table.values()) if isinstance(table, dict) else table
                if isinstance(items, (list, tuple)) and any(item is wanted or item is value for item in items):
                    for item in items:
                        if item is not wanted and item is not value:
                            yield from _instance(item) if isinstance(item, type) else [item]


def _instance(cls: type) -> Iterator[Any]:
    try:
        yield cls()
    except Exception:  # noqa: BLE001  the user's class may need arguments, or raise anything
        return


def _fields(value: Any, is_own: Callable[[type], bool]) -> Iterator[tuple[str, Any, Callable[[Any], Any]]]:
    """The fields of an object of the user's, a namespace or a dict, each with what makes a copy with another value."""
    if type(value) is dict:
        for name, part in list(value.items())[:_FIELDS]:
            if isinstance(name, str):
                yield name, part, lambda new, name=name: {**value, name: new}  # type: ignore[misc]
    elif isinstance(value, tuple) and (replace := getattr(value, "_replace", None)) is not None:
        for name in getattr(value, "_fields", ())[:_FIELDS]:
            yield name, getattr(value, name), lambda new, name=name: replace(**{name: new})  # type: ignore[misc]
    elif isinstance(value, types.MethodType):
        for name, part, changed in _fields(value.__self__, is_own):
            yield name, part, lambda new, changed=changed: types.MethodType(value.__func__, changed(new))  # type: ignore[misc]
    elif is_own(type(value)) or isinstance(value, (types.SimpleNamespace, argparse.Namespace)):
        for name, part in list(getattr(value, "__dict__", {}).items())[:_FIELDS]:
            yield name, part, lambda new, name=name: _replaced(value, name, new)  # type: ignore[misc]


def _replaced(value: Any, name: str, new: Any) -> Any:
    """A copy of an object with another value of a field, made as its class makes copies."""
    if dataclasses.is_dataclass(value) and any(
        field.name == name and field.init for field in dataclasses.fields(value)
    ):
        return dataclasses.replace(value, **{name: new})  # type: ignore[type-var]
    result = copy.copy(value)
    object.__setattr__(result, name, new)
    return result


def _families(tree: ast.Module) -> Iterator[tuple[str, frozenset[str]]]:
    """Words that stand together: what a name is compared with, keys of a table, items of a list, cases of a match."""
    compared: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            words = {word for part in (node.left, *node.comparators) for word in _words(part)}
            for name in filter(None, map(_name, (node.left, *node.comparators))):
                compared.setdefault(name, set()).update(words)
        elif isinstance(node, ast.Match) and (name := _name(node.subject)):
            patterns = (part for case in node.cases for part in ast.walk(case.pattern))
            words = {word for part in patterns if isinstance(part, ast.MatchValue) for word in _words(part.value)}
            compared.setdefault(name, set()).update(words)
        elif isinstance(node, ast.Dict):
            yield "", frozenset(word for key in node.keys if key is not None for word in _words(key))
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            yield "", frozenset(_words(node))
    yield from ((name, frozenset(words)) for name, words in compared.items())


def _words(node: ast.expr) -> Iterator[str]:
    for part in node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else [node]:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
