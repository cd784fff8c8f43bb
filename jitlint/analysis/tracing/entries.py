"""The entry of an event: where the transform was applied that traces the running code."""

from __future__ import annotations

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Transformed
from jitlint.analysis.values.callables import function_name
from jitlint.events.event import Entry


def entry_of(interp: Interpreter, transformed: Transformed) -> Entry:
    """Where a transformed function was made, as findings show it."""
    assert transformed.site is not None
    module, span = transformed.site
    return Entry(module.place(span), transformed.transform.name, function_name(transformed.function))
