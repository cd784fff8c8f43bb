"""Settings that a program reads from texts, as JSON, TOML or YAML: what they hold, and other values in their place."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from .settings import Note, is_option

_DEPTH = 4
"""So deep in a text's tables settings are looked for."""

_MOST, _LISTED = 200, 50
"""A text with more of them, and a list of more items, holds data."""


@contextlib.contextmanager
def noted(note: Note, given: dict[str, Any]) -> Iterator[None]:
    """Within, the settings in texts that are read are noted.

    Args:
        note: is told each setting.
        given: values to put in place of those of settings, by name. Of several settings of one name the first counts,
            and those that are like it.
    """
    held: dict[str, Any] = {}

    def taken(read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(*args: Any, **kwargs: Any) -> Any:
            result = read(*args, **kwargs)
            items = list(_items(result, _DEPTH))
            for table, name in items if len(items) <= _MOST else ():
                note(name, table[name], ())
                if held.setdefault(name, table[name]) == table[name]:
                    table[name] = given.get(name, table[name])
            return result

        return reading

    with contextlib.ExitStack() as stack:
        for owner, name in _readers():
            original = getattr(owner, name)
            stack.callback(setattr, owner, name, original)
            setattr(owner, name, taken(original))
        yield


def _readers() -> Iterator[tuple[Any, str]]:
    """The functions through which all others of their libraries read a text, each with what holds it."""
    yield json.JSONDecoder, "decode"
    for module, name in (("tomllib", "loads"), ("tomllib._parser", "loads"), ("yaml", "load")):
        if hasattr(sys.modules.get(module), name):
            yield sys.modules[module], name


def _items(value: Any, depth: int) -> Iterator[tuple[dict[str, Any], str]]:
    """The tables in a value, each with the names of its options."""
    if isinstance(value, list) and len(value) <= _LISTED and depth:
        for item in value:
            yield from _items(item, depth - 1)
    for name, part in value.items() if isinstance(value, dict) and len(value) <= _MOST else ():
        if isinstance(part, (dict, list)) and depth:
            yield from _items(part, depth - 1)
        if isinstance(name, str) and name.isidentifier() and is_option(part):
            yield value, name
