"""Methods of strings and numbers: `"…".format(x)` needs the text of x, `text.upper()` of a constant is computed."""

from __future__ import annotations

import re
import string
from collections.abc import Callable

from jitlint.analysis.language.protocols import format_value
from jitlint.analysis.libraries.tables import METHODS
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import BOOL, INT, STR, Const, Method, Sequence, Static, Tuple, Value, text_of
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.folding import MAX_TEXT, fold
from jitlint.analysis.values.joins import tuple_of
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def _text_method(interp: Interpreter, receiver: Const | Static, method: Method, args: Args, span: Span) -> Value:
    """Calls a method of a string or number; the result is a constant if all that is needed is."""
    name = method.name
    known = [value for value in map(_constant, args.positional) if value is not None]
    if isinstance(receiver, Const) and len(known) == len(args.all()) and not args.keywords:
        folded = _fold_text(receiver.value, name, [value.value for value in known])
        if folded is not None:
            return folded
        if name in ("split", "rsplit") and isinstance(receiver.value, str) and len(receiver.value) <= MAX_TEXT:
            parts = _split(receiver.value, name, [value.value for value in known])
            if parts is not None:
                return interp.new_list("list", tuple_of([Const(part) for part in parts]), span)
    if name == "format":
        for value in args.all():
            format_value(interp, value, "", span)
    if name == "format" and isinstance(receiver, Const):
        for value in _with_specification(str(receiver.value), args):
            if interp.traced(value) is not None:
                interp.emit(EventKind.FORMAT, span, "format", value=value)
        return text_of(args.all())
    if name in ("split", "rsplit", "splitlines"):
        return interp.new_list("list", Sequence("tuple", STR), span)
    if name in ("partition", "rpartition"):
        return Tuple((STR, STR, STR))
    if name.startswith("is") or name in ("startswith", "endswith"):
        return BOOL
    return INT if name in ("find", "index", "count", "rfind", "bit_length") else STR


def _constant(value: Value) -> Const | None:
    """A constant, or one for a tuple of constants; None if the value is not known."""
    if isinstance(value, Tuple) and value.cls is None and all(isinstance(part, Const) for part in value.elements):
        return Const(tuple(part.value for part in value.elements if isinstance(part, Const)))
    return value if isinstance(value, Const) else None


def _split(text: str, name: str, values: list[object]) -> list[str] | None:
    """The parts of `text.split(*values)`, or of `rsplit`; None if Python refuses it."""
    try:
        parts: list[str] = getattr(text, name)(*values)
    except (TypeError, ValueError, OverflowError):
        return None
    return parts


def _with_specification(text: str, args: Args) -> list[Value]:
    """The arguments of `text.format(…)` that a format specification applies to: `x` in `"{0:.2f}".format(x)`."""
    found = []
    position = 0
    try:
        fields = list(string.Formatter().parse(text))
    except ValueError:
        return []
    for _, field, specification, conversion in fields:
        if field is None:
            continue
        name = re.split(r"[.\[]", field)[0]
        numbered = name.isdecimal() and len(name) < 5
        index = int(name) if numbered else position
        position += not name
        value = args.keywords.get(name) if name and not numbered else args.get(index, "")
        if specification and not conversion and value is not None:
            found.append(value)
    return found


_FOLDABLE: dict[str, Callable[..., object]] = {
    name: getattr(str, name) for name in ("lower", "upper", "strip", "startswith", "endswith", "replace", "title")
}


def _fold_text(text: object, name: str, values: list[object]) -> Value | None:
    """The result of a string method on constants; None if it is none of the foldable methods, or fails."""
    if not isinstance(text, str) or name not in _FOLDABLE:
        return None
    return fold(_FOLDABLE[name], text, *values)


METHODS.update({Const: _text_method, Static: _text_method})
