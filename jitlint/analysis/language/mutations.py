"""Lists and dicts that change in place, and what storing a value in a container means for the value.

Used by item assignment (subscripts.py), `+=` (statements.py) and the methods of containers in the room `libraries`.
"""

from __future__ import annotations

from jitlint.analysis.language.iteration import exact_elements, joined_elements
from jitlint.analysis.machine.accesses import list_key, record_write
from jitlint.analysis.machine.escapes import check_escape
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import UNKNOWN, Dict, HeapObject, List, Sequence, Transformed, Tuple, Value
from jitlint.analysis.values.joins import join, join_all, tuple_of
from jitlint.analysis.values.objects import object_writes
from jitlint.source.places import Span


def forget_length(interp: Interpreter, target: List) -> None:
    """A list's length is not known from here on; its elements are joined."""
    content = target.content
    if isinstance(content, Tuple):
        interp.store.set(target, "content", Sequence("tuple", join_all(content.elements)))


def extend_list(interp: Interpreter, target: List, value: Value, span: Span, text: str) -> None:
    """Runs `target += value` (or `target.extend(value)`). `text` is how the target is written."""
    exact = exact_elements(interp, value, span, "extend")
    content = target.content
    check_escape(interp, target, value, span, "extend", text)
    if exact is not None and isinstance(content, Tuple):
        interp.store.set(target, "content", tuple_of([*content.elements, *exact]))
        return
    element = join_all(exact) if exact is not None else joined_elements(interp, value, span, "extend")
    old = join_all(content.elements) if isinstance(content, Tuple) else content.element  # type: ignore[attr-defined]
    interp.store.set(target, "content", Sequence("tuple", join(old, element)))


def record_list_change(interp: Interpreter, target: List, span: Span) -> None:
    """Records that a list changes, which a cached trace may have read."""
    if (key := list_key(target)) is not None:
        record_write(interp, key, span, ordered=False, initial=False, holder=target.serial)


def mark_stored(interp: Interpreter, target: Value, value: Value) -> None:
    """Notes that a transformed function is stored in an object that outlives the loop it was made in.

    `self.cache[n] = jax.jit(f)` in a loop compiles once for each entry, not once more in every round.
    """
    if isinstance(value, Transformed) and len(getattr(target, "loops", ())) < len(value.loops):
        value.stored = True


def share_lifetime(target: Value, value: Value) -> None:
    """A list or dict that is stored in an object from outside of the trace outlives the trace too.

    Its `depth` becomes that of the object, so that what is put into it later escapes.
    """
    if isinstance(target, HeapObject) and isinstance(value, (List, Dict)):
        value.depth = min(value.depth, target.depth)
        object_writes[0] += 1


def with_unknown_content(value: Value) -> Value:
    """A list or dict that was just made, with anything in it.

    Its fields are written directly, not through the store: no other branch knows an object this young.
    """
    if isinstance(value, List):
        value.fields["content"] = Sequence("tuple", UNKNOWN)
    elif isinstance(value, Dict):
        value.fields["rest"] = UNKNOWN
    return value
