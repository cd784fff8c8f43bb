"""Where a program's options have their values: tables and objects of settings, defaults of arguments."""

from __future__ import annotations

import contextlib
import keyword
import types
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

_DEPTH = 4
"""So deep in nested tables settings are looked for."""


_WORDS = 50
"""A list of more words is no option."""


Note = Callable[[str, Any, tuple[Any, ...]], None]
"""Takes note of an option: its name, its value, and other values that it may have."""


@dataclass(frozen=True)
class Setting:
    """A place that holds an option's value.

    Attributes:
        name: the option's name.
        value: what the place holds.
        put: puts another value there, for the runs to come.
        choices: other values that the program says it takes.
    """

    name: str
    value: Any
    put: Callable[[Any], None]
    choices: tuple[Any, ...] = ()

    @contextlib.contextmanager
    def changed(self, value: Any) -> Iterator[None]:
        """Holds another value within the block."""
        self.put(value)
        try:
            yield
        finally:
            self.put(self.value)


def settings(modules: Iterable[types.ModuleType]) -> Iterator[Setting]:
    """The settings in the user's modules: items of dicts, fields of objects, defaults of functions."""
    own = {module.__name__: module for module in modules}
    seen: set[int] = set()
    for module in own.values():
        for value in list(vars(module).values()):
            if type(value) is dict:
                yield from _items(value, _DEPTH)
            elif type(value).__module__ in own:
                yield from _fields(value, own, seen)
            elif getattr(value, "__module__", None) != module.__name__:
                continue
            elif isinstance(value, types.FunctionType):
                yield from _defaults(value, own, seen)
            elif isinstance(value, type):
                for method in list(vars(value).values()):
                    yield from _defaults(method, own, seen) if isinstance(method, types.FunctionType) else ()


def is_option(value: Any) -> bool:
    """Whether a value chooses, rather than being worked with."""
    parts = (int, float, str) if isinstance(value, tuple) else str
    words = isinstance(value, (list, tuple)) and len(value) <= _WORDS and all(isinstance(item, parts) for item in value)
    return value is None or words or isinstance(value, (bool, int, float, str))


def _is_name(name: str) -> bool:
    """Whether a key names an option, and nothing that Python keeps for itself."""
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__")


def _items(table: dict[Any, Any], depth: int) -> Iterator[Setting]:
    for name, value in list(table.items()):
        if type(value) is dict and depth:
            yield from _items(value, depth - 1)
        elif isinstance(name, str) and _is_name(name) and is_option(value):
            yield Setting(name, value, partial(table.__setitem__, name))


def _fields(value: Any, own: Collection[str], seen: set[int], depth: int = _DEPTH) -> Iterator[Setting]:
    """The fields of an object whose class is in one of the user's modules; each object has its turn once."""
    if id(value) in seen or not depth:
        return
    seen.add(id(value))
    for name, part in list(getattr(value, "__dict__", {}).items()):
        if type(part).__module__ in own:
            yield from _fields(part, own, seen, depth - 1)
        elif _is_name(name) and not name.startswith("_") and is_option(part):
            yield Setting(name, part, partial(object.__setattr__, value, name))


def _defaults(function: types.FunctionType, own: Collection[str], seen: set[int]) -> Iterator[Setting]:
    positional = function.__defaults__ or ()
    first = function.__code__.co_argcount - len(positional)
    for at, value in enumerate(positional):

        def put(new: Any, at: int = at) -> None:
            now = list(function.__defaults__ or ())
            now[at] = new
            function.__defaults__ = tuple(now)

        if is_option(value):
            yield Setting(function.__code__.co_varnames[first + at], value, put)
        elif type(value).__module__ in own:
            yield from _fields(value, own, seen)
    named = function.__kwdefaults__ or {}
    for name, value in named.items():
        if is_option(value):
            yield Setting(name, value, partial(named.__setitem__, name))
        elif type(value).__module__ in own:
            yield from _fields(value, own, seen)
