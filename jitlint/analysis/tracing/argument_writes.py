"""Writes into arguments of a transformed function: it gets copies of pytrees, so the caller sees nothing of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from jitlint import ir
from jitlint.analysis.language.annotations import evaluate_annotation
from jitlint.analysis.language.classes import class_attribute, class_facts
from jitlint.analysis.language.signatures import Signature
from jitlint.analysis.machine.accesses import record_arrays_changed
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.entries import entry_of
from jitlint.analysis.tracing.lost_writes import Callee, LostWrite, lost_writes, names_touched, only_numbers, unpacked
from jitlint.analysis.tracing.varying import deep_nodes
from jitlint.analysis.values import (
    UNKNOWN,
    Class,
    Descriptor,
    Dict,
    External,
    ExternalInstance,
    Frame,
    Function,
    Instance,
    List,
    ModuleValue,
    Site,
    Traced,
    Transformed,
    Tuple,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.object_changes import ObjectWrite
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span

_MOST: Final = 500
"""How many values of an argument are looked through: objects may hold each other."""

_ATTRIBUTE: Final = re.compile(r"\w+(\.\w+)+")
"""How an argument is written that an object of the caller holds: `self.moments`."""

_APPLY: Final = frozenset({"apply", "apply_fn"})
"""What applies the variables of a Linen or Haiku module, by the names that all programs give it."""

_PURE: Final = frozenset({"jax", "optax"})
"""Libraries whose functions keep no container that they are given."""


def check_argument_writes(
    interp: Interpreter, transformed: Transformed, target: Signature | None, args: Args, inner: Args
) -> None:
    """Emits events for writes into arguments that are lost when the function returns.

    Args:
        transformed: the transformed function.
        target: its signature.
        args: the arguments as the caller gives them.
        inner: the arguments as its body sees them.
    """
    transform = transformed.transform
    copies = (transform.staging and transform.traces == "all") or transform.traces == "in_axes"
    if target is None or not copies or target.code.is_generator:
        return
    places = dict(enumerate(args.spans))
    given = [(target.positional(i), value, places.get(i)) for i, value in enumerate(inner.positional)]
    given += [(target.named(name), value, args.keyword_spans.get(name)) for name, value in inner.keywords.items()]
    for parameter, value, place in given:
        if transform.updates_arguments and not isinstance(value, Dict):
            continue  # NNX writes back what becomes of its own objects, not of dicts
        if parameter is not None and parameter.kind not in ("*", "**"):
            held = place is not None and _ATTRIBUTE.fullmatch(interp.module.snippet(place)) is not None
            for write in _writes(interp, target.function, parameter.name) if _is_container(value) else ():
                _check(interp, transformed, parameter.name, value, write, held=held)
            for name, part in _unpacked(interp, target.function, parameter.name, value):
                for write in _writes(interp, target.function, name, part_of=parameter.name):
                    _check(interp, transformed, name, part, write)


def _unpacked(interp: Interpreter, function: Function, parameter: str, value: Value) -> Iterator[tuple[str, Value]]:
    """The variables that a function takes out of a parameter, a tuple that it uses for nothing else, with what they
    hold.
    """
    content, body = content_of(value), interp.project.body(function.code)
    if not isinstance(content, Tuple):
        return
    uses = [part for part in deep_nodes(interp, body) if isinstance(part, ir.Name) and part.name == parameter]
    for statement in body if len(uses) == 1 else ():
        names = unpacked(statement, parameter)
        if len(names) == len(content.elements):
            yield from zip(names, content.elements, strict=True)


def _writes(interp: Interpreter, function: Function, name: str, part_of: str = "") -> list[LostWrite]:
    """The lost writes to a parameter of a function, or to a variable taken out of one; they are looked for once."""
    key = (id(function.code), function.closure.serial, name)
    known = interp.world.readings.lost_writes
    if key not in known:
        body_of, called = partial(_body, interp), partial(_called, interp)
        touched = (*key[:2], "")
        if touched not in known:
            known[touched] = list(names_touched(body_of(function.code), body_of, partial(called, function)))
        lost: list[LostWrite] | None = []
        if name in known[touched]:
            reads, numbers = partial(_only_reads, interp), partial(_returns_numbers, interp)
            lost = lost_writes(function, name, body_of, called, reads, numbers, part_of=part_of)
        known[key] = lost or []
    return known[key]


def _returns_numbers(interp: Interpreter, code: ir.Function) -> bool:
    """Whether all that a function returns is computed with operators; it is looked for once."""
    known = interp.world.readings.return_numbers
    if id(code) not in known:
        known[id(code)] = only_numbers(interp.project.body(code))
    return known[id(code)]


def _body(interp: Interpreter, code: ir.Function) -> tuple[ir.Stmt, ...]:
    return interp.project.body(code)


def _called(interp: Interpreter, caller: Function, node: ir.Expr) -> Callee | None:
    """The function of the project that an expression in a function names.

    That is a variable of its closure or its module, an attribute of a module or a class, or the method of the class
    that a parameter is annotated with.
    """
    found: Value | None = None
    taken = 0
    if isinstance(node, ir.Name):
        found = _variable(interp, caller, node.name)
    elif isinstance(node, ir.Attribute):
        owner = _variable(interp, caller, node.value.name) if isinstance(node.value, ir.Name) else None
        declared = _declared(interp, caller, node.value)
        if isinstance(owner, ModuleValue):
            frame = interp.world.frames.get(owner.module)
            found = frame.fields.get(node.name) if frame is not None else None
        elif declared is not None:
            found, taken = _method(interp, declared, node.name, of_instance=True)
        elif isinstance(owner, Class):
            found, taken = _method(interp, owner, node.name, of_instance=False)
    return Callee(found, taken) if isinstance(found, Function) and not found.code.is_generator else None


def _method(interp: Interpreter, cls: Class, name: str, *, of_instance: bool) -> tuple[Value | None, int]:
    """What a class has by a name, and how many parameters Python fills itself in a call of it."""
    attribute = class_attribute(interp, cls, name)
    value = None if attribute is None else attribute[0]
    if not isinstance(value, Descriptor):
        return value, int(of_instance)
    if value.kind not in ("classmethod", "staticmethod"):
        return None, 0
    return value.function, int(value.kind == "classmethod")


def _variable(interp: Interpreter, function: Function, name: str) -> Value | None:
    """What a variable of a function's closure or module holds; None for one of its own. A class body has none."""
    if name in function.code.locals:
        return None
    frame: Frame | None = function.closure
    while frame is not None:
        if name in frame.fields and not frame.in_class:
            held: Value = frame.fields[name]
            return held
        frame = frame.parent
    return None


