"""Other values of what chooses a way through a program: flags, words that the text knows, functions of one table."""

from __future__ import annotations

import argparse
import ast
import copy
import dataclasses
import itertools
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from ..inputs import copies
from ..watching.harvest import Harvest

Option = tuple[str, Iterator[Any]]
"""The name of something that has a choice, and copies of the whole value with other choices."""

_DEPTH = 2
"""So deep in an object options are looked for."""

_WAY = 4
"""So many calls lie between a choice and the function that it leads to, at most."""

_FIELDS = 40
"""So many fields of an object are looked at."""

_CHOICES = 100
"""A table of more functions or classes offers no choice."""


_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class OtherOptions:
    """What the user's files offer in place of a value.

    Args:
        trees: the syntax trees of the user's files.
        modules: the loaded modules.
        harvest: what programs passed to functions.

    Attributes:
        modules: the same.
    """

    def __init__(self, trees: Iterable[ast.Module], modules: Iterable[types.ModuleType], harvest: Harvest) -> None:
        found = list(trees)
        tables = {name: words for tree in found for name, words in _tables(tree)}
        self._families: list[tuple[str, frozenset[str]]] = [one for tree in found for one in _families(tree, tables)]
        given = [one for tree in found for one in _given(tree)]
        self._leads = [*given, *(one for tree in found for one in _leads(tree))]
        self._mentions = [one for tree in found for one in _mentions(tree)]
        defined = (node.name for tree in found for node in ast.walk(tree) if isinstance(node, _DEFINES))
        self._chosen = frozenset(itertools.chain(defined, *(names for _, names in given)))
        self.modules, self._harvest = list(modules), harvest

    def of(self, name: str, value: Any, depth: int = _DEPTH) -> Iterator[Option]:
        """The choices in a value that has a name: its own, then those of its fields."""
        yield name, self._others(name, value)
        if depth:
            for field, part, changed in _fields(value, self._harvest.is_own):
                for inner, others in self.of(field, part, depth - 1):
                    yield inner, map(changed, others)

    def values(self, name: str, value: Any) -> Iterator[Any]:
        """Other values of an option that has a name: also of numbers, None and lists of words."""
        if isinstance(value, (bool, str)):
            yield from self._others(name, value)
        elif isinstance(value, int):
            yield value + 1
        elif isinstance(value, float):
            yield 0.5 if value == 0.0 else 0.0
        elif value is None:
            yield from (word for owner, words in self._families if owner == name for word in sorted(words))
            yield 2  # a number, such as how many or how often
        elif isinstance(value, tuple) and not hasattr(value, "_fields"):
            yield list(value)  # as settings have it that are read from a text
        if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
            yield from (type(value)([word]) for word in self._words(name, next(iter(value), "")))

    def leading_to(self, names: Collection[str]) -> frozenset[str]:
        """The words and flags that lead to functions, classes or values: keys of tables, and what is asked before."""
        wanted = self._chosen.intersection(names)
        return frozenset(word for word, chosen in self._leads if not chosen.isdisjoint(wanted))

    def callers(self, names: Collection[str]) -> frozenset[str]:
        """The functions that mention one of some names, and those that mention these, and so on."""
        found: frozenset[str] = frozenset()
        for _ in range(_WAY):
            wanted = found.union(names)
            found |= {name for name, mentioned in self._mentions if not mentioned.isdisjoint(wanted)}
        return found

    def leading(self, name: str, value: Any, words: Collection[str]) -> Iterator[Any]:
        """The words, among some, that may stand in place of an option's value; of a flag or number, another value."""
        if isinstance(value, (bool, int, float)):
            yield from self.values(name, value) if name in words else ()
        elif isinstance(value, str) and value:
            yield from self._alternatives(name, value, words)
        elif type(value) in (list, tuple) and value and all(isinstance(item, str) for item in value):
            yield from (type(value)([word]) for word in self._alternatives(name, value[0], words))

    def _alternatives(self, name: str, value: str, words: Collection[str]) -> list[str]:
        """The words, among some, that stand beside an option's word in the text."""
        found = (family for owner, family in self._families if value in family or owner == name)
        return sorted({word for word in itertools.chain(*found) if word in words and word != value})

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
        for module in self.modules:
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
        tables = [table for module in self.modules for table in list(vars(module).values())]
        for table in tables:
            items = list(table.values()) if isinstance(table, dict) else table
            if not isinstance(items, (list, tuple)) or len(items) > _CHOICES:
                continue
            if any(item is wanted or item is value for item in items):
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


