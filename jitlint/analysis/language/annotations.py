"""Annotations of parameters and fields: the class or array that they name.

An annotation is evaluated in the scope where it is written, not where it is asked for: its names mean what they mean
there.
"""

from __future__ import annotations

import operator
from collections.abc import Collection
from typing import Final

from jitlint import ir
from jitlint.analysis.language.classes import annotation_is, class_facts
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    NONE,
    UNKNOWN,
    Class,
    Dict,
    External,
    Frame,
    Function,
    List,
    Sequence,
    Static,
    Tuple,
    Value,
)
from jitlint.analysis.values.named_axes import declared_array
from jitlint.events.assumption import Assumption, AssumptionKind


def is_array_field(interp: Interpreter, cls: Class, name: str) -> bool:
    """Whether a class declares the field as an array."""
    for field in class_facts(interp, cls).fields:
        if field.name == name and field.annotation is not None:
            return is_array_annotation(evaluate_annotation(interp, field.owner, field.annotation))
    return False


def is_array_annotation(annotation: Value) -> bool:
    """Whether an annotation's value means an array: `jax.Array`, `Float[Array, "n"]`."""
    if isinstance(annotation, External):
        return annotation.name == "jax.Array" or declared_array(annotation.name) is not None
    return False


ARRAY_LIKE: Final = External("jax.typing.ArrayLike")
ARRAYS: Final = frozenset({"jax.Array", "numpy.ndarray", ARRAY_LIKE.name})
"""The annotations by which JAX and NumPy mean an array."""

_NUMBERS: Final = frozenset({"builtins.bool", "builtins.int", "builtins.float", "builtins.complex"})

SEQUENCES: Final = frozenset({"list", "List", "tuple", "Tuple", "Sequence", "Iterable"})
DICTS: Final = frozenset({"dict", "Dict", "Mapping", "MutableMapping"})
"""The last parts of the names by which annotations mean a sequence or a dict."""


def declares_dict(annotation: ir.Expr) -> bool:
    """Whether an annotation is one of dicts, as it is written."""
    return any(annotation_is(annotation, name) for name in DICTS)


def unless_none(node: ir.Expr) -> ir.Expr | None:
    """What an annotation names beside None, as it is written: `C` of `C | None` and of `Optional[C]`; else None."""
    if isinstance(node, ir.Binary) and node.op == "|":
        some = [side for side in (node.left, node.right) if not _is_written_none(side)]
        return some[0] if len(some) == 1 else None
    return node.item if isinstance(node, ir.Subscript) and annotation_is(node.value, "Optional") else None


def _is_written_none(node: ir.Expr) -> bool:
    return isinstance(node, ir.Const) and node.value is None


def means_container(interp: Interpreter, node: ir.Expr) -> bool:
    """Whether the annotation of a parameter of the running function means a container, or None: `Optional[Params]`."""
    if isinstance(node, ir.Binary) and node.op == "|":
        options: tuple[ir.Expr, ...] = (node.left, node.right)
    elif isinstance(node, ir.Subscript) and _is_choice(interp, node.value):
        options = node.item.elements if isinstance(node.item, ir.Display) else (node.item,)
    else:
        return _is_container(interp, _in_scope(interp, interp.frame.parent, node))
    some = [option for option in options if not _is_written_none(option)]
    return bool(some) and all(means_container(interp, option) for option in some)


def _is_choice(interp: Interpreter, node: ir.Expr) -> bool:
    """Whether what stands before the brackets of an annotation is `Optional` or `Union`."""
    name = _in_scope(interp, interp.frame.parent, node)
    return isinstance(name, External) and name.name in ("typing.Optional", "typing.Union")


def _is_container(interp: Interpreter, annotation: Value) -> bool:
    """Whether the value of an annotation means a sequence, a dict, or a pytree of any structure."""
    if not isinstance(annotation, External):
        return False
    name = annotation.name.removesuffix("[]")
    return name.rpartition(".")[2] in SEQUENCES | DICTS or interp.models.annotations.get(name) in ("dict", "tree")


def evaluate_annotation(interp: Interpreter, owner: Class | Function, node: ir.Expr) -> Value:
    """The value of an annotation, in the scope of its function or class.

    Only names, attributes, subscripts and `None` are evaluated; all else is Unknown.
    """
    scope = owner.closure if isinstance(owner, Function) else interp.world.frames.get(owner.module)
    return _in_scope(interp, scope, node)


def _in_scope(interp: Interpreter, scope: Frame | None, node: ir.Expr) -> Value:
    """The value of an annotation that is written in a scope."""
    if scope is None:
        return UNKNOWN
    frame, reveals = interp.frame, interp.unit.reveals
    interp.frame, interp.unit.reveals = scope, reveals.silent()  # an annotation is no code of which users ask
    try:
        return _named_by(interp, node)
    finally:
        interp.frame, interp.unit.reveals = frame, reveals


