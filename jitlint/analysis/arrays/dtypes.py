"""Dtypes and ranks of values."""

from __future__ import annotations

from typing import Final

from jitlint.analysis.values import Array, Const, JaxArray, Static, Traced, Value

DTYPE_KINDS: Final = {"bool": "bool", "int": "int", "float": "float", "complex": "complex"}


def dtype_of(value: Value) -> str | None:
    """The dtype kind of an array or number, None if it is neither or not known."""
    if isinstance(value, Array):
        return value.dtype
    if isinstance(value, Const):
        return DTYPE_KINDS.get(type(value.value).__name__)
    if isinstance(value, Static):
        return DTYPE_KINDS.get(value.kind)
    return None


_EXACT: Final = frozenset(
    {"float16", "bfloat16", "float32", "complex64", "int8", "int16", "int32", "uint8", "uint16", "uint32"}
)
"""Dtypes by their own names; those of 64 bits become others unless JAX is told to keep them."""


def name_of_dtype(dtype: Value | None) -> str:
    """The name of a dtype that is given as JAX's or NumPy's own object or as text, "" if it is given otherwise."""
    name = getattr(dtype, "name", "") or str(getattr(dtype, "value", ""))
    return name.rpartition(".")[2]


def with_exact_dtype(value: Value, name: str) -> Value:
    """An array that was made with the dtype of that name."""
    if name not in _EXACT:
        return value
    if isinstance(value, Traced):
        copy = value.copy()
        copy.exact = name
        return copy
    return (
        JaxArray(value.dtype, value.rank, value.weak, value.lead, name, value.least)
        if isinstance(value, JaxArray)
        else value
    )


def common_exact_dtype(values: list[Value], dtype: str | None) -> str:
    """The exact dtype of an elementwise result of that kind: the arrays', if Python numbers gave way to it."""
    arrays = [value for value in values if isinstance(value, Array) and not value.weak]
    names = {value.exact if value.dtype == dtype else "" for value in arrays}
    return names.pop() if len(names) == 1 else ""


def dtype_of_name(name: str) -> str | None:
    """The dtype kind that a dtype's name means."""
    last = name.rpartition(".")[2]
    if last.startswith("bool"):
        return "bool"
    if last.startswith(("int", "uint")):
        return "int"
    if last.startswith(("float", "bfloat", "half", "double", "single")):
        return "float"
    return "complex" if last.startswith("complex") else None


def rank_of(value: Value) -> int | None:
    """The rank of an array or number, None if not known."""
    if isinstance(value, Array):
        return value.rank
    if isinstance(value, (Const, Static)) and dtype_of(value) is not None:
        return 0
    return None
