"""Questions about dtypes, known while tracing: `x.dtype == jnp.int32`, `jnp.issubdtype(x.dtype, jnp.floating)`."""

from __future__ import annotations

from typing import Final

from jitlint.analysis.arrays.dtypes import (
    AT_LEAST,
    PROMOTION_ORDER,
    differ,
    dtype_of_name,
    exact_dtype,
    name_of_dtype,
)
from jitlint.analysis.values import Array, Const, Dtype, External, Value

_KINDS_OF_CLASS: Final = {
    "generic": frozenset(PROMOTION_ORDER),
    "number": frozenset({"int", "float", "complex"}),
    "inexact": frozenset({"float", "complex"}),
    "integer": frozenset({"int"}),
    "floating": frozenset({"float"}),
    "complexfloating": frozenset({"complex"}),
    "bool_": frozenset({"bool"}),
    "signedinteger": frozenset({"int"}),
    "unsignedinteger": frozenset({"int"}),
    "extended": frozenset({"key"}),
    "prng_key": frozenset({"key"}),
}
"""The dtype kinds under the abstract dtypes of NumPy, and under those of `jax.dtypes`."""

_SIGNS: Final = frozenset({"signedinteger", "unsignedinteger"})


def is_subdtype(value: Value, group: Value) -> bool | None:
    """The outcome of `jnp.issubdtype(value, group)`, of an array or a dtype; None if it is not known."""
    kind, exact = _facts(value)
    name = name_of_dtype(group) if isinstance(group, External) else ""
    kinds = _KINDS_OF_CLASS.get(name)
    if kind is None or kinds is None:
        return None
    if kind in kinds and name in _SIGNS:
        return exact.startswith("u") is (name == "unsignedinteger") if exact else None
    return kind in kinds


def is_same_dtype(left: Value, right: Value) -> bool | None:
    """The outcome of `left == right` of two dtypes; None if it is not known, or if none of them is one."""
    if not isinstance(left, Dtype) and not isinstance(right, Dtype):
        return None
    (kind, exact), (other_kind, other_exact) = _facts(left), _facts(right)
    if kind is None or other_kind is None:
        return None
    if kind != other_kind or differ(exact, other_exact):
        return False
    certain = kind == "bool" or (exact == other_exact and bool(exact) and not exact.endswith(AT_LEAST))
    return True if certain else None


def dtype_named(value: Value | None) -> Dtype | None:
    """The dtype that a text, a scalar type or a dtype means; None if it is not known."""
    kind, exact = _facts(value) if value is not None and not isinstance(value, Array) else (None, "")
    return None if kind is None else Dtype(kind, exact)


def is_complex(value: Value) -> bool | None:
    """The outcome of `jnp.iscomplexobj(value)`; None if it is not known."""
    kind, _ = _facts(value)
    return None if kind is None else kind == "complex"


def _facts(value: Value) -> tuple[str | None, str]:
    """The kind and the exact name of a dtype, or of an array's; None and "" where they are not known."""
    kind: str | None
    if isinstance(value, (Array, Dtype)):
        kind, exact = value.dtype, value.exact
    elif isinstance(value, (External, Const)):
        name = name_of_dtype(value)
        exact = exact_dtype(name)
        kind = dtype_of_name(name) if exact or name in ("bool", "bool_") or name[-1:].isdigit() else None
    else:
        kind, exact = None, ""
    return (kind, exact) if kind in PROMOTION_ORDER or kind == "key" else (None, "")
