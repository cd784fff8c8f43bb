"""The JSON Schema of model files: editors complete and check them with it. `checks.py` finds more than a schema can."""

from __future__ import annotations

import dataclasses
from typing import Any

from jitlint.models.calls import Call
from jitlint.models.checks import CONSTANTS
from jitlint.models.keys import Key, keys
from jitlint.models.roles import ROLES
from jitlint.models.tables import ClassModel, Transform

_TEXT: dict[str, Any] = {"type": "string"}
_NAMES: dict[str, Any] = {"type": "array", "items": _TEXT}
_TEXTS: dict[str, Any] = {"type": "object", "additionalProperties": _TEXT}
_FORMS = {"bool": {"type": "boolean"}, "str": _TEXT, "Mapping[str, str]": _TEXTS}
_BY_WORD: dict[str, Any] = {"type": "object", "additionalProperties": _NAMES}


def model_schema() -> dict[str, Any]:
    """The JSON Schema of a model file."""
    call = _table(Call)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "jitlint: a model of a library",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "roots": {
                **_NAMES,
                "description": "Packages, and their usual short names: a file that imports one uses the library.",
            },
            "opaque": {
                **_NAMES,
                "description": "Packages whose models say more than following their source would find.",
            },
            "aliases": {**_TEXTS, "description": "Other names of the same thing, with the name that the file uses."},
            "annotations": {
                **_TEXTS,
                "description": "What a parameter with an annotation is: array, tree, dict, or a class by full name.",
            },
            "array": {
                "type": "object",
                "description": "The methods and attributes of arrays. jitlint's own file sets it.",
            },
            "roles": _object(
                {role: {**_NAMES, "description": f"Each is {says}."} for role, says in ROLES.items()},
                "The roles that names have for Python's own operations.",
            ),
            "transforms": _by_name(_table(Transform), "Functions that take a function and return one that traces it."),
            "classes": _by_name(_table(ClassModel), "What the instances of classes are."),
            "calls": _by_name(
                {"anyOf": [call, {"type": "array", "items": call}]}, "Functions that call the functions they are given."
            ),
            "modules": _by_name(_module(), "What a module's functions return, by the module's name."),
        },
    }


def _module() -> dict[str, Any]:
    """The schema of a `[modules]` table."""
    return _object(
        {
            "default": {**_TEXT, "description": "The result word for functions that no other key names."},
            "called": {**_TEXT, "description": "What calling an object of its classes returns, as a result word."},
            "results": {**_BY_WORD, "description": "Functions by result word or phrase."},
            "constants": _object(
                dict.fromkeys(sorted(CONSTANTS), _NAMES), "Attributes that are no functions, by word."
            ),
            "concrete": {**_BY_WORD, "description": 'The parameters ("shape@0") of a function that must be concrete.'},
            "handlers": {
                **_BY_WORD,
                "description": "Functions by the mechanism of the analyzer that stands in for them.",
            },
            "effects": {**_BY_WORD, "description": "Functions by the category of their host effect."},
            "asserts": {**_BY_WORD, "description": "Functions by what holds for their arguments after they return."},
        },
        "",
    )


def _table(table: type) -> dict[str, Any]:
    """The schema of a table whose keys a record declares."""
    found = list(keys(table))
    required = [key.name for key in found if key.is_required]
    return {
        **_object({key.name: _key(key) for key in found}, (table.__doc__ or "").strip()),
        **({"required": required} if required else {}),
    }


def _key(key: Key) -> dict[str, Any]:
    """The schema of one key."""
    form = _FORMS.get(key.kind, _NAMES)
    meanings = "".join(f" {word}: {meaning}." for word, meaning in key.words.items())
    choice = {"enum": list(key.words)} if key.words else {}
    default = {} if key.default in (None, "", dataclasses.MISSING) else {"default": _plain(key.default)}
    return {**form, **choice, **default, "description": key.says + meanings}


def _plain(value: Any) -> Any:
    """A default value as JSON."""
    return list(value) if isinstance(value, tuple) else value


def _by_name(form: dict[str, Any], says: str) -> dict[str, Any]:
    """The schema of a table of tables, one for each qualified name."""
    return {"type": "object", "additionalProperties": form, "description": says}


def _object(properties: dict[str, Any], says: str) -> dict[str, Any]:
    """The schema of a table with these keys and no others."""
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        **({"description": says} if says else {}),
    }
