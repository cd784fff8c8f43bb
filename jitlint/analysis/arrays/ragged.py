"""Arrays that are as wide as the longest of what they hold: `np.zeros((len(rows), max(len(row) for row in rows)))`.

Batches that are padded so have another shape in each round, unless the width is rounded up to one of a few. Which loop
makes them may be one that has ended before they are used, as that of a generator: the number carries its place instead.
"""

from __future__ import annotations

import re

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    Array,
    Dict,
    HostArray,
    Instance,
    JaxArray,
    LoopCounter,
    Rounds,
    Slice,
    Tuple,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of, parts_of
from jitlint.analysis.values.joins import alternatives
from jitlint.source.places import Span

_OF_LENGTHS = re.compile(r"\blen\b|\.shape\b|\.size\b")
_SHAPED = frozenset({"zeros", "ones", "empty", "full", "pad", "stack", "array", "asarray", "concatenate", "device_put"})
"""Functions that make an array of a shape that they are given, or of arrays."""

_DEPTH = 3
"""So deep the arguments are searched: `((0, width - len(row)), (0, 0))`."""


def longest_of(interp: Interpreter, span: Span, *, known: bool = False) -> LoopCounter | None:
    """The length of the longest of several things, where a round of a running loop asks for it; else None.

    Args:
        interp: where `max(len(row) for row in rows)` or `int(lengths.max())` is called.
        span: where that is written.
        known: whether it is known to be the largest of several lengths: else the text has to say so.
    """
    text = interp.module.snippet(span)
    if not interp.loops or interp.staging or not (known or _OF_LENGTHS.search(text)):
        return None
    longest = LoopCounter.of_longest(interp.loops[-1], f"{interp.module.name}:{span}")
    interp.world.readings.longest[longest.rounds.formula] = interp.module, span, interp.symbol()
    return longest


def as_wide(result: Value, name: str, args: Args) -> Value:
    """What a function of a library has given; if it is an array of a shape with such a width, it says so."""
    if isinstance(result, (HostArray, JaxArray)) and result.whole is None and name.rpartition(".")[2] in _SHAPED:
        width = next((found for value in args.all() if (found := _width(value, _DEPTH)) is not None), None)
        if width is not None and not any(value is result for value in args.all()):
            result.whole = width, 0
    return result


def sliced(result: Value, array: Value, index: Value) -> Value:
    """A part of an array: as wide as the array, if only slices were taken."""
    parts = index.elements if isinstance(index, Tuple) else (index,)
    width = _width(array, 0)
    if width is not None and isinstance(result, (HostArray, JaxArray)) and all(isinstance(p, Slice) for p in parts):
        result.whole = width, 0
    return result


def _width(value: Value, depth: int) -> Rounds | None:
    """The longest that an array is as wide as, or that a size is; of what containers hold, too, down to a depth."""
    for part in alternatives(value):
        found = part.rounds if isinstance(part, LoopCounter) and part.kind == "int" else None
        if isinstance(part, (HostArray, JaxArray)):
            found = next((each[0] for each in (part.whole, part.lead) if each and isinstance(each[0], Rounds)), None)
        if found is not None and found.is_of_longest:
            return found
        for inner in parts_of(content_of(part)) if depth else ():
            found = _width(inner, depth - 1)
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
