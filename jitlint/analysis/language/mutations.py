"""Changes of lists and dicts in place."""

from __future__ import annotations

from jitlint.analysis.language.iteration import exact_elements, joined_elements
from jitlint.analysis.machine.accesses import record_write
from jitlint.analysis.machine.escapes import check_escape
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import UNKNOWN, Dict, HeapObject, List, Sequence, Transformed, Tuple, Value
from jitlint.analysis.values.joins import join, join_all
from jitlint.source.places import Span


def forget_length(interp: Interpreter, target: List) -> None:
    """The list's length is no longer known."""
    content = target.content
    if isinstance(content, Tuple):
        interp.store.set(target, "content", Sequence("tuple", join_all(content.elements)))


def extend_list(interp: Interpreter, target: List, value: Value, span: Span, text: str) -> None:
    """`target += value`; `text` is how the target is written."""
    exact = exact_elements(interp, value, span, "extend")
    content = target.content
    check_escape(interp, target, value, span, "extend", text)
    if exact is not None and isinstance(content, Tuple):
        interp.store.set(target, "content", Tuple((*content.elements, *exact)))
        return
    element = join_all(exact) if exact is not None else joined_elements(interp, value, span, "extend")
    old = join_all(content.elements) if isinstance(content, Tuple) else content.element  # type: ignore[attr-defined]
    interp.store.set(target, "content", Sequence("tuple", join(old, element)))


def record_list_change(interp: Interpreter, target: List, span: Span) -> None:
    """A list changes that a trace may have read."""
    if target.site is not None:
        key = ("object", str(target.site[0].source.path), target.site[1], "content")
        record_write(interp, key, span, ordered=False, initial=False)


def mark_stored(interp: Interpreter, target: Value, value: Value) -> None:
    """A transformed function stored in an object that outlives the loop is made once per object, not once per round."""
    if isinstance(value, Transformed) and len(getattr(target, "loops", ())) < len(value.loops):
        value.stored = True


def share_lifetime(target: Value, value: Value) -> None:
    """A container stored in one that outlives the trace outlives it too: what is put into it later escapes."""
    if isinstance(target, HeapObject) and isinstance(value, (List, Dict)):
        value.depth = min(value.depth, target.depth)


def with_unknown_content(value: Value) -> Value:
    """A new list or dict after anything may have been put into it."""
    if isinstance(value, List):
        value.fields["content"] = Sequence("tuple", UNKNOWN)
    elif isinstance(value, Dict):
        value.fields["rest"] = UNKNOWN
    return value