def _declared(interp: Interpreter, caller: Function, node: ir.Expr) -> Class | None:
    """The class of the project that a parameter of a function is annotated with; of `self`, the class of the method."""
    parameters = caller.code.parameters
    if not isinstance(node, ir.Name) or not parameters:
        return None
    if node.name == parameters[0].name and caller.cls is not None:
        return caller.cls
    parameter = next((each for each in parameters if each.name == node.name and "*" not in each.kind), None)
    if parameter is None or parameter.annotation is None:
        return None
    declared = evaluate_annotation(interp, caller, parameter.annotation)
    return declared if isinstance(declared, Class) else None


def _only_reads(interp: Interpreter, caller: Function, node: ir.Expr) -> bool:
    """Whether an expression names a function of JAX, or applies a Linen module: their results are new objects."""
    if isinstance(node, ir.Attribute) and node.name in _APPLY:
        return True
    while isinstance(node, ir.Attribute):
        node = node.value
    frame = interp.world.frames.get(caller.module)
    if not isinstance(node, ir.Name) or node.name in caller.code.locals or frame is None:
        return False
    named = frame.fields.get(node.name)
    return isinstance(named, External) and named.name.partition(".")[0] in _PURE


def _check(
    interp: Interpreter,
    transformed: Transformed,
    parameter: str,
    value: Value,
    write: LostWrite,
    *,
    held: bool = False,
) -> None:
    """Emits an event for a write, if the argument is an object that takes it.

    With `held`, an object of the caller holds the argument: who changes it there does not use it as a scratch pad.
    """
    if not _takes(interp, value, write):
        return
    assuming = None
    if isinstance(value, Traced) and (write.kind == "attribute" or write.key is None):
        assuming = Assumption(AssumptionKind.IS_CONTAINER, f"`{parameter}` is an object that can be changed")
    if write.read_later:
        meant = write.kind == "attribute" or held
        kind = AssumptionKind.MEANT_FOR_CALLER if meant else AssumptionKind.NO_SCRATCH
        assuming = Assumption(kind, f"the caller is to see what becomes of `{parameter}`")
    module = write.writer.module
    detail = {"name": module.snippet(write.span), "parameter": parameter}
    if isinstance(value, ExternalInstance):
        detail["library"] = value.of.rpartition(".")[0]
    interp.emit(
        EventKind.ARGUMENT_WRITE,
        write.span,
        write.kind,
        detail=detail,
        entry=entry_of(interp, transformed),
        module=module,
        symbol=f"{module.name}.{write.writer.code.qualname}",
        assuming=assuming,
    )


