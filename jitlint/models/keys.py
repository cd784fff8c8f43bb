"""The keys of a model file's tables: what each says, and its words. The checks and the schema are made of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


def key(default: Any, says: str, **words: str) -> Any:
    """A field of a table's dataclass that a model file may set.

    Args:
        default: its value in tables that do not set it; `dataclasses.MISSING` if they must.
        says: what it says.
        words: the words that it may be, and what each means; any text if there are none.
    """
    metadata = {"says": says, "words": words}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=dict, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


class Key(NamedTuple):
    """A key as `key` has declared it; `kind` is the annotation of its field."""

    name: str
    kind: str
    says: str
    words: Mapping[str, str]
    default: Any

    @property
    def is_required(self) -> bool:
        """Whether each table must have it."""
        return self.default is dataclasses.MISSING and self.kind != "Mapping[str, str]"


def keys(table: type) -> Iterator[Key]:
    """The keys of a table, by the dataclass that is made of it."""
    for field in dataclasses.fields(table):
        if "says" in field.metadata:
            yield Key(field.name, str(field.type), field.metadata["says"], field.metadata["words"], field.default)
