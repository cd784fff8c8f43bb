"""What is known of an array after indexing: its rank and its leading axis."""

from __future__ import annotations

from types import NoneType

from jitlint.analysis.values import Const, Lead, Slice, Static, Tuple, Value, is_none


def index_parts(index: Value) -> tuple[Value, ...]:
    """The parts of an index: those of `i, j:k`, or the index itself."""
    return index.elements if isinstance(index, Tuple) else (index,)


def lead_after_indexing(lead: Lead | None, index: Value) -> Lead | None:
    """The leading axis after indexing: slices with constant bounds shorten it, a new axis has length one."""
    first = index_parts(index)[0] if index_parts(index) else index
    if is_none(first):
        return (None, 1)
    if lead is None or not isinstance(first, Slice):
        return None
    bounds = [b.value for b in first.bounds if isinstance(b, Const) and isinstance(b.value, (int, NoneType))]
    if len(bounds) != len(first.bounds):
        return None
    lower, upper, step = bounds
    if step in (None, 1) and upper is None and lower is not None and lower < 0:
        return (None, -lower)
    if step not in (None, 1) or (lower is not None and lower < 0) or (upper is not None and upper >= 0):
        return None
    return lead[0], lead[1] - (lower or 0) + (upper or 0)


def rank_after_indexing(rank: int | None, index: Value) -> int | None:
    """The rank after indexing: an int takes an axis away, None adds one, a slice or `...` changes nothing."""
    if rank is None:
        return None
    for part in index_parts(index):
        if isinstance(part, Slice) or _is_ellipsis(part):
            continue
        if is_none(part):
            rank += 1
        elif isinstance(part, (Const, Static)) and is_int(part):
            rank -= 1
        else:
            return None
    return rank if rank >= 0 else None


def least_rank_after_indexing(least: int, index: Value) -> int:
    """A number of axes that `array[index]` has at least: those of slices, new ones, and those that it leaves over."""
    parts = index_parts(index)
    kept = sum(isinstance(part, Slice) for part in parts)
    new = sum(is_none(part) for part in parts)
    known = all(
        isinstance(part, Slice) or is_none(part) or (isinstance(part, Const) and is_int(part)) for part in parts
    )
    return kept + new + (max(0, least - (len(parts) - new)) if known else 0)


def _is_ellipsis(value: Value) -> bool:
    """Whether a part of an index is `...`."""
    return isinstance(value, Const) and value.value is Ellipsis


def is_int(value: Const | Static) -> bool:
    """Whether a host value is an int."""
    return value.kind == "int" if isinstance(value, Static) else isinstance(value.value, int)