def _tables(tree: ast.Module) -> Iterator[tuple[str, frozenset[str]]]:
    """The words that are keys of dicts with names."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Dict):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield _name(target), _keys(node.value)


def _keys(table: ast.Dict) -> frozenset[str]:
    return frozenset(word for key in table.keys if key is not None for word in _words(key))


def _families(tree: ast.Module, tables: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, frozenset[str]]]:
    """Words that stand together: what a name is compared with or looks up, keys of a table, items of a list, cases."""
    compared: dict[str, set[str]] = {}
    registered: dict[str, set[str]] = {}
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
            yield "", _keys(node)
        elif isinstance(node, ast.Subscript) and (name := _name(node.slice)):
            looked_up = _keys(node.value) if isinstance(node.value, ast.Dict) else tables.get(_name(node.value), ())
            compared.setdefault(name, set()).update(looked_up)
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            yield "", frozenset(_words(node))
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            for decorator, word in _registered(node):
                registered.setdefault(decorator, set()).add(word)
    yield from ((name, frozenset(words)) for name, words in compared.items())
    yield from (("", frozenset(words)) for words in registered.values())


def _registered(node: ast.FunctionDef | ast.ClassDef) -> Iterator[tuple[str, str]]:
    """The words with which a definition is registered, each with the decorator's name; else it may be its own name."""
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else ast.Call(decorator, [], [])
        words = [word for argument in call.args for word in _words(argument)]
        yield from ((_name(call.func), word) for word in words or [node.name])


def _leads(tree: ast.Module) -> Iterator[tuple[str, frozenset[str]]]:
    """Words and flags with the names that they choose: `{"slow": f}`, `if slow: return f`, `@register("slow")`.

    Of a flag that is computed, what it asks for counts too: `slow = mode == "slow"`.
    """
    asked: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Compare, ast.BoolOp)):
            words = [word for part in ast.walk(node.value) if isinstance(part, ast.expr) for word in _asked(part)]
            asked.update((target.id, words) for target in node.targets if isinstance(target, ast.Name))
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield from ((word, frozenset((node.name,))) for _, word in _registered(node))
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                yield from ((word, _names(value)) for word in (_words(key) if key is not None else ()))
        elif isinstance(node, (ast.If, ast.IfExp)):
            chosen = _names(*(node.body if isinstance(node.body, list) else [node.body]))
            found = [word for part in ast.walk(node.test) if isinstance(part, ast.expr) for word in _asked(part)]
            yield from ((word, chosen) for name in found for word in (name, *asked.get(name, ())))


def _given(tree: ast.Module) -> Iterator[tuple[str, frozenset[str]]]:
    """Words and flags with the names that get a value by them: `counter=Counter() if counts else None`."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.keyword)) and isinstance(node.value, ast.IfExp):
            targets = {node.arg or ""} if isinstance(node, ast.keyword) else set(map(_name, node.targets))
            tested = (part for part in ast.walk(node.value.test) if isinstance(part, ast.expr))
            yield from ((word, frozenset(targets)) for part in tested for word in _asked(part))


def _asked(part: ast.expr) -> Iterator[str]:
    """The words and the name of a part of a test."""
    yield from filter(None, (*_words(part), _name(part)))


def _mentions(tree: ast.Module) -> Iterator[tuple[str, frozenset[str]]]:
    """The functions and the module's tables, each with the names in it."""
    for table in tree.body:
        if isinstance(table, ast.Assign):
            yield from ((target.id, _names(table.value)) for target in table.targets if isinstance(target, ast.Name))
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, _names(*node.body)


def _names(*nodes: ast.AST) -> frozenset[str]:
    parts = [part for node in nodes for part in ast.walk(node)]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return frozenset(names | {part.attr for part in parts if isinstance(part, ast.Attribute)})


def _words(node: ast.expr) -> Iterator[str]:
    for part in node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else [node]:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _name(node: ast.expr) -> str:
    """The name, attribute or key that an expression reads; "" for others."""
    if isinstance(node, ast.Subscript):
        return next(_words(node.slice), "")
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
