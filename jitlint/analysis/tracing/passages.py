"""How each argument of a transformed function goes in: as a tracer, without its leading axis, or as it is.

Options say so by *prefix trees*: of `vmap(f, in_axes=(0, {"w": 0, "name": None}))` the first argument is mapped, and so
is `w` of the second, but its `name` stays the string that it is. What an option that is computed says is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum

from jitlint.analysis.arrays.dtypes import dtype_of, rank_of
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    NEVER,
    UNKNOWN,
    Array,
    Const,
    Dict,
    External,
    ExternalInstance,
    JaxArray,
    List,
    Sequence,
    Static,
    Traced,
    Transformed,
    Tuple,
    Value,
    is_none,
)
from jitlint.analysis.values.containers import content_of


class Passage(Enum):
    """How one argument goes in."""

    MAPPED = "mapped"
    """As a tracer without its leading axis."""
    TRACED = "traced"
    """As a tracer."""
    KEPT = "kept"
    """As it is."""
    WHOLE = "whole"
    """As an array that is not mapped."""
    UNKNOWN = "unknown"
    """Not known."""


_OPTIONS = {"in_axes": "in_axes", "in_specs": "in_specs", "scan": "in_axes"}
"""The option that gives a prefix tree, by what `Transform.traces` says."""


def passage_of(interp: Interpreter, transformed: Transformed, position: int, value: Value = UNKNOWN) -> Passage | Value:
    """How the argument at a position goes in: all of it, or a container of the option that says it of each part.

    Args:
        value: the argument, whose rank may decide.
    """
    traces = transformed.transform.traces
    if traces == "argnums":
        return Passage.TRACED if _among(transformed.options.get("argnums", Const(0)), position, True) else Passage.KEPT
    if traces == "excluded":
        if _among(transformed.options.get("excluded"), position, False):
            return Passage.KEPT
        core = _core_rank(transformed.options.get("signature"), position)
        return Passage.TRACED if core is None or rank_of(value) != core else Passage.WHOLE
    if traces == "scan":  # of a module and a carry; the option counts the arguments after them
        if position < 2:
            return Passage.TRACED if position else Passage.KEPT
        position -= 2
    if traces not in _OPTIONS:
        return Passage.TRACED
    option = transformed.options.get(_OPTIONS[traces])
    if option is None:
        return Passage.TRACED if traces == "in_specs" else Passage.MAPPED
    content = content_of(option)
    if isinstance(content, Tuple):
        entry = content.elements[position] if position < len(content.elements) else UNKNOWN
    else:
        entry = content.element if isinstance(content, Sequence) else option
    return _passage(interp, transformed, entry)


def _core_rank(signature: Value | None, position: int) -> int | None:
    """How many axes of an argument `jnp.vectorize` leaves to the function ("(),(k)->()"); None if that is not known."""
    if signature is None or is_none(signature):
        return 0
    if not isinstance(signature, Const) or not isinstance(signature.value, str):
        return None
    cores = _CORE.findall(signature.value.partition("->")[0])
    return len(cores[position].replace(",", " ").split()) if position < len(cores) else None


_CORE = re.compile(r"\(([^()]*)\)")


def passage_of_rest(interp: Interpreter, transformed: Transformed, given: int) -> Passage | Value:
    """How an unknown number of arguments after the first `given` ones goes in: known if all of them go in alike."""
    content = content_of(transformed.options.get(_OPTIONS.get(transformed.transform.traces, ""), UNKNOWN))
    last = len(content.elements) if isinstance(content, Tuple) else given
    found = [passage_of(interp, transformed, i) for i in range(given, max(last, given + 1))]
    return found[0] if all(other is found[0] for other in found) else Passage.UNKNOWN


def _among(numbers: Value | None, position: int, if_unknown: bool) -> bool:
    """Whether an option that holds one position or several holds this one."""
    listed = content_of(numbers) if numbers is not None else Tuple(())
    parts = listed.elements if isinstance(listed, Tuple) else (listed,)
    known = [part.value for part in parts if isinstance(part, Const)]
    return position in known or (if_unknown and len(known) < len(parts))


def _passage(interp: Interpreter, transformed: Transformed, entry: Value) -> Passage | Value:
    """What an entry of a prefix tree says; an entry that is a container itself comes back as it is."""
    transform = transformed.transform
    specs = transform.traces == "in_specs"
    if isinstance(entry, (Tuple, List, Dict)):
        return entry
    if is_none(entry):
        # what stages the body stages an argument without an axis, too, but not one without a spec
        return Passage.TRACED if transform.staging and not specs else Passage.KEPT
    if isinstance(entry, (External, ExternalInstance)):
        name = entry.name if isinstance(entry, External) else entry.of
        if interp.models.has_role(name, "broadcasts"):
            return Passage.KEPT
        return Passage.TRACED if specs else Passage.UNKNOWN
    if isinstance(entry, (Const, Static)) and not specs:
        return Passage.MAPPED
    return Passage.UNKNOWN


def pass_in(
    interp: Interpreter,
    transformed: Transformed,
    prefix: Passage | Value,
    value: Value,
    trace: Callable[[Value, bool], Value],
) -> Value:
    """An argument as the body sees it.

    Args:
        prefix: how it goes in.
        value: the argument.
        trace: makes a tracer of an argument, or of a part of one, with or without its leading axis.
    """
    if prefix is Passage.MAPPED or prefix is Passage.TRACED:
        return trace(value, prefix is Passage.MAPPED)
    if prefix is Passage.KEPT or (prefix is Passage.WHOLE and isinstance(value, Traced)):
        return value
    if prefix is Passage.WHOLE:
        return trace(value, False) if interp.staging else JaxArray(dtype_of(value), rank_of(value))
    if isinstance(prefix, Value):
        return _pass_parts_in(interp, transformed, prefix, value, trace)
    if isinstance(value, Array) and transformed.transform.traces == "in_specs":
        return trace(value, False)  # nearly all arrays have a spec
    if isinstance(value, Traced) and interp.staging and not value.concrete:
        return value.replace(rank=None, lead=None)  # it has no value, whether it loses an axis or not
    return UNKNOWN


def _pass_parts_in(
    interp: Interpreter,
    transformed: Transformed,
    prefix: Value,
    value: Value,
    trace: Callable[[Value, bool], Value],
) -> Value:
    """An argument whose parts go in as the entries of a container say."""
    parts = _parts(prefix)
    own = {key: _passage(interp, transformed, entry) for key, entry in parts.items()}
    passages = set(own.values())
    alike = passages.pop() if len(passages) == 1 else None
    if isinstance(alike, Passage):
        return pass_in(interp, transformed, alike, value, trace)
    values = _parts(value)
    if not values or values.keys() != own.keys():
        return UNKNOWN
    inner = {key: pass_in(interp, transformed, own[key], part, trace) for key, part in values.items()}
    if isinstance(value, Tuple):
        return Tuple(tuple(inner.values()), value.cls)
    if isinstance(value, List):
        return List(value.kind, Tuple(tuple(inner.values())), interp.depth + 1, interp.loops, value.site)
    return Dict(inner, NEVER, interp.depth + 1, interp.loops, value.site if isinstance(value, Dict) else None)


def _parts(value: Value) -> dict[object, Value]:
    """The parts of a container by position or key; none if not all of them are known."""
    content = content_of(value)
    if isinstance(content, Tuple):
        return dict(enumerate(content.elements))
    return dict(content.entries) if isinstance(content, Dict) and content.rest is NEVER else {}
