"""Compiled functions that code keeps under a key that leaves out what they capture.

Example: `if env.name not in COMPILED: COMPILED[env.name] = jax.jit(partial(play, env, policy))`. Who asks for the same
environment and another policy gets the function that was compiled for the first one, without a word.

There must be evidence that this happens: two calls in one run, or rounds of a loop, that agree in the key and differ in
what is captured.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Final, NamedTuple

from jitlint import ir
from jitlint.analysis.language.classes import class_attribute, class_facts
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.state import exclusive
from jitlint.analysis.machine.walks import inside
from jitlint.analysis.tracing.cache.keepings import Captured, Keeping, keepings
from jitlint.analysis.tracing.varying import Level, levels
from jitlint.analysis.values import (
    NONE,
    Array,
    BoundMethod,
    Class,
    Const,
    Dict,
    External,
    Frame,
    Function,
    HostArray,
    Instance,
    JaxArray,
    List,
    Member,
    ModuleValue,
    Partial,
    Site,
    Transformed,
    Tuple,
    Value,
)
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.flow import Flow
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind

_MOST_CALLS: Final = 16
"""So many calls of a function that keeps something are compared with later ones."""


class KeptCall(NamedTuple):
    """A call of a function that keeps a compiled function, or looks one up."""

    holder: Value
    """The dict, or the object whose attribute it is."""
    key: Value
    """The key; None for an attribute."""
    captured: tuple[Value | None, ...]
    """What the compiled function would capture in this call; None for what is not known."""
    roots: tuple[Value | None, ...]
    """The variables that these are, or are attributes of."""
    branches: tuple[tuple[int, int], ...]
    """The branches that led to the call."""
    called_at: Site | None
    """Where the call is written."""


def check_kept(interp: Interpreter, frame: Frame) -> None:
    """Emits an event if a function keeps a compiled function for other values than those of this call.

    Args:
        interp: has just run the function's body; its frame still is the current one.
        frame: the frame.
    """
    if interp.trace is not None or frame.function is None:
        return
    for number, keeping in enumerate(keepings(interp, frame.function, frame.module)):
        with interp.silenced():
            holder, kept, key = _looked_up(interp, keeping)
        if holder is None or not any(map(_is_compiled, kept)):
            continue
        _check_types(interp, frame, keeping)
        _check_rounds(interp, frame, keeping)
        _check_calls(interp, frame, keeping, number, holder, key)


def _looked_up(interp: Interpreter, keeping: Keeping) -> tuple[Value | None, tuple[Value, ...], Value]:
    """What holds the kept values, these, and the key of the one that belongs to this call."""
    target = keeping.target
    if isinstance(target, ir.Subscript):
        holder = interp.evaluate(target.value)
        if isinstance(holder, Dict) and not holder.several:
            return holder, (*holder.entries.values(), holder.rest), interp.evaluate(target.item)
        return None, (), NONE
    if isinstance(target, ir.Name):
        return NONE, (interp.evaluate(target),), NONE
    holder = interp.evaluate(target.value)
    if isinstance(holder, (Instance, Class)) and not holder.several:
        return holder, (interp.evaluate(target),), NONE
    return None, (), NONE


def _is_compiled(value: Value) -> bool:
    """Whether a kept value is a compiled function, or holds one."""
    for part in alternatives(value):
        if isinstance(part, Tuple) and any(map(_is_compiled, part.elements)):
            return True
        inner: Value | None = part
        while inner is not None:
            if isinstance(inner, Transformed) and inner.transform.cached:
                return True
            inner = getattr(inner, "function", None)
    return False


def _check_types(interp: Interpreter, frame: Frame, keeping: Keeping) -> None:
    """Reports a captured object of whose class there may be several, where the key holds its type instead of it."""
    for path in keeping.captured:
        if path.attributes or path._replace(attributes=("__class__",)) not in keeping.shared:
            continue
        value = _variable(frame, path.name)
        if isinstance(value, Instance) and _takes_arguments(interp, value.cls):
            text = f"there is another `{value.cls.code.name}` with other attributes"
            _report(interp, keeping, path, None, Assumption(AssumptionKind.OBJECTS_DIFFER, text))


def _takes_arguments(interp: Interpreter, cls: Class) -> bool:
    """Whether objects of a class are made with arguments, so that they differ."""
    made_by = class_attribute(interp, cls, "__init__")
    if made_by is None:
        return bool(class_facts(interp, cls).fields)
    return isinstance(made_by[0], Function) and len(made_by[0].code.parameters) > 1


def _check_rounds(interp: Interpreter, frame: Frame, keeping: Keeping) -> None:
    """Reports what differs from round to round of a loop around the call, if nothing of the key does."""
    for loop in reversed(interp.loops):
        found = levels(interp, loop, carried=True)
        if not found or found[-1].frame is not frame:
            continue
        differing = found[-1].names
        telling = [path for path in keeping.key if path.name in differing]
        telling = [path for path in telling if _variable(frame, path.name) is not None]  # a global dict stays the same
        if any(not path.attributes or not _is_of_all_rounds(interp, frame, path, found[0]) for path in telling):
            continue
        left_out = next((path for path in keeping.captured if path.name in differing), None)
        if left_out is not None:
            module, span = interp.world.loop_sites[loop]
            flow = interp.source_at(module, span, f"each round of this loop has another `{_text(left_out)}`")
            text = f"`{_text(left_out)}` is another one in each round"
            _report(interp, keeping, left_out, flow, Assumption(AssumptionKind.OBJECTS_DIFFER, text))
            return


def _is_of_all_rounds(interp: Interpreter, frame: Frame, path: Captured, around: Level) -> bool:
    """Whether an attribute of what differs from round to round is the same in all: one of its class, or that which a
    variable from before the loop holds, as `cfg.name` is the name of each `Model(cfg.name, rate)`.
    """
    whole = _variable(frame, path.name)
    if whole is not None and all(_is_of_class(interp, part, path.attributes) for part in alternatives(whole)):
        return True
    value = _attribute(whole, path)
    if value is None or around.frame is None or (isinstance(value, Const) and isinstance(value.value, bool | None)):
        return False
    held = [each for name, each in around.frame.fields.items() if name not in around.names]
    fields = [field for each in held if isinstance(each, Instance) for field in each.fields.values()]
    return any(each is value for each in (*held, *fields))


def _is_of_class(interp: Interpreter, value: Value, attributes: tuple[str, ...]) -> bool:
    """Whether all objects of a value's class have the same attribute: a constant of the class."""
    if not isinstance(value, Instance) or len(attributes) != 1 or attributes[0] in value.fields:
        return False
    found = class_attribute(interp, value.cls, attributes[0])
    return found is not None and isinstance(found[0], _FIRM) and not isinstance(found[0], Function)


