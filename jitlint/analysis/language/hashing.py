"""Hashing: keys of dicts and members of sets. A tracer has no hash, so that Python fails there."""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Value
from jitlint.analysis.values.args import Args
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def check_elements_hash(interp: Interpreter, element: Value, args: Args, span: Span, construct: str) -> None:
    """Reports traced elements of the first argument, which become members or keys: `set(xs)`, `Counter(xs)`.

    `element` is the join of the elements. Elements of unknown structure pass: the argument may be a dict, whose keys
    hash.
    """
    tracer = interp.traced(element)
    if tracer is not None and not tracer.tree:
        interp.emit(EventKind.HASH, args.place(span), construct, value=tracer)


def check_hash(interp: Interpreter, value: Value, node: ir.Expr, construct: str) -> None:
    """Reports a traced value that is about to be hashed, as a key or a member.

    A part of an argument of unknown structure passes, since it may be a key of a dict; the whole argument does not,
    unless the code has found out that it is no array.
    """
    tracer = interp.traced(value)
    if tracer is not None and not tracer.container and (tracer.param or not tracer.tree):
        interp.emit(EventKind.HASH, node.span, construct, value=value)