def _named_by(interp: Interpreter, node: ir.Expr) -> Value:
    """The value that an annotation names; Unknown if it is none of the kinds that are evaluated.

    `Class[int]` is the class; a library's `name[…]` (`Callable[[int], int]`) is an External whose name ends in `[]`.
    """
    if isinstance(node, (ir.Name, ir.Attribute)):
        named = interp.evaluate(node)
        return _any_of(named.elements) if isinstance(named, Tuple) else named
    if isinstance(node, ir.Binary) and node.op == "|":
        return _any_of([_named_by(interp, node.left), _named_by(interp, node.right)])
    if isinstance(node, ir.Const) and node.value is None:
        return NONE
    if isinstance(node, ir.Const) and isinstance(node.value, str) and node.value.isidentifier():
        return interp.evaluate(ir.Name(node.span, node.value))
    if isinstance(node, ir.Subscript):
        base = _named_by(interp, node.value)
        if isinstance(base, External):
            if base.name == "typing.Union":
                return _any_of([_named_by(interp, part) for part in _arguments_of(node)])
            if base.name == "typing.Optional":
                return UNKNOWN
            if base.name == "typing.Annotated" and isinstance(node.item, ir.Display):
                return _named_by(interp, node.item.elements[0])
            declared = declared_array(base.name, node.item)
            if declared is not None:
                return declared
            return External(f"{base.name}[]")
        return base
    return UNKNOWN


def _any_of(options: Collection[Value]) -> Value:
    """The annotation `A | B`: arrays of any kind, and numbers beside them, are arrays; all else is Unknown."""
    names = [option.name.removesuffix("[]") if isinstance(option, External) else "" for option in options]
    arrays = [name in ARRAYS or declared_array(name) is not None for name in names]
    numbers = [name in _NUMBERS for name in names]
    return ARRAY_LIKE if any(arrays) and all(map(operator.or_, arrays, numbers)) else UNKNOWN


def evaluate_in_module_scope(interp: Interpreter, owner: Class, node: ir.Expr) -> Value:
    """The value of an expression of a class body, such as a field's default, in the module's scope."""
    frame = interp.frame
    home = interp.world.frames.get(owner.module)
    if home is None:
        return UNKNOWN
    interp.frame = home
    try:
        return interp.evaluate(node)
    finally:
        interp.frame = frame


_SCALARS: Final = frozenset({"int", "float", "bool", "str"})


def declared_container(interp: Interpreter, owner: Class | Function, node: ir.Expr | None) -> Value | None:
    """A value from callers out of view that is declared to be a list or dict of Python's own numbers and texts.

    None for other annotations: what holds arrays or objects may be any pytree in practice, and a sequence a tuple.
    """
    arguments = _arguments_of(node) if isinstance(node, ir.Subscript) else ()
    if node is None or not arguments:
        return None
    element = arguments[-1]
    if isinstance(element, ir.Name) and element.name in _SCALARS:
        held: Value = Static(element.name)
    elif _is_of_scalars(element):
        held = UNKNOWN
    else:
        return None
    declared = evaluate_annotation(interp, owner, node)
    kind = declared.name.rpartition(".")[2] if isinstance(declared, External) else ""
    if kind in ("list[]", "List[]"):
        return List("list", Sequence("tuple", held), 0, (), None)
    return Dict({}, held, 0, (), None) if kind in ("dict[]", "Dict[]") else None


def as_declared_list(value: Value) -> Assumption | None:
    """The assumption that a list of numbers is one, if only an annotation says so: people write that of arrays, too."""
    if not isinstance(value, List) or value.site is not None:  # code in view makes it
        return None
    element = value.content.element if isinstance(value.content, Sequence) else None
    if not isinstance(element, Static) or element.kind == "str":
        return None
    return Assumption(AssumptionKind.NOT_ARRAY, "what is declared as a list of numbers is no array")


def _arguments_of(node: ir.Subscript) -> tuple[ir.Expr, ...]:
    """What an annotation has between its brackets: the `str` and the `int` of `dict[str, int]`."""
    return node.item.elements if isinstance(node.item, ir.Display) else (node.item,)


def _is_of_scalars(node: ir.Expr) -> bool:
    """Whether an annotation is written as a list or tuple of numbers and texts: `tuple[int, str]`."""
    if not isinstance(node, ir.Subscript) or not isinstance(node.value, ir.Name):
        return False
    parts = _arguments_of(node)
    return node.value.name in ("list", "tuple") and all(isinstance(p, ir.Name) and p.name in _SCALARS for p in parts)