def _check_calls(interp: Interpreter, frame: Frame, keeping: Keeping, number: int, holder: Value, key: Value) -> None:
    """Reports an earlier call in the same run with the same key that differs in what is captured."""
    run = interp.root_run
    roots = tuple([_variable(frame, path.name) for path in keeping.captured])
    captured = tuple([_attribute(root, path) for root, path in zip(roots, keeping.captured, strict=True)])
    call = KeptCall(holder, key, captured, roots, tuple(interp.store.branches), frame.called_at)
    place = (id(frame.function), number, run.root, run.open_options, run.command_line, *run.given.values())
    calls = run.kept.setdefault(place, [])
    for earlier in calls:
        if earlier.holder is not holder or exclusive(earlier.branches, call.branches):
            continue
        if not _is_same_key(interp, earlier.key, key):
            continue
        for position, path in enumerate(keeping.captured):
            pair = earlier.captured[position], captured[position]
            same_root = earlier.roots[position] is roots[position]
            if path.late and same_root:
                continue  # an attribute that changed: the trace reads it, and stale reads are told as such
            if _differ(interp, *pair) or (same_root and _was_replaced(*pair)):
                _report_calls(interp, keeping, path, earlier, call)
                return
    if len(calls) < _MOST_CALLS:
        calls.append(call)


def _was_replaced(one: Value | None, other: Value | None) -> bool:
    """Whether an attribute of one object holds other arrays, or another container, than it did."""
    return one is not other and isinstance(one, (Array, Dict)) and type(one) is type(other)


def _variable(frame: Frame, name: str) -> Value | None:
    """A variable that a call begins with: an argument, or one of a function around it. None for a global."""
    if name in frame.given:
        return frame.given[name]
    around = frame.parent
    while around is not None and around.function is not None:
        if name in around.fields:
            return around.fields[name]  # type: ignore[no-any-return]
        around = around.parent
    return None


def _attribute(value: Value | None, path: Captured) -> Value | None:
    """An attribute of an attribute of a variable, as far as objects in view have them."""
    for name in path.attributes:
        held = value.fields.get(name) if isinstance(value, Instance) else None
        if not isinstance(held, Value):
            break
        value = held
    return value


_FIRM: Final = (Const, Class, Function, External, Member, ModuleValue)
"""Values that are one thing, and equal if their keys are."""

