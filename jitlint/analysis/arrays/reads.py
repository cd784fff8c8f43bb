"""What code reads of arrays: one that was donated is deleted, but still has its shape and dtype."""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import External, Function, Value

DESCRIPTIVE = frozenset({"shape", "ndim", "dtype", "size", "is_deleted", "delete", "sharding", "nbytes"})
"""The attributes that JAX still gives of a deleted array. To delete it again does nothing."""

_READING_BUILTINS = frozenset(
    f"builtins.{name}" for name in ("float", "int", "bool", "complex", "print", "str", "repr", "abs", "sum", "round")
)

_ARRAY_LIBRARIES = ("jax.", "numpy.", "optax.")

_SHAPE_ONLY = frozenset(
    {
        *("zeros_like", "ones_like", "full_like", "empty_like", "tree_zeros_like", "tree_ones_like", "tree_full_like"),
        *("shape", "ndim", "size", "result_type"),
    }
)
"""Functions of JAX, NumPy and Optax that ask an array for its shape or dtype only, which a deleted array still has."""


_STRUCTURE_ONLY = frozenset(
    f"jax.tree.{name}"
    for name in ("leaves", "flatten", "leaves_with_path", "flatten_with_path", "structure", "unflatten", "transpose")
)
"""Functions that take a tree apart or put one together: what becomes of the leaves, other code decides."""


def reads_arrays(name: str) -> bool:
    """Whether a library function needs the values of its array arguments."""
    if name.startswith("builtins."):
        return name in _READING_BUILTINS
    if name in _STRUCTURE_ONLY:
        return False
    return name.startswith(_ARRAY_LIBRARIES) and not asks_for_shape(name)


def asks_for_shape(name: str) -> bool:
    """Whether a function of JAX, NumPy or Optax needs no value of the array that is its first argument."""
    return name.startswith(_ARRAY_LIBRARIES) and name.rpartition(".")[2] in _SHAPE_ONLY


def asks_only(interp: Interpreter, function: Value) -> bool:
    """Whether a function does nothing with its argument but what a deleted array allows: `lambda x: x.delete()`."""
    if isinstance(function, External):
        return asks_for_shape(function.name)
    body = interp.project.body(function.code) if isinstance(function, Function) else ()
    value = body[0].value if len(body) == 1 and isinstance(body[0], (ir.Return, ir.ExprStmt)) else None
    asked = value.function if isinstance(value, ir.Call) and not value.arguments else value
    return isinstance(asked, ir.Attribute) and isinstance(asked.value, ir.Name) and asked.name in DESCRIPTIVE
