"""The compile cache's keys: static arguments that cannot be one or never hit, and shapes that change with a loop."""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.arrays.rounds import GROWS, varying_size
from jitlint.analysis.language.classes import class_attribute, class_facts
from jitlint.analysis.language.signatures import Signature, StaticArguments
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.entries import entry_of
from jitlint.analysis.values import (
    Class,
    Dict,
    Function,
    HostArray,
    Instance,
    JaxArray,
    List,
    LoopCounter,
    Partial,
    ProjectCallable,
    Traced,
    Transformed,
    Tuple,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives
from jitlint.analysis.values.objects import FieldFact
from jitlint.events.event import Confidence, EventKind
from jitlint.source.places import Span


def check_static(
    interp: Interpreter, made: Transformed, target: Signature | None, static: StaticArguments, args: Args, span: Span
) -> None:
    """Static arguments that cannot be a cache key, or are a new one each time."""
    if not made.transform.cached or static.unknown:
        return
    for name, value, place in _given(target, static, args, span, wanted=True):
        construct = _static_problem(interp, value)
        if construct == "loop variable" and name in _AXES:
            continue
        if construct:
            assert made.site is not None
            flow = interp.source_at(*made.site, f"`{name}` is static here")
            tracer = interp.traced(value)
            if tracer is not None:
                flow = tracer.flow.then(*made.site, f"`{name}` is static here")
            guess = "the loop has many rounds" if construct == "loop variable" else ""
            interp.emit(
                EventKind.STATIC_VALUE,
                place,
                construct,
                flow=flow,
                detail={"parameter": name},
                entry=entry_of(interp, made),
                guess=guess,
                confidence=Confidence.LIKELY if guess else Confidence.CERTAIN,
            )


_AXES = frozenset({"axis", "axes", "dim", "ndim", "order"})
"""Names of arguments of which there are a few values only."""


def check_shapes(
    interp: Interpreter, made: Transformed, target: Signature | None, static: StaticArguments, args: Args, span: Span
) -> None:
    """Arguments that have another shape in each round of a loop: the cache is keyed by shapes too."""
    if not made.transform.cached or static.unknown or interp.staging or not interp.loops:
        return
    loops = tuple(loop for loop in interp.loops if loop not in made.loops)
    for name, value, place in _given(target, static, args, span, wanted=False):
        rounds = varying_size(value, loops)
        if rounds is not None:
            how = "growth" if rounds.formula == GROWS else "size"
            detail = {"parameter": name}
            interp.emit(EventKind.VARYING_SHAPE, place, how, detail=detail, entry=entry_of(interp, made))


def _given(
    target: Signature | None, static: StaticArguments, args: Args, span: Span, *, wanted: bool
) -> list[tuple[str, Value, Span]]:
    """The arguments that are static (or, not `wanted`, those that are not), with their names and places."""
    found = []
    for i, value in enumerate(args.positional):
        if (i in static.numbers) is wanted:
            parameter = target.positional(i) if target else None
            found.append((parameter.name if parameter else str(i), value, args.span(i, "", span)))
    for name, value in args.keywords.items():
        if (name in static.names) is wanted:
            found.append((name, value, args.keyword_spans.get(name, span)))
    return found


def _static_problem(interp: Interpreter, value: Value) -> str:
    for part in alternatives(value):
        if isinstance(part, Traced):
            return "" if part.concrete else "tracer"
        if isinstance(part, JaxArray) or (isinstance(part, HostArray) and part.rank):
            return "array"
        if isinstance(part, List):
            return "" if part.kind == "frozenset" else part.kind
        if isinstance(part, Dict):
            return "dict"
        if isinstance(part, Instance) and _unhashable(interp, part):
            return "object"
        inner = next(filter(None, (_hash_problem(interp, e) for e in _elements(part))), "")
        if inner:
            return inner
        if interp.staging:
            continue
        if isinstance(part, LoopCounter) and part.rounds.loop in interp.loops:
            return "loop variable"
        if isinstance(part, (ProjectCallable, Instance)) and any(loop in interp.loops for loop in part.loops):
            return _new_object(interp, part)
    return ""


_UNHASHABLE = frozenset({"tracer", "array", "list", "set", "deque", "dict", "object"})


def _hash_problem(interp: Interpreter, value: Value) -> str:
    """Why a part of a static argument cannot be hashed."""
    found = _static_problem(interp, value)
    return found if found in _UNHASHABLE else ""


def _elements(value: Value) -> tuple[Value, ...]:
    """What is hashed with a tuple."""
    return value.elements if isinstance(value, Tuple) else ()


def _new_object(interp: Interpreter, value: ProjectCallable | Instance) -> str:
    """What kind of object is made in each round and hashed by its identity."""
    if isinstance(value, Function):
        return "lambda" if value.code.name == "<lambda>" else "function"
    if isinstance(value, Instance):
        known = class_facts(interp, value.cls)
        plain = not (known.open or known.models or known.enum or known.dataclass or value.guessed)
        return "instance" if plain and class_attribute(interp, value.cls, "__eq__") is None else ""
    return "partial" if isinstance(value, Partial) else ""


def _unhashable(interp: Interpreter, value: Instance) -> bool:
    """A dataclass with `eq` (the default) that is not frozen, or a class with `__eq__` but without `__hash__`."""
    cls = value.cls
    if class_attribute(interp, cls, "__hash__") is not None or class_facts(interp, cls).open:
        return False
    if "dataclasses.dataclass" in cls.decorations:
        if _dataclass_option(cls, "eq", False):
            return False
        if not _dataclass_option(cls, "frozen") and not _dataclass_option(cls, "unsafe_hash"):
            return True
        hashed = (field.name for field in class_facts(interp, cls).fields if not _left_out(field))
        return any(_hash_problem(interp, value.fields[name]) for name in hashed if name in value.fields)
    return class_attribute(interp, cls, "__eq__") is not None


def _dataclass_option(cls: Class, option: str, wanted: bool = True) -> bool:
    for decorator in cls.code.decorators:
        if isinstance(decorator, ir.Call):
            for argument in decorator.arguments:
                if argument.keyword == option and isinstance(argument.value, ir.Const):
                    return argument.value.value is wanted
    return False


def _left_out(field: FieldFact) -> bool:
    """Whether a dataclass's hash leaves a field out: `field(hash=False)`, `field(compare=False)`."""
    default = field.default
    return isinstance(default, ir.Call) and any(
        argument.keyword in ("hash", "compare")
        and isinstance(argument.value, ir.Const)
        and argument.value.value is False
        for argument in default.arguments
    )