_TOLD_APART: Final = (*_FIRM, Instance, Partial, BoundMethod, JaxArray, HostArray)
"""Values that are different if one is of another of these types."""


def _is_same_key(interp: Interpreter, one: Value, other: Value) -> bool:
    """Whether two keys are certainly equal."""
    if one is other and isinstance(one, Instance):
        return not one.several
    if isinstance(one, Tuple) and isinstance(other, Tuple) and len(one.elements) == len(other.elements):
        return all(map(partial(_is_same_key, interp), one.elements, other.elements))
    return _is_firm(interp, one) and interp.unit.keys.of(one) == interp.unit.keys.of(other)


def _is_firm(interp: Interpreter, value: object) -> bool:
    if isinstance(value, Instance) and class_facts(interp, value.cls).frozen and not value.guessed:
        fields = partial(map, partial(_is_firm, interp), value.fields.values())
        return inside(interp, value, lambda: all(fields()), False)
    return isinstance(value, _FIRM)


def _differ(interp: Interpreter, one: Value | None, other: Value | None) -> bool:
    """Whether two values are certainly different: other constants, functions, classes, or objects that hold such."""
    if one is None or other is None or one is other:
        return False
    if type(one) is not type(other):
        return all(isinstance(each, _TOLD_APART) for each in (one, other))
    if isinstance(one, Instance) and isinstance(other, Instance):
        if one.cls is not other.cls:
            return True
        return inside(interp, one, partial(_fields_differ, interp, one, other), False)
    if isinstance(one, Function) and isinstance(other, Function) and one.code is other.code:
        return _closures_differ(interp, one, other)
    if isinstance(one, _FIRM):
        return _without_option(interp, one) != _without_option(interp, other)
    mine, others = _parts(one), _parts(other)
    if mine is None or others is None:
        return False
    return len(mine) != len(others) or any(map(partial(_differ, interp), mine, others))


def _without_option(interp: Interpreter, value: Value) -> Hashable:
    """What tells a firm value from others: of a constant, whatever option it comes from."""
    return (type(value.value), value.value) if isinstance(value, Const) else interp.unit.keys.of(value)


def _closures_differ(interp: Interpreter, one: Function, other: Function) -> bool:
    """Whether one function was made twice, in calls with different variables that it may read."""
    mine, others = one.closure, other.closure
    if mine is others or mine.function is None:
        return False
    names = [name for name in mine.fields if name not in one.code.locals and name in others.fields]
    return any(_differ(interp, mine.fields[name], others.fields[name]) for name in names)


def _fields_differ(interp: Interpreter, one: Instance, other: Instance) -> bool:
    pairs = [(field, other.fields[name]) for name, field in one.fields.items() if name in other.fields]
    return any(isinstance(a, Value) and isinstance(b, Value) and _differ(interp, a, b) for a, b in pairs)


def _parts(value: Value) -> tuple[Value, ...] | None:
    """The parts of a container or a callable, by which others of the kind differ; None of all else."""
    if isinstance(value, (Partial, BoundMethod)):
        bound = (value.receiver,) if isinstance(value, BoundMethod) else (*value.positional, *value.keywords.values())
        return (value.function, *bound)
    if isinstance(value, (Tuple, List)):
        content = content_of(value)
        return content.elements if isinstance(content, Tuple) else None
    if isinstance(value, Dict) and value.entries:
        return tuple(value.entries.values())
    return None


def _report_calls(interp: Interpreter, keeping: Keeping, path: Captured, earlier: KeptCall, call: KeptCall) -> None:
    """Reports that two calls get the function that was compiled for the first."""
    flow: Flow | None = None
    for site, note in ((earlier.called_at, "made for this call"), (call.called_at, "and given to this one")):
        if site is not None:
            flow = interp.source_at(*site, note) if flow is None else flow.then(*site, note)
    text = f"one run makes both calls, which differ in `{_text(path)}`"
    _report(interp, keeping, path, flow, Assumption(AssumptionKind.CALLED_AGAIN, text))


def _text(path: Captured) -> str:
    return ".".join((path.name, *path.attributes))


def _report(interp: Interpreter, keeping: Keeping, left_out: Captured, flow: Flow | None, assuming: Assumption) -> None:
    target = keeping.target
    construct = {ir.Subscript: "item", ir.Attribute: "attribute", ir.Name: "global"}[type(target)]
    interp.emit(
        EventKind.KEPT_COMPILED,
        keeping.value.span,
        construct,
        flow=flow,
        subject=interp.module.snippet(target.span),
        detail={"left_out": _text(left_out), "kept": interp.module.snippet(target.span)},
        assuming=assuming,
    )
