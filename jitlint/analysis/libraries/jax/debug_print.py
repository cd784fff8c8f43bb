"""`jax.debug.print(fmt, *args, **kwargs)`: the text is formatted at run time, with the values of the arguments."""

from __future__ import annotations

import string

from jitlint.analysis.libraries.requirements import tracer_in
from jitlint.analysis.libraries.tables import HANDLERS
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import NONE, Const, TracerText, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives
from jitlint.events.event import EventKind
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _debug_print(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """An event if the text shows a tracer already, is no text, or has no place for a value that is given."""
    given = args.get(0, "fmt")
    place = args.span(0, "fmt", span)
    parts = alternatives(given) if given is not None else ()
    shown = next((part.tracer for part in parts if isinstance(part, TracerText)), None)
    if shown is not None and interp.traced(shown) is not None:
        interp.emit(EventKind.TEXT, place, "text", value=shown)
    elif given is not None and interp.traced(given) is given:
        interp.emit(EventKind.TEXT, place, "value", value=given)
    elif isinstance(given, Const) and isinstance(given.value, str) and args.rest is None and "fmt" not in args.keywords:
        unused = _first_unused(given.value, len(args.positional) - 1)
        if unused is not None and "skip_format_check" not in args.keywords:
            place = args.span(unused + 1, "", span)
            interp.emit(EventKind.TEXT, place, "unused", value=interp.traced(args.positional[unused + 1]))
    for i, value in enumerate(args.positional[1:], 1):
        if isinstance(value, TracerText) and tracer_in(interp, [value.tracer]) is not None:
            interp.emit(EventKind.TEXT, args.span(i, "", span), "text", value=value.tracer)
    return NONE


def _first_unused(text: str, count: int) -> int | None:
    """The first of some positional values that a format text has no field for; None if all are used."""
    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(text) if field is not None]
        inner = [spec for _, _, spec, _ in string.Formatter().parse(text) if spec and "{" in spec]
    except ValueError:
        return None
    heads = [field.partition(".")[0].partition("[")[0] for field in fields]
    used = {int(head) for head in heads if head.isdecimal()} | set(range(heads.count("")))
    unused = [i for i in range(count) if i not in used]
    return unused[0] if unused and not inner else None


HANDLERS["debug_print"] = _debug_print