def _is_container(value: Value) -> bool:
    """Whether a value is an object, a dict or a list, or a pytree of which nothing is known: arrays take no writes."""
    return isinstance(value, (Instance, Dict, List, ExternalInstance)) or (isinstance(value, Traced) and value.tree)


def _takes(interp: Interpreter, value: Value, write: LostWrite) -> bool:
    """Whether an argument takes a write, so that it is lost and does not fail."""
    if isinstance(value, Instance):
        known = class_facts(interp, value.cls)
        return write.kind == "attribute" and known.pytree and not known.frozen
    if isinstance(value, (Dict, List)):
        return write.kind != "attribute"
    if isinstance(value, ExternalInstance):  # as an optimizer of NNX does, which only NNX's own transforms write back
        return interp.models.has_role(value.of + write.kind, "writes-its-variables")
    if not isinstance(value, Traced) or not value.tree:
        return False
    if write.kind == "attribute":
        name = write.writer.module.snippet(write.span).rpartition(".")[2]
        cls = interp.world.guesses.with_attribute(name, interp.module)
        return cls is None or not class_facts(interp, cls).frozen
    if write.kind == "item":
        return write.of_dict or (isinstance(write.key, ir.Const) and isinstance(write.key.value, str))
    return True


# --- objects whose variables and numbers change, wherever that is written ---------------------------------------------


def check_object_changes(
    interp: Interpreter, transformed: Transformed, args: Args, inner: Args, result: Value, outer: int, span: Span
) -> None:
    """Emits events for what becomes of objects that a transformed function has changed, such as modules of NNX.

    Most transforms give it copies, whose changes are lost. Those of NNX carry changes back, and with them Python
    numbers, which are part of the compile cache's key (flax/nnx/graph.py).

    Args:
        interp: where the function has run.
        transformed: the transformed function.
        args: its arguments as the caller has them; `inner`: as its body sees them.
        result: what its body returns.
        outer: how many functions were running when it was called.
        span: where it is called.
    """
    changes, transform = interp.root_run.changes, transformed.transform
    if changes.counted_outside and interp.trace is None and transform.cached:
        for part in (part for each in args.all() for part in _objects_in(each) if isinstance(part, Instance)):
            _check_counted_between(interp, transformed, part)
    if not (changes.variables or changes.counted or changes.updated):
        return
    if transform.updates_arguments:
        for outside, inside in zip(args.positional, inner.positional, strict=False):
            _carry_back(interp, transformed, outside, inside, span)
        for name, outside in args.keywords.items():
            _carry_back(interp, transformed, outside, inner.keywords.get(name, UNKNOWN), span)
    elif transform.traces in ("all", "in_axes", "argnums"):
        made = [(copy, site) for copy, site in changes.merged if copy.depth > interp.depth]
        given = [(each, None) for each in inner.all() if isinstance(each, Instance)]
        for copy, site in (*made, *given):
            if copy.serial not in changes.read_out and not any(part is copy for part in _objects_in(result)):
                _check_lost_changes(interp, transformed, copy, site, outer)
        changes.merged[:] = [pair for pair in changes.merged if pair[0].depth <= interp.depth]


