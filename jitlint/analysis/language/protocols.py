"""What Python calls behind a syntax: special methods of classes (`x[i]`, `len(x)`, `for … in x`), and hashes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from jitlint import ir
from jitlint.analysis.language.classes import bind_self, class_attribute, lineage
from jitlint.analysis.machine.escapes import check_escape
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.values import INT, STR, UNKNOWN, Const, External, Instance, Tuple, Value, text_of
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def call_special_method(
    interp: Interpreter, value: Value, name: str, values: Sequence[Value], span: Span
) -> Value | None:
    """The result of a special method, if the class of `value` (an instance or a NamedTuple) defines it; else None.

    As in Python, it is looked up on the class, never on the instance. `values` are its arguments after `self`.
    """
    cls = value.cls if isinstance(value, (Instance, Tuple)) else None
    if cls is None:
        return None
    found = class_attribute(interp, cls, name)
    if found is None:
        return None
    return call(interp, bind_self(interp, found[0], value, span), Args(list(values)), span)


def item_of_instance(interp: Interpreter, instance: Instance) -> Value:
    """What `instance[index]` gives if a class of a library defines it."""
    bases = [base for each in lineage(instance.cls) for base in each.bases]
    counts = any(isinstance(base, External) and interp.models.has_role(base.name, "counts") for base in bases)
    return INT if counts else UNKNOWN


def set_item_of_instance(
    interp: Interpreter, instance: Instance, index: Value, value: Value, span: Span, text: str
) -> None:
    """Runs `instance[index] = value`. What a class of a library does changes the instance, as that of a dict does."""
    if call_special_method(interp, instance, "__setitem__", [index, value], span) is None:
        check_escape(interp, instance, value, span, "item", text, write=True)


def format_value(interp: Interpreter, value: Value, spec: str | None, span: Span) -> None:
    """Formats a value, as `format(value, spec)` does: an event if a tracer gets a specification.

    `spec` is "" where there is none, and None where it is not known.
    """
    if spec != "" and interp.traced(value) is not None:
        interp.emit(EventKind.FORMAT, span, "format", value=value)
    for part in alternatives(value):
        if call_special_method(interp, part, "__format__", (STR if spec is None else Const(spec),), span) is None:
            convert_to_string(interp, part, span)


def convert_to_string(interp: Interpreter, value: Value, span: Span) -> None:
    """Runs what `str(value)` runs: `__str__`, or `__repr__` if there is none. Its result is not needed."""
    for part in alternatives(value):
        if call_special_method(interp, part, "__str__", (), span) is None:
            call_special_method(interp, part, "__repr__", (), span)


def percent_format(interp: Interpreter, text: str, right: Value, span: Span) -> Value:
    """The value of `text % right`. A tracer has no number to format (`%d`); `%s` shows the tracer."""
    values = right.elements if isinstance(right, Tuple) else (right,)
    for code, value in zip(_PERCENT_CONVERSION.findall(text), values, strict=False):
        if code not in "sra" and interp.traced(value) is not None:
            interp.emit(EventKind.FORMAT, span, "%", value=value)
    return text_of(values)


_PERCENT_CONVERSION: Final = re.compile(r"%(?:\(\w+\))?[-+ #0]*\d*(?:\.\d+)?([a-zA-Z])")
"""One conversion in a string for `%`: its group is the letter."""


# --- hashing: keys of dicts and members of sets. A tracer has no hash, so that Python fails there ---------------------


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
