"""Dtypes and ranks of values.

A dtype's *kind* is bool, int, float, complex, key or "number"; its *exact* name is NumPy's, as "float16", or that with
a `+` ("float32+") for that dtype or a wider one.
"""

from __future__ import annotations

from typing import Final

from jitlint.analysis.values import Array, Const, Dtype, HostArray, JaxArray, Static, Traced, Value

DTYPE_KINDS: Final = {"bool": "bool", "int": "int", "float": "float", "complex": "complex"}
"""The dtype kind of an array made of Python numbers, by the name of their type."""


def dtype_of(value: Value) -> str | None:
    """The dtype kind of an array or number; None if the value is neither, or its kind is not known."""
    if isinstance(value, Array):
        return value.dtype
    if isinstance(value, Const):
        return DTYPE_KINDS.get(type(value.value).__name__)
    if isinstance(value, Static):
        return "number" if value.kind == "number" else DTYPE_KINDS.get(value.kind)
    return None


_FLOATS: Final = frozenset({"float16", "bfloat16", "float32"})
_COMPLEX: Final = frozenset({"complex64"})
_INTS: Final = {"int8": 8, "int16": 16, "int32": 32, "uint8": 8, "uint16": 16, "uint32": 32}
"""The exact names of integers, and their bits."""

AT_LEAST: Final = "+"
"""Ends the exact name of a dtype that may also be a wider one: `float32+` is what `jnp.zeros(3)` has, 64 bits if JAX is
set so, and what float32 and an operand of unknown dtype promote to.
"""

OF_ANY_KIND: Final = AT_LEAST * 2
"""Ends it where an operand of unknown dtype decides the kind, too: it may be complex. It may stand alone."""

_DEFAULTS: Final = {"int": "int32+", "float": "float32+", "complex": "complex64+"}
"""What JAX makes of Python's numbers and of NumPy's dtypes of 64 bits, by kind."""


def name_of_dtype(dtype: Value | None) -> str:
    """The name of a dtype argument: "float16" for `jnp.float16` and for "float16"; "" for other expressions."""
    name = getattr(dtype, "name", "") or str(getattr(dtype, "value", ""))
    return name.rpartition(".")[2]


def named_dtype(dtype: Value | None) -> str:
    """The exact name of what a dtype argument means: `jnp.float16`, "float16" or `x.dtype`; "" if it is not known."""
    return dtype.exact if isinstance(dtype, Dtype) else exact_dtype(name_of_dtype(dtype))


def exact_dtype(name: str) -> str:
    """The exact name of what a dtype's name means: "float16", "float32+" for "float64" or "float"; "" if it is none."""
    if name in _FLOATS or name in _COMPLEX or name in _INTS:
        return name
    if name in ("float", "float64", "float_", "double"):
        return _DEFAULTS["float"]
    return _DEFAULTS["int"] if name in ("int", "int64", "int_") else ""


def default_dtype(kind: str | None) -> str:
    """The exact name of the dtype that JAX makes of a Python number of this kind; "" for another kind."""
    return _DEFAULTS.get(kind or "", "")


def with_exact_dtype(value: Value, exact: str) -> Value:
    """The array, marked as one whose dtype has that exact name; unchanged if there is none."""
    if not exact:
        return value
    if isinstance(value, Traced):
        copy = value.copy()
        copy.exact = exact
        return copy
    if isinstance(value, JaxArray):
        return JaxArray(value.dtype, value.rank, value.weak, value.lead, exact, value.least)
    if isinstance(value, HostArray):
        return HostArray(value.dtype, value.rank, value.weak, value.lead, exact, value.least)
    return value


def promoted_exact(values: list[Value], dtype: str | None) -> str:
    """The exact dtype that arrays and numbers promote to, of kind `dtype`; "" if it is not known.

    Operands of weak type, Python's numbers among them, and those of a lower kind are left out, since their dtype gives
    way: `x * 2.0` of a float16 array is a float16 array. An operand of unknown dtype may promote the others further,
    even to another kind (`OF_ANY_KIND`).
    """
    name, marks = "", 0
    for value in values:
        if dtype_of(value) is not None and not isinstance(value, Array):
            continue
        if not isinstance(value, Array) or value.dtype not in PROMOTION_ORDER:
            marks = len(OF_ANY_KIND)
        elif not value.weak and value.dtype == dtype:
            marks = max(marks, value.exact.count(AT_LEAST) if value.exact else 1)
            name = _wider(name, value.exact.rstrip(AT_LEAST))
    if not name:
        return OF_ANY_KIND if dtype == "float" and marks == len(OF_ANY_KIND) else ""
    return name + AT_LEAST * marks