def _carry_back(interp: Interpreter, transformed: Transformed, outside: Value, inside: Value, span: Span) -> None:
    """What NNX writes back to the caller's object: its variables, which are written to with it, and its numbers."""
    changes = interp.root_run.changes
    for one, other in zip(_objects_in(outside), _objects_in(inside), strict=False):
        if id(other) in changes.variables and isinstance(one, ExternalInstance):
            changes.variables.setdefault(id(one), changes.variables[id(other)]._replace(target=one))
        if isinstance(one, Instance) and isinstance(other, Instance) and other.serial in changes.updated:
            record_arrays_changed(interp, one, span)
        if not isinstance(other, Instance) or not transformed.transform.cached:
            continue
        for (serial, name), write in list(changes.counted.items()):
            if serial == other.serial and class_facts(interp, other.cls).static_numbers:
                _report_counted(interp, transformed, other, name, write)


def _check_counted_between(interp: Interpreter, transformed: Transformed, part: Instance) -> None:
    """Emits an event for each number of an object that was counted on since the function got the object before."""
    changes = interp.root_run.changes
    for (serial, name), (write, count) in changes.counted_outside.items():
        if serial == part.serial:
            before = changes.seen.get((id(transformed), serial, name), count)
            changes.seen[id(transformed), serial, name] = count
            if count > before:
                _report_counted(interp, transformed, part, name, write)


def _report_counted(
    interp: Interpreter, transformed: Transformed, part: Instance, name: str, write: ObjectWrite
) -> None:
    """Emits the event of a number that is part of the compile cache's key, and another one in each call."""
    writer = write.frames[-1]
    interp.emit(
        EventKind.STATIC_VALUE,
        write.span,
        "counter",
        detail={"attribute": name, "class": part.cls.code.name},
        entry=entry_of(interp, transformed),
        module=writer.module,
        symbol=interp.symbol(writer),
    )


def _check_lost_changes(
    interp: Interpreter, transformed: Transformed, copy: Instance, site: Site | None, outer: int
) -> None:
    """Emits an event for each variable of an object that was written to, at the call in the transformed function."""
    for part in _objects_in(copy):
        write = interp.root_run.changes.variables.get(id(part))
        if write is None or len(write.frames) <= outer:
            continue
        body, inner = write.frames[outer], write.frames[outer + 1 :]
        span = inner[0].called_at[1] if inner and inner[0].called_at is not None else write.span
        detail = {"name": body.module.snippet(span), "made": "" if site is None else site[0].snippet(site[1])}
        interp.emit(
            EventKind.ARGUMENT_WRITE,
            span,
            "variable",
            detail=detail,
            entry=entry_of(interp, transformed),
            module=body.module,
            symbol=interp.symbol(body),
        )


def _objects_in(value: Value) -> list[Value]:
    """The objects that a value is or holds: in the same order for an argument and its copy."""
    found: list[Value] = []
    waiting = [value]
    for _ in range(_MOST):
        if not waiting:
            break
        part = waiting.pop()
        held: list[Any] = []
        if isinstance(part, (Instance, ExternalInstance)):
            found.append(part)
        if isinstance(part, Instance):
            held = [field for _, field in sorted(part.fields.items())]
        elif isinstance(part, Dict):
            held = list(part.entries.values())
        elif isinstance(content := content_of(part), Tuple):
            held = list(content.elements)
        waiting += [each for each in held[::-1] if isinstance(each, Value)]
    return found
