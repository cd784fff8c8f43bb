"""Where a program's options have their values: tables of settings, defaults of arguments, command lines."""

from __future__ import annotations

import argparse
import contextlib
import keyword
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

_DEPTH = 4
"""So deep in nested tables settings are looked for."""


_WORDS = 50
"""A list of more words is no option."""


@dataclass(frozen=True)
class Setting:
    """A place that holds an option's value; `put` puts another one there, for the runs to come."""

    name: str
    value: Any
    put: Callable[[Any], None]

    @contextlib.contextmanager
    def changed(self, value: Any) -> Iterator[None]:
        """Holds another value within the block."""
        self.put(value)
        try:
            yield
        finally:
            self.put(self.value)


def settings(modules: Iterable[types.ModuleType]) -> Iterator[Setting]:
    """The settings in the user's modules: items of their dicts, and defaults of their functions and classes."""
    for module in modules:
        for value in list(vars(module).values()):
            if type(value) is dict:
                yield from _items(value, _DEPTH)
            elif getattr(value, "__module__", None) != module.__name__:
                continue
            elif isinstance(value, types.FunctionType):
                yield from _defaults(value)
            elif isinstance(value, type):
                for method in list(vars(value).values()):
                    yield from _defaults(method) if isinstance(method, types.FunctionType) else ()


def _is_option(value: Any) -> bool:
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
        elif isinstance(name, str) and _is_name(name) and _is_option(value):
            yield Setting(name, value, lambda new, name=name: table.__setitem__(name, new))  # type: ignore[misc]


def _defaults(function: types.FunctionType) -> Iterator[Setting]:
    positional = function.__defaults__ or ()
    first = function.__code__.co_argcount - len(positional)
    for at, value in enumerate(positional):

        def put(new: Any, at: int = at) -> None:
            now = list(function.__defaults__ or ())
            now[at] = new
            function.__defaults__ = tuple(now)

        if _is_option(value):
            yield Setting(function.__code__.co_varnames[first + at], value, put)
    named = function.__kwdefaults__ or {}
    for name, value in named.items():
        if _is_option(value):
            yield Setting(name, value, lambda new, name=name: named.__setitem__(name, new))  # type: ignore[misc]


class CommandLines:
    """What the `argparse` parsers of a program take; known once it has run."""

    def __init__(self) -> None:
        self._defaults: dict[str, Any] = {}
        self._given: dict[str, Any] = {}

    def settings(self) -> Iterator[Setting]:
        """What the parsers have as defaults."""
        for name, value in self._defaults.items():
            if _is_option(value):
                yield Setting(name, value, lambda new, name=name: self._given.__setitem__(name, new))  # type: ignore[misc]

    def noting(self, run: Callable[[], object]) -> Callable[[], object]:
        """What `run` does, while each parser that parses is looked at, and gives the options that were put here."""
        original = argparse.ArgumentParser.parse_known_args

        def parse(parser: argparse.ArgumentParser, *args: Any, **kwargs: Any) -> Any:
            parsed: argparse.Namespace
            parsed, rest = original(parser, *args, **kwargs)
            self._defaults.update({name: value for name, value in vars(parsed).items() if name not in self._given})
            for name in self._given.keys() & vars(parsed).keys():
                setattr(parsed, name, self._given[name])
            return parsed, rest

        def noted() -> object:
            argparse.ArgumentParser.parse_known_args = parse  # type: ignore[method-assign,assignment]
            try:
                return run()
            finally:
                argparse.ArgumentParser.parse_known_args = original  # type: ignore[method-assign]

        return noted
