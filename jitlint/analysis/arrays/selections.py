"""Parts of arrays that code selects by their values: `rows = np.flatnonzero(labels == c)`, `images[labels == c]`.

How many there are, the data tell. Where each round of a loop selects anew, a jitted function gets another shape in it.
"""

from __future__ import annotations

from typing import Final

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Array, HostArray, JaxArray, ResizedInLoop, Rounds, Sequence, Unknown, Value
from jitlint.analysis.values.args import Args
from jitlint.source.places import Span

SELECTED: Final = "selected at "
"""In the formula of a length that the data tell."""

_SELECTING: Final = frozenset({"flatnonzero", "argwhere", "compress", "extract", "unique", "setdiff1d", "intersect1d"})
"""Functions of array libraries that give as many elements as the data tell."""

_OF_EACH_AXIS: Final = frozenset({"nonzero", "where"})
"""The same, for a tuple with an array for each axis."""


def selection(interp: Interpreter, result: Value, name: str, args: Args, span: Span) -> Value:
    """What a function of a library has given; an array of as many elements as the data tell in this round says so."""
    library, _, last = name.rpartition(".")
    if not interp.loops or interp.staging or library not in ("numpy", "jax.numpy") or "size" in args.keywords:
        return result
    if last in _SELECTING and isinstance(result, (HostArray, JaxArray)):
        return _resized(result, _rounds(interp, span))
    if last in _OF_EACH_AXIS and len(args.positional) == 1 and not args.keywords:
        made: Array = HostArray("int", 1) if library == "numpy" else JaxArray("int", 1)
        return Sequence("tuple", _resized(made, _rounds(interp, span)))
    return result


def selected_items(interp: Interpreter, base: Value, index: Value, node: ir.Subscript) -> Value | None:
    """What `array[index]` gives if it selects as many items as the data tell; None if it does not."""
    if not interp.loops or interp.staging or not isinstance(base, (HostArray, JaxArray, Unknown)):
        return None
    lead = index.lead if isinstance(index, (HostArray, JaxArray)) else None
    rounds = lead[0] if lead is not None else None
    if isinstance(node.item, ir.Compare):  # `images[labels == c]`
        rounds = _rounds(interp, node.span)
    if not isinstance(rounds, Rounds) or SELECTED not in rounds.formula:
        return None
    if isinstance(base, (HostArray, JaxArray)):
        return _resized(base, rounds)
    return ResizedInLoop(rounds)


def _rounds(interp: Interpreter, span: Span) -> Rounds:
    return Rounds(interp.loops[-1], f"{SELECTED}{interp.module.name}:{span}")


def _resized(array: Array, rounds: Rounds) -> Array:
    """An array of the same kind with another length."""
    return type(array)(array.dtype, array.rank, array.weak, (rounds, 0))
