"""Trees that `jax.tree.map` takes together though their structures differ: JAX maps over what is built alike."""

from __future__ import annotations

from collections.abc import Sequence

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.structures import DEEPEST, class_name_of, fields_of, keys_difference, kind_of, parts_of
from jitlint.analysis.values import Dict, Instance, List, Tuple, Union, Value, look
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def check_trees(interp: Interpreter, construct: str, trees: Sequence[Value], span: Span) -> None:
    """Emits an event where one of several trees has not the structure of the first, as far as both are known.

    Where the first has a leaf, the others may have a whole tree. An undecided test, in the trace if there is one, may
    ask for just that: whether the second is one number for all leaves, or a tree.
    """
    trace, assuming = interp.trace, None
    if interp.path.undecided > (0 if trace is None else trace.undecided) or interp.frame.exits:
        assuming = Assumption(AssumptionKind.ONE_OF_VALUES, "no test before keeps such trees away")
    for tree in trees[1:]:
        found = _difference(interp, trees[0], tree)
        if found:
            interp.emit(EventKind.TREES, span, construct, detail={"difference": found}, assuming=assuming)
            return


def _difference(interp: Interpreter, first: Value, other: Value, depth: int = DEEPEST) -> str:
    """Says how the structure of a tree differs from the first one's; "" if it does not, or if that is not known.

    Lists get longer elsewhere, and an object of one class may stand for those of its subclasses, so that neither the
    lengths of lists nor classes are compared.
    """
    look()
    if depth == 0:
        return ""
    if isinstance(first, Union) or isinstance(other, Union):
        found = [_difference(interp, a, b, depth) for a in alternatives(first) for b in alternatives(other)]
        return found[0] if all(found) else ""
    kinds = kind_of(first), kind_of(other)
    both = isinstance(first, Instance) and isinstance(other, Instance)
    if "" in kinds or kinds[0] == "an array" or (both and kinds[0] != kinds[1]):
        return ""
    for value in (first, other):
        if isinstance(value, Instance) and (value.guessed or fields_of(interp, value) is None):
            return ""
    if kinds[0] != kinds[1]:
        return f"{kinds[0]} against {kinds[1]}"
    if isinstance(first, Tuple) and isinstance(other, Tuple) and first.cls is not other.cls:
        return f"{class_name_of(first)} against {class_name_of(other)}"
    if isinstance(first, Instance) and isinstance(other, Instance):
        parts = fields_of(interp, first), fields_of(interp, other)
    else:
        parts = parts_of(first), parts_of(other)
    if parts[0] is None or parts[1] is None:
        return ""
    if parts[0].keys() != parts[1].keys():
        if isinstance(first, List):
            return ""
        return keys_difference(kinds[0], list(parts[0]), list(parts[1])).replace(" becomes ", " against ")
    for key, part in parts[0].items():
        found_inside = _difference(interp, part, parts[1][key], depth - 1)
        if found_inside:
            return f"`{key}`: {found_inside}" if isinstance(first, (Instance, Dict)) else found_inside
    return ""
