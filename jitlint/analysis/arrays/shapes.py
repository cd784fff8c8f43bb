"""Ranks and leading axes of the results of array functions, where they can be told."""

from __future__ import annotations

import math

from jitlint.analysis.values import Array, Const, Lead, LoopCounter, Sequence, Static, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of

_BY_SHAPE = {"zeros": 0, "ones": 0, "empty": 0, "full": 0, "normal": 1, "uniform": 1, "bernoulli": 2, "randint": 1}
"""Functions that make an array of a given shape, and where the shape stands."""


def arange_lead(args: Args) -> Lead | None:
    """The leading axis of `arange`."""
    if len(args.positional) == 1 and isinstance(args.positional[0], Const):
        count = args.positional[0].value
        return (None, math.ceil(count)) if isinstance(count, (int, float)) else None
    if args.positional and isinstance(args.positional[-1], LoopCounter) and len(args.positional) < 3:
        return constant_lead(args.positional[-1])
    return None


def shape_length(value: Value | None) -> int | None:
    """The number of sizes in a shape (one for an integer), None if not known."""
    content = content_of(value)
    if isinstance(content, Tuple):
        return len(content.elements)
    if isinstance(content, Const):
        return 1 if type(content.value) is int else None
    return 1 if isinstance(content, Static) and content.kind == "int" else None


def element_count(name: str, args: Args) -> int:
    """How many elements an array has that a function makes from a shape; 0 if that is not known."""
    sizes = _sizes(name, args)
    known = [size.value for size in sizes if isinstance(size, Const) and isinstance(size.value, int)]
    return math.prod(known) if known and len(known) == len(sizes) else 0


def _sizes(name: str, args: Args) -> list[Value]:
    if name in ("randn", "rand") or (name == "arange" and len(args.positional) == 1):
        return args.positional
    if name in ("eye", "identity") and len(args.positional) == 1:
        return args.positional * 2
    position = _BY_SHAPE.get(name, 2 if name == "linspace" else None)
    shape = args.keywords.get("size")
    if shape is None and position is not None:
        shape = args.get(position, "num" if name == "linspace" else "shape")
    content = content_of(shape)
    if isinstance(content, Tuple):
        return list(content.elements)
    return [content] if content is not None else []


def constant_lead(size: Value | None) -> Lead | None:
    """A leading axis of that size, if it is comparable."""
    if isinstance(size, Const) and isinstance(size.value, int) and size.value >= 0:
        return (None, size.value)
    return (size.rounds, 0) if isinstance(size, LoopCounter) else None


def nested_list_facts(value: Value) -> tuple[int | None, Lead | None]:
    """Rank and leading axis of an array made of nested lists."""
    content = content_of(value)
    if isinstance(content, Tuple):
        inner = nested_list_facts(content.elements[0])[0] if content.elements else 0
        return (None if inner is None else inner + 1), (None, len(content.elements))
    if isinstance(content, Sequence):
        inner = nested_list_facts(content.element)[0]
        return (None if inner is None else inner + 1), None
    if isinstance(content, Array):
        return content.rank, content.lead
    return (0, None) if isinstance(content, (Const, Static)) else (None, None)


def matmul_rank(left: int | None, right: int | None) -> int | None:
    """The rank of a matrix product."""
    if not left or not right:
        return None
    return left + right - 2 if min(left, right) == 1 else max(left, right)
