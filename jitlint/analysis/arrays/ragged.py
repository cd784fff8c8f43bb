"""Arrays that are as wide as the longest of what they hold: `np.zeros((len(rows), max(len(row) for row in rows)))`.

Batches that are padded so have another shape in each round, unless the width is rounded up to one of a few. Which loop
makes them may be one that has ended before they are used, as that of a generator: the number carries its place instead.
"""

from __future__ import annotations

import re

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    Array,
    Const,
    Dict,
    HostArray,
    Instance,
    JaxArray,
    LoopCounter,
    Rounds,
    Slice,
    Tuple,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of, parts_of
from jitlint.analysis.values.joins import alternatives
from jitlint.source.places import Span

_OF_LENGTHS = re.compile(r"\blen\b|\.shape\b|\.size\b")
_LARGEST = re.compile(r"\bmax\(")
_OF_SIZES = {"zeros": 0, "ones": 0, "empty": 0, "full": 0, "pad": 1}
"""Functions that make an array of a shape or of widths that they are given, and the position of that argument."""
_OF_ARRAYS = frozenset({"stack", "array", "asarray", "concatenate", "device_put"})
"""Functions that make an array of one array or several."""

_DEPTH = 3
"""So deep the arguments are searched: `((0, width - len(row)), (0, 0))`."""


def longest_of(interp: Interpreter, span: Span, *, of_array: bool = False) -> LoopCounter | None:
    """The length of the longest of several things, where a round of a running loop asks for it; else None.

    Args:
        interp: where `max(len(row) for row in rows)` or `int(lengths.max())` is called.
        span: where that is written.
        of_array: whether it is a number of an array, so that the text says no more than that it is the largest.
    """
    wanted = _LARGEST if of_array else _OF_LENGTHS
    if not interp.loops or interp.staging or not wanted.search(interp.module.snippet(span)):
        return None
    longest = LoopCounter.of_longest(interp.loops[-1], f"{interp.module.name}:{span}")
    interp.world.readings.longest[longest.rounds.formula] = interp.module, span, interp.symbol()
    return longest


def as_wide(result: Value, name: str, args: Args) -> Value:
    """What a function of a library has given; if it is an array of a shape with such a width, it says so."""
    last = name.rpartition(".")[2]
    if not isinstance(result, (HostArray, JaxArray)) or result.whole is not None:
        return result
    width = None
    if last in _OF_SIZES:
        size = args.get(_OF_SIZES[last], "shape" if last != "pad" else "pad_width")
        width = _width(size, _DEPTH, numbers=True) if size is not None else None
    elif last in _OF_ARRAYS and args.first is not result:
        width = _width(args.first, _DEPTH)
    if width is not None:
        result.whole = width, 0
    return result


def sliced(result: Value, array: Value, index: Value) -> Value:
    """A part of an array: as wide as that, if only slices were taken that follow it: `x[:, :-1]`, not `x[:, :9]`."""
    parts = index.elements if isinstance(index, Tuple) else (index,)
    width = _width(array, 0)
    if width is not None and isinstance(result, (HostArray, JaxArray)) and all(map(_is_open, parts)):
        result.whole = width, 0
    return result


def _is_open(part: Value) -> bool:
    """Whether an index is a slice that ends where the array does, or so much before."""
    if not isinstance(part, Slice) or len(part.bounds) != 3:
        return False
    end = part.bounds[1]
    return is_none(end) or (isinstance(end, Const) and isinstance(end.value, int) and end.value < 0)


def _width(value: Value, depth: int, *, numbers: bool = False) -> Rounds | None:
    """The longest that an array is as wide as; of what containers hold, too, down to a depth.

    With `numbers`, that a number is: the value is a size, or holds some.
    """
    for part in alternatives(value):
        found = part.rounds if numbers and isinstance(part, LoopCounter) and part.kind == "int" else None
        if isinstance(part, (HostArray, JaxArray)):
            found = next((each[0] for each in (part.whole, part.lead) if each and isinstance(each[0], Rounds)), None)
        if found is not None and found.is_of_longest:
            return found
        for inner in parts_of(content_of(part)) if depth else ():
            found = _width(inner, depth - 1, numbers=numbers)
            if found is not None:
                return found
    return None


def longest_in(interp: Interpreter, value: Value) -> Rounds | None:
    """The longest that an argument, or an array within it, is as wide as; None if it is not."""
    for part in alternatives(value):
        parts = [part]
        if isinstance(part, Dict):
            parts = list(part.entries.values())
        elif isinstance(part, Tuple):
            parts = list(part.elements)
        elif isinstance(part, Instance):
            parts = [each for each in part.fields.values() if isinstance(each, Value)]
        found = next((width for each in parts if isinstance(each, Array) and (width := _width(each, 0))), None)
        if found is not None:
            return found
    return None
