"""Keys of dicts: the hashable object under which a Dict enters a value as its key, and the way back."""

from __future__ import annotations

from collections.abc import Mapping

from jitlint.analysis.values.base import Const, Static, Value
from jitlint.analysis.values.containers import Tuple
from jitlint.analysis.values.joins import alternatives
from jitlint.analysis.values.outside import External, Member


def key_value(key: object) -> Value:
    """The abstract value for a key of `Dict.entries`: "a" gives Const("a")."""
    if isinstance(key, Value):
        return key
    if isinstance(key, tuple):
        return Tuple(tuple(map(key_value, key)))
    return Const(key)


def may_be_text(value: Value) -> bool:
    """Whether a value may be a string: what takes it as a key or an item is a dict, and no array."""
    return any(
        isinstance(part.value, str) if isinstance(part, Const) else isinstance(part, Static) and part.kind == "str"
        for part in alternatives(value)
    )


def constant_key(key: Value) -> tuple[object] | None:
    """A value's key in `Dict.entries`, as a tuple of one, since the key may be None; None if the key is not known."""
    if isinstance(key, Const):
        try:
            hash(key.value)
        except TypeError:
            return None
        return (key.value,)
    if isinstance(key, External):
        return (key.name,)
    if isinstance(key, Member):
        return (key,)
    if isinstance(key, Tuple):
        parts = [constant_key(element) for element in key.elements]
        if all(part is not None for part in parts):
            return (tuple(part[0] for part in parts if part is not None),)
    return None


def in_order_of_jax(entries: Mapping[object, Value]) -> dict[object, Value]:
    """The entries of a dict as JAX goes through them: by their keys, whatever the order in which they were written."""
    names = [name for name in entries if isinstance(name, str)]
    return {name: entries[name] for name in sorted(names)} if len(names) == len(entries) else dict(entries)
