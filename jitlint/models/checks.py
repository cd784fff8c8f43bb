"""Finds mistakes in a model file: what is wrong, at which key, and what to write instead.

The loader trusts what has passed here. Only files of installed packages are checked at run time; tests check jitlint's.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from jitlint.models.calls import Call, parameter
from jitlint.models.keys import keys
from jitlint.models.roles import ROLES
from jitlint.models.tables import ClassModel, Transform

RESULTS = frozenset(
    [
        "array",
        "bool",
        "int",
        "float",
        "complex",
        "key",
        "layer",
        "same",
        "tree",
        "host",
        "self",
        "call",
        "new",
        "none",
        "unknown",
        "static-int",
        "static-rank",
        "static-bool",
        "static-str",
        "static-float",
        "static-shape",
        "static-dtype",
        "static-object",
    ]
)
"""The single result words. Phrases combine them with parameters and classes (`analysis/libraries/result_words.py`)."""

NEW_VALUES = frozenset({"float", "int", "bool", "array", "key", "tree", "unknown"})
"""Words for arguments that a library function makes itself."""

CONSTANTS = frozenset({"none", "false", "static-int", "static-float", "static-str", "static-object"})
"""Words for attributes of modules that are no functions."""

_MODULE_KEYS = frozenset({"default", "called", "results", "constants", "concrete", "handlers", "effects", "asserts"})
_TABLES = frozenset(
    {"roots", "opaque", "aliases", "annotations", "array", "roles", "transforms", "classes", "calls", "modules"}
)


class ModelError(Exception):
    """A model file cannot be used.

    Args:
        key: the table or key at fault ("" for the file as a whole).
        problem: what is wrong with it.
        remedy: what to write instead.
    """

    def __init__(self, key: str, problem: str, remedy: str) -> None:
        super().__init__(f"{key}: {problem}; {remedy}" if key else f"{problem}; {remedy}")


def check(data: Mapping[str, Any]) -> None:
    """Checks the content of a model file. Raises ModelError for the first thing that is wrong."""
    _only_known_keys(data, _TABLES, "")
    for name in ("roots", "opaque"):
        _list_of_names(data.get(name, []), name)
    for role, names in _table(data.get("roles", {}), "roles").items():
        _only_known_keys({role: names}, ROLES, "roles")
        _list_of_names(names, f"roles.{role}")
    for name in ("aliases", "annotations"):
        for key, value in _table(data.get(name, {}), name).items():
            _text(value, f'{name}."{key}"')
    for key, spec in _table(data.get("transforms", {}), "transforms").items():
        _fields(Transform, spec, f'transforms."{key}"')
    for key, spec in _table(data.get("classes", {}), "classes").items():
        _fields(ClassModel, spec, f'classes."{key}"')
        for part in ("methods", "attributes"):
            for name, word in spec.get(part, {}).items():
                _result(word, f'classes."{key}".{part}.{name}')
    for key, specs in _table(data.get("calls", {}), "calls").items():
        for spec in specs if isinstance(specs, list) else [specs]:
            _fields(Call, spec, f'calls."{key}"')
            if "of" not in spec:
                raise ModelError(f'calls."{key}"', "`of` is missing", "name the parameters that bring the functions")
            for source in spec["of"]:
                _parameter(source.removeprefix("self.") if source != "self" else "self", f'calls."{key}".of')
            for word in spec.get("arguments", ()):
                _argument(word, f'calls."{key}".arguments')
            for word in spec.get("cast", ()):
                if word not in spec.get("arguments", ()):
                    raise ModelError(f'calls."{key}".cast', f"{word!r} is no argument", "name one of `arguments`")
            _result(spec.get("result", "unknown"), f'calls."{key}".result')
    for key, spec in _table(data.get("modules", {}), "modules").items():
        _module(spec, f'modules."{key}"')


def _module(spec: Any, key: str) -> None:
    """Checks a `[modules]` table."""
    _only_known_keys(_table(spec, key), _MODULE_KEYS, key)
    for name in ("default", "called"):
        if name in spec:
            _result(spec[name], f"{key}.{name}")
    for word, names in _table(spec.get("results", {}), f"{key}.results").items():
        _result(word, f"{key}.results")
        _list_of_names(names, f'{key}.results."{word}"')
    for word, names in _table(spec.get("constants", {}), f"{key}.constants").items():
        _only_known_keys({word: names}, CONSTANTS, f"{key}.constants")
        _list_of_names(names, f"{key}.constants.{word}")
    for name in ("concrete", "handlers", "effects", "asserts"):
        for word, names in _table(spec.get(name, {}), f"{key}.{name}").items():
            _list_of_names(names, f'{key}.{name}."{word}"')


def _fields(table: type, spec: Any, path: str) -> None:
    """Checks a table against the keys that a record declares."""
    known = {key.name: key for key in keys(table)}
    _only_known_keys(_table(spec, path), known, path)
    for name, value in spec.items():
        _check_of(known[name].kind)(value, f"{path}.{name}")
        words = known[name].words
        if words and value not in words:
            raise ModelError(f"{path}.{name}", f"{value!r} is no such word", f"use one of {', '.join(sorted(words))}")


def _check_of(kind: str) -> Callable[[Any, str], None]:
    """The check for values of a kind: the annotation of the key's field."""
    if kind == "bool":
        return _bool
    if kind.startswith("tuple"):
        return _list_of_names
    return _table_of_texts if kind.startswith("Mapping") else _text


