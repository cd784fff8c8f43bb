"""`reveal_stage(x)` in a program: jitlint reports what the analyzer thinks of `x`. The call returns `x`."""

from __future__ import annotations

from jitlint.analysis.libraries.tables import FUNCTIONS
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.reveal import REVEAL
from jitlint.analysis.values import UNKNOWN, Value
from jitlint.analysis.values.args import Args
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _reveal_stage(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """Notes what `x` is, and returns it."""
    value = args.get(0, "x")
    if value is None:
        return UNKNOWN
    interp.unit.reveals.expression(interp, value, args.span(0, "x", span), span)
    return value


FUNCTIONS[REVEAL] = _reveal_stage
