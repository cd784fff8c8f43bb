"""Large arrays that become constants of a compiled program: arrays with values that a trace uses from outside."""

from __future__ import annotations

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Array, HostArray, JaxArray, Value
from jitlint.events.event import LARGE_CONSTANT, EventKind
from jitlint.source.places import Span


def note_read(interp: Interpreter, value: Value, span: Span) -> None:
    """Notes where traced code reads a large array from outside: an event about the constant shows this place."""
    if isinstance(value, Array) and value.least >= LARGE_CONSTANT:
        interp.unit.captured[id(value)] = (value, interp.module, span)


def check_constants(interp: Interpreter, operands: list[Value], span: Span) -> None:
    """Predicts an event for each large array among the operands of an operation that a compiled trace records.

    An operand that is no tracer becomes a constant of the program.
    """
    if interp.trace is None or not interp.trace.cached or not interp.staging:
        return
    for value in operands:
        if isinstance(value, (JaxArray, HostArray)) and value.least >= LARGE_CONSTANT:
            _, module, place = interp.unit.captured.get(id(value), (value, interp.module, span))
            interp.emit(EventKind.CONSTANT, place, "array", module=module, detail={"elements": f"{value.least:,}"})
