"""Methods of subclasses, where all that is known of an object is a class: it may be of any class that inherits from it.

`def price(x, lattice: Lattice)` gets a `Bermudan`, too, and runs the method that this class overrides.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from jitlint import ir
from jitlint.analysis.language.classes import class_facts, lineage
from jitlint.analysis.language.guessed_classes import MAX_CLASSES
from jitlint.analysis.language.instances import generic_instance, traced_instance
from jitlint.analysis.language.signatures import signature_of
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.values import (
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    Frame,
    Function,
    Instance,
    Static,
    Transformed,
    Tuple,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import join_all
from jitlint.source.places import Span


def overriding_methods(interp: Interpreter, own: Value, node: ir.Call) -> list[Value]:
    """The methods of subclasses that a call `object.method(…)` may run instead of that of the object's class.

    There are some only of an object that stands for any of its class, and not of the `self` of the running method:
    inherited methods run with each subclass.

    Args:
        own: the method as the object's class has it.
        node: the call.
    """
    receiver = own.receiver if isinstance(own, BoundMethod) else None
    if not isinstance(node.function, ir.Attribute) or not isinstance(receiver, Instance) or not receiver.guessed:
        return []
    name = node.function.name
    if name.startswith("__") or _is_self(interp, receiver):
        return []
    classes = _overriding(interp, receiver.cls, name)
    methods: list[Value] = []
    for cls in classes if len(classes) <= MAX_CLASSES else ():
        traced = receiver.traced
        held = generic_instance(interp, cls) if traced is None else traced_instance(interp, cls, traced)
        methods.append(BoundMethod(held, cls.fields[name], interp.loops, interp.site(node.span), guessed=True))
    return methods


def _is_self(interp: Interpreter, receiver: Instance) -> bool:
    """Whether an object is the `self` of a method that runs, or in which what runs is defined."""
    frame: Frame | None = interp.frame
    while frame is not None:
        if frame.fields.get("self") is receiver:
            return True
        frame = frame.parent
    return False


def call_overridden(interp: Interpreter, own: Value, others: list[Value], args: Args, span: Span) -> Value:
    """Calls a method and those that override it, each from the same state, if the method takes these arguments.

    The result is the method's own. Of one that is left to subclasses, it is what theirs give: what follows fits the one
    that is called, so that it is known only where all give arrays.
    """
    target = signature_of(interp, own)
    if target is not None and args.rest is None and not target.takes(len(args.positional), args.keywords):
        return call(interp, own, args, span)
    left = target is not None and is_left_to_subclasses(interp, target.code)
    results: list[Value] = []
    interp.store.branch(
        partial(_call_into, interp, each, args, span, results) for each in (others if left else [own, *others])
    )
    joined = join_all(results) if left else results[0]
    return joined if not left or _is_plain(joined) else UNKNOWN


def _call_into(interp: Interpreter, callee: Value, args: Args, span: Span, results: list[Value]) -> bool:
    """Calls one of several methods, and adds its result; True, since the code after it can be reached."""
    results.append(call(interp, callee, args, span))
    return True


def _is_plain(value: Value) -> bool:
    """Whether a value is an array or a number, or a tuple of these."""
    if isinstance(value, Tuple):
        return all(map(_is_plain, value.elements))
    return isinstance(value, (Array, Const, Static))


def _overriding(interp: Interpreter, cls: Class, name: str) -> list[Class]:
    """The classes that define a method of this name, and inherit from a class; or fit it, if it is a protocol."""
    known = class_facts(interp, cls)
    wanted = frozenset({name})
    protocol = any(base.rpartition(".")[2].startswith("Protocol") for base in known.externals)
    if protocol:
        wanted = frozenset(each for each in cls.code.locals if isinstance(cls.fields.get(each), Function))
    return [
        other
        for other in interp.world.guesses.all_that_define(wanted, interp.module)
        if other is not cls
        and other.module.given
        and (protocol or cls in lineage(other))
        and isinstance(other.fields.get(name), (Function, Transformed))
    ]


def is_left_to_subclasses(interp: Interpreter, code: ir.Function) -> bool:
    """Whether a method does nothing, or only raises an error: those that override it do the work."""
    return all(
        isinstance(each, ir.Raise) or (isinstance(each, ir.ExprStmt) and isinstance(each.value, ir.Const))
        for each in interp.project.body(code)
    )


def inherited_with_overrides(interp: Interpreter, cls: Class) -> Iterator[tuple[str, Function]]:
    """The methods that a class inherits and that call methods which it overrides: they run differently in it."""
    first, *bases = lineage(cls)
    seen = set(first.fields)
    own = {name for name, value in first.fields.items() if isinstance(value, (Function, Transformed))}
    own = {name for name in own if any(name in base.fields for base in bases)}
    for base in bases:
        for name, value in base.fields.items():
            if name in seen or not isinstance(value, Function) or name.startswith("__") or not value.code.parameters:
                continue
            if own & value.code.parameters[0].attributes:
                yield name, value
        seen.update(base.fields)