def _only_known_keys(spec: Mapping[str, Any], known: Collection[str], key: str) -> None:
    """Refuses keys that no table has; suggests one of a similar name."""
    for name in spec:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            remedy = f"did you mean {near[0]}?" if near else f"use {', '.join(sorted(known))}"
            raise ModelError(f"{key}.{name}".removeprefix("."), "there is no such key", remedy)


def _table(value: Any, key: str) -> Mapping[str, Any]:
    """Refuses a value that is no table."""
    if not isinstance(value, Mapping):
        raise ModelError(key, f"{value!r} is no table", f"write [{key}] and its keys below")
    return value


def _list_of_names(value: Any, key: str) -> None:
    """Refuses a value that is no list of texts."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ModelError(key, f"{value!r} is no list of names", 'write ["first", "second"]')


def _table_of_texts(value: Any, key: str) -> None:
    """Refuses a value that is no table of texts."""
    for name, item in _table(value, key).items():
        _text(item, f"{key}.{name}")


def _text(value: Any, key: str) -> None:
    """Refuses a value that is no text."""
    if not isinstance(value, str):
        raise ModelError(key, f"{value!r} is no text", "write it in quotes")


def _bool(value: Any, key: str) -> None:
    """Refuses a value that is neither true nor false."""
    if not isinstance(value, bool):
        raise ModelError(key, f"{value!r} is neither true nor false", "write true or false without quotes")


def _result(phrase: Any, key: str) -> None:
    """Checks a result word or phrase."""
    _text(phrase, key)
    for part in phrase.replace(" or ", ", ").split(", "):
        word = re.sub("^(list of )?(like |loaded |part of )?", "", part)
        if "@" in word:
            _parameter(word, key)
        elif word not in RESULTS and "." not in word:
            near = difflib.get_close_matches(word, RESULTS, 1)
            remedy = f"did you mean {near[0]}?" if near else f"use a class's full name or {', '.join(sorted(RESULTS))}"
            raise ModelError(key, f"{word!r} is no result", remedy)


def _argument(word: str, key: str) -> None:
    """Refuses what stands for no argument of a call."""
    if word == "**" or (word[:1] == "*" and word[1:].isdigit()):
        return
    _parameter(word, key)
    if "@" not in word and word not in NEW_VALUES:
        remedy = f'write "{word}@0", "{word}@" for a keyword, or one of {", ".join(sorted(NEW_VALUES))}'
        raise ModelError(key, f"{word!r} is no new value", remedy)


def _parameter(text: str, key: str) -> None:
    """Refuses a text that names no parameter."""
    try:
        for part in text.split("."):
            parameter(part)
    except ValueError:
        raise ModelError(key, f"{text!r} is no parameter", 'write "name@0", the position after the @') from None
