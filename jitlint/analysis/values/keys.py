"""Keys of dicts: which constant a value is, and which value a constant."""

from __future__ import annotations

from jitlint.analysis.values.base import Const, Value
from jitlint.analysis.values.containers import Tuple
from jitlint.analysis.values.outside import External, Member


def key_value(key: object) -> Value:
    """The value of a dict's known key."""
    if isinstance(key, Value):
        return key
    if isinstance(key, tuple):
        return Tuple(tuple(map(key_value, key)))
    return Const(key)


def constant_key(key: Value) -> tuple[object] | None:
    """A dict key known exactly, in a one-tuple; None if it is not."""
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
