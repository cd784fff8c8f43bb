"""What an operator gives of arrays: `x + 1`, `x @ y`, `x < y`."""

from __future__ import annotations

from typing import Final

from jitlint.analysis.arrays import shapes
from jitlint.analysis.arrays.dtypes import (
    dtype_by_division,
    dtype_of,
    dtype_of_operation,
    gives_way,
    least_rank,
    promoted_exact,
    rank_of,
    with_exact_dtype,
    with_least_rank,
)
from jitlint.analysis.arrays.results import array_result, common_lead, is_variable
from jitlint.analysis.arrays.rounds import DIFFERING
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.scalars import note_scalar_use
from jitlint.analysis.values import UNKNOWN, Array, ExternalInstance, HostArray, Traced, Unknown, Value
from jitlint.source.places import Span

_OF_BITS: Final = ("&", "|", "^", "<<", ">>")
"""Operators that take no floating-point numbers."""


def operate_on_arrays(interp: Interpreter, op: str, left: Value, right: Value, span: Span) -> Value:
    """The value of `left op right` where at least one is an array, or a library's object that holds one.

    It is an array of the host if both are of the host (NumPy), else one of JAX, traced if one of them is.
    """
    dtypes = (dtype_of(left), dtype_of(right))
    left_rank, right_rank = rank_of(left), rank_of(right)
    rank = None if left_rank is None or right_rank is None else max(left_rank, right_rank)
    if op == "@":
        rank = shapes.matmul_rank(left_rank, right_rank)
    dtype = dtype_of_operation(op, *dtypes)
    for value in (left, right):
        if isinstance(value, ExternalInstance):
            if not is_variable(interp, value):
                return UNKNOWN
            return array_result(interp, [left, right], span, None, by=value.of)
    if op in _OF_BITS and "float" in dtypes:
        return UNKNOWN  # which JAX and NumPy refuse
    least = max(_least_size(left), _least_size(right)) if op != "@" else 0
    if all(isinstance(v, HostArray) or not isinstance(v, Array) for v in (left, right)):
        unknown = isinstance(left, Unknown) or isinstance(right, Unknown)
        exact = promoted_exact([left, right], dtype) or dtype_by_division(op, dtypes)
        series = op in DIFFERING and any(isinstance(v, HostArray) and v.series for v in (left, right))
        return UNKNOWN if unknown else HostArray(dtype, rank, exact=exact, least=least, series=series)
    weak = gives_way([left, right], dtype)
    lead = common_lead([left, right]) if op != "@" else None
    result = array_result(interp, [left, right], span, dtype, rank, weak=weak, lead=lead, least=least)
    exact = "" if weak else promoted_exact([left, right], dtype) or dtype_by_division(op, dtypes)
    if op == "@":
        note_scalar_use(interp, left, span)
        note_scalar_use(interp, right, span)
    axes = least_rank(left), least_rank(right)
    least_axes = shapes.least_matmul_rank(*axes) if op == "@" else max(axes)
    known = with_least_rank(with_exact_dtype(result, exact), least_axes)
    if isinstance(known, Traced) and any(isinstance(value, Unknown) for value in (left, right)):
        assumption = interp.world.guesses.not_wrapped(interp.module, span)
        return known if assumption is None else known.replace(flow=known.flow.assuming(assumption))
    return known


def _least_size(value: Value) -> int:
    """A number of elements that the value has at least."""
    return value.least if isinstance(value, Array) else 0
