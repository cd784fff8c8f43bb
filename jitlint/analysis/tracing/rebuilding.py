"""Objects among the arguments of a trace: JAX takes them apart, and puts them together again with tracers in them.

What a class does when it is made then runs on tracers: the function that it is registered with (`tree_unflatten`),
which often calls `__init__`, or the `__post_init__` of classes that JAX or a library calls anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from jitlint.analysis.language.classes import bind_self, class_attribute, class_facts, lineage
from jitlint.analysis.machine.interpreter import Interpreter, call, get_attribute
from jitlint.analysis.machine.walks import inside
from jitlint.analysis.values import Class, Instance, Traced, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of, parts_of
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.source.places import Span


def rebuild(interp: Interpreter, values: Iterable[Value], span: Span) -> None:
    """Runs what makes the objects in the arguments of the running trace anew. Static arguments are left alone.

    Args:
        values: the arguments, as the traced function gets them.
        span: where it is called.
    """
    for value in values:
        if isinstance(value, Instance):
            inside(interp, value, partial(_rebuild, interp, value, span), None)
        else:
            rebuild(interp, parts_of(value), span)


def _rebuild(interp: Interpreter, value: Instance, span: Span) -> None:
    """Makes an object anew, after those that it holds."""
    if value.depth != interp.depth:  # the trace did not make it: it is static
        return
    rebuild(interp, [part for part in value.fields.values() if isinstance(part, Value)], span)
    owner = next((cls for cls in lineage(value.cls) if cls.by_functions), None)
    if owner is not None:
        _unflatten(interp, value, owner, span)
    elif _is_called_anew(interp, value.cls):
        after = class_attribute(interp, value.cls, "__post_init__")
        if after is not None:
            call(interp, bind_self(interp, after[0], value, span), Args([]), span)


def _is_called_anew(interp: Interpreter, cls: Class) -> bool:
    """Whether JAX calls the class, a dataclass, to make an object of what it has taken apart."""
    known = class_facts(interp, cls)
    return any(model.called_anew for model in known.models) or (
        known.dataclass and any(current.is_registered for current in lineage(cls))
    )


def _unflatten(interp: Interpreter, value: Instance, owner: Class, span: Span) -> None:
    """Runs the functions that a class is registered with: what the first one gives, the second one gets."""
    flatten, unflatten = owner.flatten, owner.unflatten
    with_keys = False
    if flatten is None:
        with_keys = class_attribute(interp, value.cls, "tree_flatten") is None
        name = "tree_flatten_with_keys" if with_keys else "tree_flatten"
        found = class_attribute(interp, value.cls, name)
        flatten = found[0] if found is not None else None
        unflatten = get_attribute(interp, value.cls, "tree_unflatten", span)
    if flatten is None or unflatten is None:
        return
    parts = call(interp, flatten, Args([value]), span)
    if not isinstance(parts, Tuple) or len(parts.elements) != 2:
        return
    children, static = parts.elements
    content = content_of(children)
    if not isinstance(content, Tuple):  # which of them is which argument of the class cannot be told
        return
    if with_keys:
        pairs = [pair.elements for pair in content.elements if isinstance(pair, Tuple) and len(pair.elements) == 2]
        content = Tuple(tuple([pair[1] for pair in pairs]))
    call(interp, unflatten, Args([static, Tuple(tuple(map(_as_array, content.elements)))]), span)


def _as_array(child: Value) -> Value:
    """A child of which nothing is known, as an array: the class has made it, so a default such as None is gone."""
    if not isinstance(child, Traced) or not child.tree:
        return child
    is_array = Assumption(AssumptionKind.PART_IS_ARRAY, "what it is made of is an array")
    return child.replace(tree=False, flow=child.flow.assuming(is_array))
