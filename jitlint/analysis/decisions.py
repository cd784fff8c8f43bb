"""Truth: what `bool()` of a value is, and what a branch taken tells of the values that were tested."""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.events import Confidence, EventKind
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.joins import alternatives, join_all
from jitlint.analysis.protocols import special
from jitlint.analysis.values import (
    UNKNOWN,
    BoundMethod,
    Class,
    Const,
    Dict,
    External,
    Frame,
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
    Value,
)
from jitlint.source.places import Span

_ALWAYS_TRUE = (Function, Class, ModuleValue, External, Partial, Transformed, BoundMethod)


def truth(value: Value) -> bool | None:
    """`bool(value)` where it is known."""
    if isinstance(value, Const):
        return bool(value.value)
    if isinstance(value, Tuple):
        return bool(value.elements)
    if isinstance(value, List):
        content = value.content
        return bool(content.elements) if isinstance(content, Tuple) else None
    if isinstance(value, Dict):
        if value.fields["entries"]:
            return True
        return False if isinstance(value.fields["rest"], Never) else None
    if isinstance(value, _ALWAYS_TRUE):
        return True
    found = {truth(part) for part in alternatives(value)} if alternatives(value) != (value,) else {None}
    return found.pop() if len(found) == 1 else None


def decide(interp: Interpreter, value: Value, construct: str, span: Span) -> bool | None:
    """Python takes `bool(value)`: an event if the value is traced. Gives the outcome where it is known."""
    for part in alternatives(value):
        if isinstance(part, Traced) and not part.concrete:
            if part.tree:
                guess = f"`{interp.module.snippet(span)}` is an array"
                confidence = Confidence.LIKELY if part.param else Confidence.POSSIBLE
                interp.emit(EventKind.BOOL, span, construct, value=part, confidence=confidence, guess=guess)
            else:
                interp.emit(EventKind.BOOL, span, construct, value=value)
        elif isinstance(part, Instance):
            return _instance_truth(interp, part, span)
    return truth(value)


def _instance_truth(interp: Interpreter, value: Instance, span: Span) -> bool | None:
    from jitlint.analysis.classes import facts

    for name in ("__bool__", "__len__"):
        result = special(interp, value, name, (), span)
        if result is not None:
            return truth(result)
    return None if facts(interp, value.cls).open else True


# --- narrowing --------------------------------------------------------------------------------------------------------


def narrow(interp: Interpreter, test: ir.Expr, outcome: bool) -> None:
    """Uses what the outcome of a test says of the variables in it. To be called in the branch taken."""
    if isinstance(test, ir.Unary) and test.op == "not":
        narrow(interp, test.operand, not outcome)
    elif isinstance(test, ir.BoolOp):
        if outcome is (test.op == "and"):
            narrow(interp, test.left, outcome)
            narrow(interp, test.right, outcome)
    elif isinstance(test, ir.Compare) and len(test.ops) == 1:
        _narrow_compare(interp, test, outcome)
    elif isinstance(test, ir.Name):
        _keep(interp, test, lambda part: truth(part) is not (not outcome))
    elif isinstance(test, ir.NamedExpr):
        narrow(interp, test.target, outcome)
    elif isinstance(test, ir.Call) and isinstance(test.function, ir.Name) and test.arguments:
        _narrow_call(interp, test, test.function.name, outcome)


def _variable(interp: Interpreter, node: ir.Expr) -> tuple[Frame, str, Value] | None:
    if isinstance(node, ir.NamedExpr):
        node = node.target
    if not isinstance(node, ir.Name):
        return None
    frame: Frame | None = interp.frame
    while frame is not None:
        value = frame.fields.get(node.name)
        if value is not None:
            return (frame, node.name, value) if frame.parent is not None else None
        frame = frame.parent
    return None


def _keep(interp: Interpreter, node: ir.Expr, possible: object) -> None:
    found = _variable(interp, node)
    if found is None or not callable(possible):
        return
    frame, name, value = found
    parts = alternatives(value)
    kept = [part for part in parts if possible(part)]
    if kept and len(kept) < len(parts):
        interp.store.set(frame, name, join_all(kept))


def _narrow_compare(interp: Interpreter, test: ir.Compare, outcome: bool) -> None:
    op, right = test.ops[0], test.rest[0]
    if not isinstance(right, ir.Const):
        return
    same = op in ("is", "==")
    if op not in ("is", "is not", "==", "!="):
        return
    constant = right.value

    def possible(part: Value) -> bool:
        if not isinstance(part, Const):
            return not (outcome is same and constant is None)
        return (part.value == constant) is (outcome is same)

    _keep(interp, test.first, possible)


_CONTAINERS = {"tuple": "tuple", "list": "tuple", "Sequence": "tuple", "Iterable": "tuple", "dict": "dict"}


def _narrow_call(interp: Interpreter, test: ir.Call, name: str, outcome: bool) -> None:
    found = _variable(interp, test.arguments[0].value)
    if found is None:
        return
    frame, variable, value = found
    if name == "isinstance" and len(test.arguments) > 1 and isinstance(value, Union):
        _keep_instances(interp, test, frame, variable, value, outcome)
        return
    if not isinstance(value, Traced) or not value.tree or not outcome:
        return
    if name in ("callable", "hasattr"):
        interp.store.set(frame, variable, UNKNOWN)
    elif name == "isinstance" and len(test.arguments) > 1:
        interp.store.set(frame, variable, _as_type(value, test.arguments[1].value))


def _keep_instances(
    interp: Interpreter, test: ir.Call, frame: Frame, variable: str, value: Union, outcome: bool
) -> None:
    """Drops the alternatives for which `isinstance` gives the other answer."""
    from jitlint.analysis.builtin_functions import instance_of

    types = interp.evaluate(test.arguments[1].value)
    kept = [part for part in value.alternatives if instance_of(interp, part, types) is not (not outcome)]
    if kept and len(kept) < len(value.alternatives):
        interp.store.set(frame, variable, join_all(kept))


def _as_type(value: Traced, types: ir.Expr) -> Value:
    named = types.elements if isinstance(types, ir.Display) else (types,)
    names = {node.name for node in named if isinstance(node, (ir.Name, ir.Attribute))}
    kinds = {_CONTAINERS.get(name) for name in names}
    part = value.replace(param="")
    if kinds == {"tuple"}:
        return Sequence("tuple", part)
    if names <= {"Array", "Tracer"} or names == {"ndarray"}:
        return value.replace(tree=False)
    return UNKNOWN
