"""Values as keys of dicts and members of sets: a tracer has no hash."""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Value
from jitlint.analysis.values.args import Args
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def check_elements_hash(interp: Interpreter, element: Value, args: Args, span: Span, construct: str) -> None:
    """The elements of the first argument become members or keys; those of what may be a dict are its keys."""
    tracer = interp.traced(element)
    if tracer is not None and not tracer.tree:
        interp.emit(EventKind.HASH, args.place(span), construct, value=tracer)


def check_hash(interp: Interpreter, value: Value, node: ir.Expr, construct: str) -> None:
    """A value that is about to be hashed. A part of an argument of unknown structure may be a key of a dict."""
    tracer = interp.traced(value)
    if tracer is not None and (tracer.param or not tracer.tree):
        interp.emit(EventKind.HASH, node.span, construct, value=value)
