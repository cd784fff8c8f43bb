"""How the record of a table declares the keys that a model file may set.

`tables.py` and `calls.py` declare each key with `key(default, "what it says")`. `checks.py` checks files against these
declarations, and `schema.py` makes the published schema of them, so that both always agree with the loader.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


def key(default: Any, says: str, **words: str) -> Any:
    """A field of a record that a model file may set: a key of its table.

    Args:
        default: the value where a file does not set it; `dataclasses.MISSING` if it must.
        says: what the key means, for the published schema.
        words: the allowed values and what each means; without words, any text is allowed.
    """
    metadata = {"says": says, "words": words}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=dict, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


class Key(NamedTuple):
    """A key of a table, as `key` declares it."""

    name: str
    """Its name."""
    kind: str
    """The annotation of its field: "bool", "tuple[str, ...]" …"""
    says: str
    """What it means."""
    words: Mapping[str, str]
    """The allowed values and what each means; empty if any text is allowed."""
    default: Any
    """The value where a file does not set it."""

    @property
    def is_required(self) -> bool:
        """Whether each table must have it."""
        return self.default is dataclasses.MISSING and self.kind != "Mapping[str, str]"


def keys(table: type) -> Iterator[Key]:
    """The keys of a table, given the record that is made of it."""
    for field in dataclasses.fields(table):
        if "says" in field.metadata:
            yield Key(field.name, str(field.type), field.metadata["says"], field.metadata["words"], field.default)
