"""Arguments of jitted functions that have another shape in each round of a loop: each shape compiles."""

from __future__ import annotations

from jitlint.analysis.arrays.ragged import longest_in
from jitlint.analysis.arrays.rounds import GROWS, READ, varying_size
from jitlint.analysis.arrays.selections import SELECTED
from jitlint.analysis.language.signatures import Signature, StaticArguments
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.cache.static_arguments import another_in_each_round, arguments_given
from jitlint.analysis.tracing.entries import entry_of
from jitlint.analysis.tracing.varying import levels, mentions, node_at
from jitlint.analysis.values import Array, HostArray, JaxArray, List, Rounds, Sequence, Transformed, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def check_varying_shapes(
    interp: Interpreter,
    transformed: Transformed,
    target: Signature | None,
    static: StaticArguments,
    args: Args,
    span: Span,
) -> None:
    """Emits events for arguments that have another shape in each round of a loop."""
    if not transformed.transform.cached or interp.staging or not interp.loops:
        return
    loops = tuple(loop for loop in interp.loops if loop not in transformed.loops)
    for name, value, place in arguments_given(target, static, args, span, is_static=False):
        ragged = longest_in(interp, value)
        if ragged is not None:
            if loops and _follows_round(interp, loops[-1], place, ragged):
                _report_ragged(interp, transformed, name, place, ragged)
            continue
        rounds = varying_size(interp, value, loops)
        assuming = None
        if rounds is not None and (READ in rounds.formula or SELECTED in rounds.formula):
            selected = SELECTED in rounds.formula
            if not _differs(interp, rounds.loop, place, targets=selected):
                continue
            assuming = _NUMBER_DIFFERS if selected else _LENGTH_DIFFERS
        if rounds is not None and not (_is_list(value) and _may_be_bounded(interp, rounds.loop, place)):
            how = "growth" if rounds.formula == GROWS else "size"
        elif interp.loops[-1] in loops and _another_length(interp, value, place):
            how = "size"
        elif interp.loops[-1] in loops and _is_longer(interp, value, place):
            how = "growth"
        else:
            continue
        detail, entry = {"parameter": name}, entry_of(interp, transformed)
        interp.emit(EventKind.VARYING_SHAPE, place, how, detail=detail, entry=entry, assuming=assuming)


_LENGTH_DIFFERS = Assumption(AssumptionKind.NUMBER_DIFFERS, "the number that is its length differs from round to round")

_NUMBER_DIFFERS = Assumption(AssumptionKind.NUMBER_DIFFERS, "each round selects another number of elements")


def _differs(interp: Interpreter, loop: int, place: Span, *, targets: bool) -> bool:
    """Whether an argument is computed from what the round before has left, or (`targets`) what the loop goes over."""
    found = levels(interp, loop, targets=targets, carried=True)
    written = node_at(interp, found[-1].round, place) if found else None
    return written is not None and mentions(interp, written, found[-1].names)


def _follows_round(interp: Interpreter, loop: int, place: Span, ragged: Rounds) -> bool:
    """Whether the longest that an argument is as wide as is another one in each round of the innermost loop.

    It was found in this round, or in a loop that has ended or yields what this one goes over: a generator's.
    """
    innermost = loop == interp.loops[-1] and (ragged.loop == loop or ragged.loop not in interp.loops)
    return innermost and _differs(interp, loop, place, targets=True)


def _report_ragged(interp: Interpreter, transformed: Transformed, name: str, place: Span, ragged: Rounds) -> None:
    places = interp.world.readings.longest.items()
    module, span, symbol = next(place for text, place in places if text in ragged.formula)
    interp.emit(
        EventKind.VARYING_SHAPE,
        span,
        "longest",
        flow=interp.source_at(module, span, "as wide as the longest").then(interp.module, place, "passed here"),
        detail={"parameter": name},
        entry=entry_of(interp, transformed),
        module=module,
        symbol=symbol,
        assuming=Assumption(AssumptionKind.NUMBER_DIFFERS, "the longest differs from round to round"),
    )


def _another_length(interp: Interpreter, value: Value, place: Span) -> bool:
    """Whether an array had another length in each round so far of a loop that runs round by round, as over a list."""
    lead = value.lead if isinstance(value, Array) else None
    return lead is not None and lead[0] is None and another_in_each_round(interp, lead[1], place)


def _is_longer(interp: Interpreter, value: Value, place: Span) -> bool:
    """Whether an array was joined with more others in each round so far of such a loop."""
    if not isinstance(value, (JaxArray, HostArray)) or value.whole is None:
        return False
    joined, times = value.whole
    return isinstance(joined, Tuple) and another_in_each_round(interp, times, place, "joins")


def _is_list(value: Value) -> bool:
    """Whether an argument is a container of arrays, whose number decides the structure."""
    return any(isinstance(part, (List, Sequence)) for part in alternatives(value))


def _may_be_bounded(interp: Interpreter, identity: int, place: Span) -> bool:
    """Whether a list that a loop makes longer may come here with a few lengths only.

    That is so where something pops from it, and where only some rounds come, maybe those in which it has that length.
    """
    tree = interp.project.tree(interp.module)
    if tree is None or interp.module.snippet(place).rpartition(".")[2] in tree.popped:
        return True
    return any(loop.identity == identity and loop.undecided < interp.path.undecided for loop in interp.path.loops)
