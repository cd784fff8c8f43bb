"""Large arrays that a compiled program holds as constants: concrete ones that a trace uses."""

from __future__ import annotations

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Array, HostArray, JaxArray, Value
from jitlint.events.event import LARGE_CONSTANT, EventKind
from jitlint.source.places import Span


def note_read(interp: Interpreter, value: Value, span: Span) -> None:
    """Traced code reads a variable from outside: the place to show, should it use what it read there."""
    if isinstance(value, Array) and value.least >= LARGE_CONSTANT:
        interp.unit.captured[id(value)] = (value, interp.module, span)


def check_constants(interp: Interpreter, operands: list[Value], span: Span) -> None:
    """An operation is recorded on these operands: those without a tracer become constants of the program."""
    if interp.trace is None or not interp.trace.cached or not interp.staging:
        return
    for value in operands:
        if isinstance(value, (JaxArray, HostArray)) and value.least >= LARGE_CONSTANT:
            _, module, place = interp.unit.captured.get(id(value), (value, interp.module, span))
            interp.emit(EventKind.CONSTANT, place, "array", module=module, detail={"elements": f"{value.least:,}"})
