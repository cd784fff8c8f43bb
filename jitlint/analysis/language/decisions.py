"""Truth: the outcome of `bool(value)`, and the event when a tracer is asked for it.

`truth` only looks; `decide` is Python asking, so it reports. narrowing.py says what a branch learns from the outcome.
"""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.language.annotations import means_container
from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.language.protocols import call_special_method
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    Array,
    BoundMethod,
    Class,
    Const,
    Dict,
    External,
    Function,
    Instance,
    List,
    ModuleValue,
    Never,
    Partial,
    Sequence,
    Traced,
    Transformed,
    Tuple,
    Union,
    Unknown,
    Value,
)
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span

_ALWAYS_TRUE = (Function, Class, ModuleValue, Partial, Transformed, BoundMethod)
"""Values whose truth is True whatever they are."""


def truth(interp: Interpreter, value: Value) -> bool | None:
    """The outcome of `bool(value)`; None if it is not known. Reports nothing."""
    if isinstance(value, (Unknown, Array)):
        return None
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Tuple):
        return bool(value.elements)
    if isinstance(value, List):
        content = value.content
        return bool(content.elements) if isinstance(content, Tuple) else None
    if isinstance(value, Sequence):
        return True if value.least else None
    if isinstance(value, Dict):
        if value.entries or value.maybe:  # what may be there counts as there: what is made of it covers both
            return True
        return False if isinstance(value.rest, Never) else None
    if isinstance(value, _ALWAYS_TRUE):
        return True
    if isinstance(value, External):
        return True if interp.models.knows(value.name) else None  # a constant of a library may be anything
    found = {truth(interp, part) for part in value.alternatives} if isinstance(value, Union) else {None}
    return found.pop() if len(found) == 1 else None


def decide(
    interp: Interpreter,
    value: Value,
    construct: str,
    span: Span,
    of: Span | None = None,
    detail: dict[str, str] | None = None,
) -> bool | None:
    """Python asks for `bool(value)`: returns the outcome (None if it is not known), and reports a traced value.

    Args:
        construct: what asks, as rules know it: "if", "while", "and", "comparison-chain" …
        span: where Python would fail.
        of: where the value is written, if that is elsewhere.
        detail: further facts for the rule.
    """
    for part in alternatives(value):
        if isinstance(part, Traced) and not part.concrete:
            subject = interp.module.snippet(of or span)
            if part.tree:
                if is_meant_as_container(interp, subject) or is_meant_as_container(interp, part.param):
                    continue
                assuming = no_container(part, subject)
                interp.emit(
                    EventKind.BOOL, span, construct, value=part, assuming=assuming, subject=subject, detail=detail
                )
            else:
                interp.emit(EventKind.BOOL, span, construct, value=value, subject=subject, detail=detail)
        elif isinstance(part, Instance):
            return _instance_truth(interp, part, span)
    return truth(interp, value)


def no_container(part: Traced, text: str) -> Assumption:
    """What an event rests on that happens with an array only, of a pytree of unknown structure: that it is an array.

    What lies within an argument is more often a container than the argument is.
    """
    kind = AssumptionKind.IS_ARRAY if part.param else AssumptionKind.PART_IS_ARRAY
    return Assumption(kind, f"`{text}` is an array")


_METHODS_OF_CONTAINERS = frozenset({"keys", "values", "items", "get", "append"})


def is_meant_as_container(interp: Interpreter, name: str) -> bool:
    """Whether the running function takes its parameter of that name for a dict or list, so that it is no array.

    It calls a method of dicts or lists on it, annotates it as one, or names it `…kwargs`, as Python code names dicts.
    """
    code = interp.frame.function
    for parameter in code.parameters if code is not None else ():
        if parameter.name == name and parameter.kind != "*":
            annotation = parameter.annotation
            declared = (annotation is not None and means_container(interp, annotation)) or "kwargs" in name
            return declared or bool(_METHODS_OF_CONTAINERS & parameter.attributes)
    return False


def _instance_truth(interp: Interpreter, value: Instance, span: Span) -> bool | None:
    """The truth of an instance: its `__bool__` or `__len__` says it, else it is true."""
    for name in ("__bool__", "__len__"):
        result = call_special_method(interp, value, name, (), span)
        if result is not None:
            return truth(interp, result)
    return None if class_facts(interp, value.cls).open else True


def asks_for_either(interp: Interpreter, span: Span) -> bool:
    """Whether a function asks of one thing if it is True and if it is False: it is prepared for neither, for an array.

    So is one that asks whether two things are the same, `a is b`.

    Args:
        interp: runs the function.
        span: where it asks, `x is True`.
    """
    code = interp.frame.home.function
    nodes = interp.world.readings.written_in(interp.project.body(code)).nodes if code is not None else ()
    asked: dict[str, set[bool]] = {}
    here = ""
    for node in nodes:
        last = node.rest[0] if isinstance(node, ir.Compare) and node.ops[0] in ("is", "is not") else None
        if isinstance(last, ir.Const) and isinstance(last.value, bool):
            text = interp.module.snippet(node.first.span)
            asked.setdefault(text, set()).add(last.value)
            here = text if node.span == span else here
    return not here or asked[here] >= {True, False}
