"""How two arrays or numbers differ, where structured control flow wants them to be alike."""

from __future__ import annotations

from jitlint.analysis.arrays.dtypes import AT_LEAST, OF_ANY_KIND, default_dtype, differ, least_rank
from jitlint.analysis.values import Array, Const, Static, Traced, Value

_KINDS = ("bool", "int", "float", "complex")
_SCALARS = {kind: kind for kind in _KINDS}


def scalar_dtype(value: Value) -> str | None:
    """The kind of dtype of a Python number; None if it is no number."""
    if isinstance(value, Const):
        return _SCALARS.get(type(value.value).__name__)
    return _SCALARS.get(value.kind) if isinstance(value, Static) else None


def lead_difference(before: Array, after: Array) -> str:
    """Says how the lengths of the leading axes, or of others, differ, if both are counted from the same start."""
    if before.lead is not None and after.lead is not None and before.lead[0] == after.lead[0]:
        change = after.lead[1] - before.lead[1]
        if change:
            return f"the leading axis {'grows' if change > 0 else 'shrinks'} by {abs(change)}"
    wholes = [value.whole if isinstance(value, Traced) else None for value in (before, after)]
    if wholes[0] is None or wholes[1] is None or wholes[0][0] != wholes[1][0]:
        return ""
    return "an axis grows" if wholes[1][1] > wholes[0][1] else ""


def array_difference(before: Value, after: Value, yielding: bool) -> str:
    """Says how two arrays differ in rank or dtype."""
    a = before if isinstance(before, Array) else Array(scalar_dtype(before), 0, weak=True)
    b = after if isinstance(after, Array) else Array(scalar_dtype(after), 0, weak=True)
    if a.rank is not None and b.rank is not None and a.rank != b.rank:
        return f"rank {a.rank} becomes {b.rank}"
    if a.rank is not None and least_rank(b) > a.rank:
        return f"rank {a.rank} becomes {least_rank(b)} or more"
    if b.rank is not None and least_rank(a) > b.rank:
        return f"rank {least_rank(a)} or more becomes {b.rank}"
    if a.dtype in _KINDS and b.dtype in _KINDS and a.dtype != b.dtype:
        gives_way = yielding and a.weak and a.dtype != "bool" and _KINDS.index(b.dtype) > _KINDS.index(a.dtype)
        return "" if gives_way or _may_both_be_complex(a, b) else f"{a.dtype} becomes {b.dtype}"
    if "bool" in (a.dtype, b.dtype) and "number" in (a.dtype, b.dtype):
        return f"{a.dtype} becomes {b.dtype}"
    exact = a.exact, b.exact or (default_dtype(b.dtype) if b.weak and yielding and not a.weak else "")
    if a.dtype == b.dtype and differ(*exact):
        return f"{exact[0].rstrip(AT_LEAST)} becomes {exact[1].rstrip(AT_LEAST)}"
    return ""


def _may_both_be_complex(a: Array, b: Array) -> bool:
    """Whether one is complex, and the other came of a float and something unknown, which may be complex, too."""
    return {a.dtype, b.dtype} == {"float", "complex"} and any(
        each.dtype == "float" and each.exact.endswith(OF_ANY_KIND) for each in (a, b)
    )
