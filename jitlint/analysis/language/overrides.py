"""Methods of subclasses, where all that is known of an object is a class: it may be of any class that inherits from it.

`def price(x, lattice: Lattice)` gets a `Bermudan`, too, and runs the method that this class overrides.
"""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.language.classes import class_facts, lineage
from jitlint.analysis.language.guessed_classes import MAX_CLASSES
from jitlint.analysis.language.instances import generic_instance, traced_instance
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import BoundMethod, Class, Function, Instance, Transformed, Union, Value
from jitlint.source.places import Span


def with_overrides(interp: Interpreter, own: Value, name: str, span: Span) -> Value:
    """A method of an object, with those of subclasses that override it.

    Args:
        own: the method as the object's class has it; only of an instance that stands for any of its class there are
            others.
        name: its name.
        span: where it is read.
    """
    receiver = own.receiver if isinstance(own, BoundMethod) else None
    if not isinstance(own, BoundMethod) or not isinstance(receiver, Instance) or not receiver.guessed:
        return own
    if name.startswith("__"):
        return own
    classes = _overriding(interp, receiver.cls, name)
    if not classes or len(classes) > MAX_CLASSES:
        return own
    others: list[Value] = []
    for cls in classes:
        traced = receiver.traced
        held = generic_instance(interp, cls) if traced is None else traced_instance(interp, cls, traced)
        others.append(BoundMethod(held, cls.fields[name], interp.loops, interp.site(span), guessed=True))
    code = own.function.code if isinstance(own.function, Function) else None
    if code is None or not is_left_to_subclasses(interp, code):
        others.insert(0, own)
    return Union(tuple(others), True) if len(others) > 1 else others[0]


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