def _wider(a: str, b: str) -> str:
    """What two exact dtypes of a kind promote to."""
    if not a or not b or a == b:
        return a or b
    if a in _FLOATS:
        return "float32"  # of bfloat16 and float16, too
    if a[0] == b[0]:
        return a if _INTS[a] > _INTS[b] else b
    signed, unsigned = (a, b) if b[0] == "u" else (b, a)
    return f"int{min(32, max(_INTS[signed], 2 * _INTS[unsigned]))}"


def differ(a: str, b: str) -> bool:
    """Whether two arrays of a kind certainly have different dtypes, by their exact names ("" if not known)."""
    if not a or not b:
        return False
    names = a.rstrip(AT_LEAST), b.rstrip(AT_LEAST)
    wider = _wider(*names)
    return (not a.endswith(AT_LEAST) and wider != names[0]) or (not b.endswith(AT_LEAST) and wider != names[1])


PROMOTION_ORDER: Final = ("bool", "int", "float", "complex")
"""The dtype kind of a result is the latest of its operands', with few exceptions."""


def gives_way(values: list[Value], dtype: str | None) -> bool:
    """Whether the result of an operation has JAX's weak type: its kind comes from Python's numbers alone."""
    kinds = [dtype_of(value) for value in values]
    deciding = [value for value, kind in zip(values, kinds, strict=True) if kind == dtype]
    if None in kinds or "number" in kinds:
        return False
    return all(not isinstance(value, Array) or value.weak for value in deciding or values)


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


def least_rank(value: Value) -> int:
    """A number of axes that an array has at least."""
    rank = rank_of(value)
    if rank is not None:
        return rank
    return value.axes if isinstance(value, Traced) else 0


def with_least_rank(value: Value, axes: int) -> Value:
    """The array, marked as one that has at least so many axes, if its rank is not known."""
    if not isinstance(value, Traced) or value.rank is not None or value.tree or axes <= 0:
        return value
    copy = value.copy()
    copy.axes = axes
    return copy


def rank_of(value: Value) -> int | None:
    """The rank of an array or number (0); None if it is not known."""
    if isinstance(value, Array):
        return value.rank
    if isinstance(value, (Const, Static)) and dtype_of(value) is not None:
        return 0
    return None


def dtype_by_division(op: str, dtypes: tuple[str | None, str | None]) -> str:
    """The exact dtype of a true division of integers; "" for any other operation."""
    return default_dtype("float") if op == "/" and dtypes == ("int", "int") else ""


def dtype_of_operation(op: str, left: str | None, right: str | None) -> str | None:
    """The dtype of `left op right` by those of the operands; None if it is not known."""
    if left not in PROMOTION_ORDER or right not in PROMOTION_ORDER:
        return _dtype_of_unknown_operand(op, left, right)
    if op == "/":
        return "complex" if "complex" in (left, right) else "float"
    if op in ("<<", ">>"):
        return "int"
    top = max(PROMOTION_ORDER.index(left), PROMOTION_ORDER.index(right))
    if top == 0 and op not in ("+", "*", "@", "&", "|", "^"):
        return "int"
    return PROMOTION_ORDER[top]


_ARITHMETIC: Final = frozenset({"+", "-", "*", "//", "%", "**"})
"""Operators whose result on numbers is a number."""


def _dtype_of_unknown_operand(op: str, left: str | None, right: str | None) -> str | None:
    """What is known of the result's dtype where that of an operand is not: `float` plus any number is a float."""
    if "complex" in (left, right):
        return "complex"
    if op == "/" or ("float" in (left, right) and (op in _ARITHMETIC or op == "@")):
        return "float"
    return "number" if op in _ARITHMETIC else None
