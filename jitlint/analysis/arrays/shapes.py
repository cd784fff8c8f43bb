"""Ranks, leading axes and sizes that follow from the arguments of array functions, as far as they are known."""

from __future__ import annotations

import math

from jitlint.analysis.arrays.dtypes import rank_of
from jitlint.analysis.values import INT, SHAPE, Array, Const, Lead, LoopCounter, Sequence, Static, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of

_SHAPE_POSITIONS = {
    "zeros": 0,
    "ones": 0,
    "empty": 0,
    "full": 0,
    "normal": 1,
    "uniform": 1,
    "bernoulli": 2,
    "randint": 1,
}
"""Functions that make an array of a given shape, and the position of that argument."""


def arange_lead(args: Args) -> Lead | None:
    """The leading axis of `arange(n)` with a known number, or of one that ends at a loop counter; else None.

    What begins at a counter, too, has the same length in each round, or in each but the last: `arange(i, i + size)`.
    """
    if len(args.positional) == 1 and isinstance(args.positional[0], Const):
        count = args.positional[0].value
        known = isinstance(count, int) or (isinstance(count, float) and math.isfinite(count))
        return (None, math.ceil(count)) if known else None
    if 0 < len(args.positional) < 3 and isinstance(args.positional[-1], LoopCounter):
        begins = len(args.positional) == 2 and isinstance(args.positional[0], LoopCounter)
        return None if begins else constant_lead(args.positional[-1])
    return None


def shape_length(value: Value | None) -> int | None:
    """How many axes a shape has: 2 for `(3, n)`, 1 for an integer; None if not known."""
    content = content_of(value)
    if isinstance(content, Tuple):
        return len(content.elements)
    if isinstance(content, Const):
        return 1 if type(content.value) is int else None
    return 1 if isinstance(content, Static) and content.kind == "int" else None


def resulting_shape(name: str, args: Args) -> Value:
    """The shape that `shape(x)` or `broadcast_shapes(…)` gives: with as many axes as are known, of unknown sizes.

    `name` is the last part of the function's name.
    """
    if name == "shape" and args.positional:
        rank = nested_list_facts(args.positional[0])[0]
        return Tuple((INT,) * rank) if rank is not None else SHAPE
    lengths = [shape_length(shape) for shape in args.positional] if args.rest is None else []
    if name != "broadcast_shapes" or not lengths:
        return SHAPE
    known = [length for length in lengths if length is not None]
    if len(known) == len(lengths):
        return Tuple((INT,) * max(known))
    return Sequence("tuple", INT, max(known, default=0))


def element_count(name: str, args: Args) -> int:
    """How many elements the array has that a function makes from a shape; 0 if that is not known.

    `name` is the last part of the function's name: "zeros".
    """
    sizes = _sizes(name, args)
    known = [size.value for size in sizes if isinstance(size, Const) and isinstance(size.value, int)]
    return math.prod(known) if known and len(known) == len(sizes) else 0


def _sizes(name: str, args: Args) -> list[Value]:
    """The sizes of the axes of the array that a function makes; none if it makes none from a shape."""
    if name in ("randn", "rand") or (name == "arange" and len(args.positional) == 1):
        return args.positional
    if name in ("eye", "identity") and len(args.positional) == 1:
        return args.positional * 2
    position = _SHAPE_POSITIONS.get(name, 2 if name == "linspace" else None)
    shape = args.keywords.get("size")
    if shape is None and position is not None:
        shape = args.get(position, "num" if name == "linspace" else "shape")
    content = content_of(shape)
    if isinstance(content, Tuple):
        return list(content.elements)
    return [content] if content is not None else []


def constant_lead(size: Value | None) -> Lead | None:
    """A leading axis of a given size, known or a loop counter; None for any other."""
    if isinstance(size, Const) and isinstance(size.value, int) and size.value >= 0:
        return (None, size.value)
    return (size.rounds, 0) if isinstance(size, LoopCounter) and size.kind == "int" else None


def nested_list_facts(value: Value) -> tuple[int | None, Lead | None]:
    """The rank and the leading axis of an array that is made of nested lists, each None if not known."""
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


def nested_rank(value: Value | None) -> int | None:
    """The rank of what NumPy makes of a value: an array has its own, a list one more than its elements."""
    content = content_of(value)
    if isinstance(content, Tuple):
        ranks = {nested_rank(element) for element in content.elements}
        inner = ranks.pop() if len(ranks) == 1 else None
    elif isinstance(content, Sequence):
        inner = nested_rank(content.element)
    else:
        return None if value is None else rank_of(value)
    return None if inner is None else inner + 1


def least_matmul_rank(left: int, right: int) -> int:
    """A number of axes that a matrix product has at least, whose operands have at least so many, and one each."""
    return matmul_rank(max(left, 1), max(right, 1)) or 0


def matmul_rank(left: int | None, right: int | None) -> int | None:
    """The rank of a matrix product of arrays with these ranks; None if one of them is not known (or 0)."""
    if not left or not right:
        return None
    return left + right - 2 if min(left, right) == 1 else max(left, right)
