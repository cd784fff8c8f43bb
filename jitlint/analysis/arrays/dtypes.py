"""Dtypes and ranks of values.

A dtype's *kind* is bool, int, float, complex, key or "number"; its *exact* name is NumPy's, as "float16".
"""

from __future__ import annotations

from typing import Final

from jitlint.analysis.values import Array, Const, JaxArray, Static, Traced, Value

DTYPE_KINDS: Final = {"bool": "bool", "int": "int", "float": "float", "complex": "complex"}
"""The dtype kind of an array made of Python numbers, by the name of their type."""


def dtype_of(value: Value) -> str | None:
    """The dtype kind of an array or number; None if the value is neither, or its kind is not known."""
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
"""The exact names that arrays are marked with. Those of 64 bits are left out: JAX makes 32 bits of them by default."""


def name_of_dtype(dtype: Value | None) -> str:
    """The name of a dtype argument: "float16" for `jnp.float16` and for "float16"; "" for other expressions."""
    name = getattr(dtype, "name", "") or str(getattr(dtype, "value", ""))
    return name.rpartition(".")[2]


def with_exact_dtype(value: Value, name: str) -> Value:
    """The array, marked as one whose dtype has that exact name; unchanged if the name is not among those to mark."""
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
    """The exact dtype of an elementwise result of kind `dtype`: that of all array operands, if it is the same.

    Operands of weak type are left out, since their dtype gives way: `x * 2.0` of a float16 array is a float16 array.
    """
    arrays = [value for value in values if isinstance(value, Array) and not value.weak]
    names = {value.exact if value.dtype == dtype else "" for value in arrays}
    return names.pop() if len(names) == 1 else ""


def dtype_of_name(name: str) -> str | None:
    """The dtype kind that a dtype's name means: "int" for "jax.numpy.uint8"; None if it means none of them."""
    last = name.rpartition(".")[2]
    if last.startswith("bool"):
        return "bool"
    if last.startswith(("int", "uint")):
        return "int"
    if last.startswith(("float", "bfloat", "half", "double", "single")):
        return "float"
    return "complex" if last.startswith("complex") else None


def rank_of(value: Value) -> int | None:
    """The rank of an array or number (0); None if it is not known."""
    if isinstance(value, Array):
        return value.rank
    if isinstance(value, (Const, Static)) and dtype_of(value) is not None:
        return 0
    return None
