"""`def` and `class`: making functions and classes, and what decorators make of them.

A decorator is called like any function. But one that nothing is known of is taken to return what it was given, so that
a decorated function can still be followed.
"""

from __future__ import annotations

from collections.abc import Mapping

from jitlint import ir
from jitlint.analysis.language.classes import (
    OTHER_OPTIONS,
    declared_names,
    decorates_classes,
    forget_class_facts,
    lineage,
)
from jitlint.analysis.language.functions import is_stub, make_function
from jitlint.analysis.language.names import set_name
from jitlint.analysis.machine.interpreter import EXECUTORS, Interpreter, call
from jitlint.analysis.values import (
    NEVER,
    NONE,
    OBJECT,
    UNKNOWN,
    Class,
    Const,
    DecoratorOf,
    Descriptor,
    External,
    ExternalInstance,
    Frame,
    Function,
    Partial,
    Transformed,
    Tuple,
    Unknown,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import join


def _function_def(interp: Interpreter, node: ir.FunctionDef) -> bool:
    """Runs `def`: makes the function, applies its decorators (the lowest first), and binds the name."""
    value: Value = make_function(interp, node.function)
    for decorator in node.decorators[::-1]:
        value = _apply_decorator(interp, interp.evaluate(decorator), value, decorator, node.function.name)
    set_name(interp, node.function.name, value, node.function.name_span)
    return True


def _apply_decorator(interp: Interpreter, decorator: Value, value: Value, node: ir.Expr, name: str) -> Value:
    """The value that a decorator makes of a function that is called `name`.

    A property and its like become a Descriptor, a memoized function notes that it is one, a transform's result replaces
    the function. Where the result is Unknown, or a library object that holds no function, the function stays as it is.
    But not a second function of one name: it may stand beside the first for arguments of other types, as
    `plum.dispatch` has it.
    """
    library = decorator.name if isinstance(decorator, External) else ""
    of = decorator.of if isinstance(decorator, ExternalInstance) else ""
    memoizes = interp.models.has_role(library or of, "memoizes")
    if memoizes and isinstance(value, Function):
        value.cached = True
        return value
    if library == "functools.cached_property" and isinstance(value, Function):
        value.cached = True
    if library in ("builtins.property", "functools.cached_property"):
        return Descriptor(library.rpartition(".")[2], value)
    if library in ("builtins.staticmethod", "builtins.classmethod"):
        return Descriptor(library.rpartition(".")[2], value)
    if isinstance(node, ir.Attribute) and node.name in ("setter", "deleter"):
        base = interp.evaluate(node.value)
        if isinstance(base, Descriptor):
            setter = value if node.name == "setter" else base.setter
            return Descriptor(base.kind, base.function, setter)
    if isinstance(value, Descriptor):
        return value
    if interp.models.has_role(of, "runs-at-once"):
        call(interp, value, Args([]), node.span)
        return NONE
    interp.path.decorating = node.span
    try:
        result = call(interp, decorator, Args([value], spans=[node.span]), node.span)
    finally:
        interp.path.decorating = None
    if _is_jax_transform(interp, decorator):
        return result
    if isinstance(result, ExternalInstance):
        model = interp.models.classes.get(result.of)
        return result if model is not None and model.holds else value
    unknown = result is UNKNOWN or result is NEVER or result is OBJECT or isinstance(result, Const)
    if unknown and _is_second_definition(interp, name, value):
        return UNKNOWN
    if unknown and isinstance(value, Function) and not isinstance(decorator, (External, ExternalInstance)):
        value.wrapped = UNKNOWN  # most decorators of libraries show the function's own signature, others may show any
    if unknown and isinstance(value, Function):
        value.maybe_traced = value.maybe_traced or "jit" in _last_name(node)
    return value if unknown else result


def _is_second_definition(interp: Interpreter, name: str, function: Value) -> bool:
    """Whether another `def` has bound a name before, and not for its types alone, as `typing.overload` does."""
    before = interp.frame.fields.get(name)
    while isinstance(before, Transformed):
        before = before.function
    while isinstance(function, Transformed):
        function = function.function
    if not isinstance(before, Function) or not isinstance(function, Function):
        return isinstance(before, Unknown)
    return before.code is not function.code and not is_stub(interp, before.code)


def _last_name(decorator: ir.Expr) -> str:
    """What a decorator calls itself: the name without its module and its arguments."""
    if isinstance(decorator, ir.Call):
        decorator = decorator.function
    return decorator.name if isinstance(decorator, (ir.Name, ir.Attribute)) else ""


def _is_jax_transform(interp: Interpreter, decorator: Value) -> bool:
    """Whether a decorator is a transform of JAX, so that what it refuses is no function any more."""
    while isinstance(decorator, Partial):
        decorator = decorator.function
    return isinstance(decorator, (External, DecoratorOf)) and decorator.name in interp.models.transforms


def _class_def(interp: Interpreter, node: ir.ClassDef) -> bool:
    """Runs `class`: evaluates the bases, runs the body, applies the decorators, and binds the name.

    The body runs in a frame whose variables are the class's attributes.
    """
    bases = tuple(interp.evaluate(a.value) for a in node.arguments if a.keyword is None and not a.star)
    bases = tuple(External(base.name.removesuffix("[]")) if isinstance(base, External) else base for base in bases)
    cls = Class(node, interp.module, bases, interp.depth, interp.loops)
    interp.world.classes.append(cls)
    frame = Frame(interp.module, None, interp.frame, interp.depth, interp.loops, in_class=True)
    frame.fields = cls.fields
    outer, interp.frame = interp.frame, frame
    try:
        interp.run(node.body)
    finally:
        interp.frame = outer
    for value in cls.fields.values():
        _note_defining_class(interp, cls, value)
    _run_init_subclass(interp, cls, node)
    for decorator in node.decorators[::-1]:
        value = interp.evaluate(decorator)
        _decorate_class(interp, cls, value)
        if isinstance(decorator, ir.Call) and not isinstance(value, (DecoratorOf, Partial)):
            made_by = interp.evaluate(decorator.function)
            if isinstance(made_by, External):
                _note_decorator(interp, cls, made_by.name)
    set_name(interp, node.name, cls, node.name_span)
    return True


def _run_init_subclass(interp: Interpreter, cls: Class, node: ir.ClassDef) -> None:
    """Runs what Python runs when a class is made: a base's `__init_subclass__`. A metaclass is not followed."""
    keywords = {a.keyword: interp.evaluate(a.value) for a in node.arguments if a.keyword is not None}
    metaclass = keywords.pop("metaclass", None)
    cls.options = keywords | ({OTHER_OPTIONS: UNKNOWN} if any(a.star == "**" for a in node.arguments) else {})
    if metaclass is not None and not (isinstance(metaclass, External) and metaclass.name == "abc.ABCMeta"):
        cls.is_open = True
        forget_class_facts(interp)
    for base in lineage(cls)[1:]:
        method = base.fields.get("__init_subclass__")
        if isinstance(method, Value):
            function = method.function if isinstance(method, Descriptor) else method
            call(interp, function, Args([cls], keywords), node.name_span)
            return


def _note_defining_class(interp: Interpreter, cls: Class, value: Value) -> None:
    """Notes in a method (under its decorators) the class in whose body it stands, for `super()`.

    A function from elsewhere may be the default of a dataclass's field: as such it gets no `self`.
    """
    function = value
    while not isinstance(function, Function):
        inner = getattr(function, "function", None)
        if not isinstance(inner, Value):
            return
        function = inner
    stands_here = cls.code.span.start <= function.code.span.start < cls.code.span.end and function.module is cls.module
    if function.cls is None and stands_here:
        function.cls = cls
        interp.world.method_classes[id(function.code)] = cls


def _decorate_class(interp: Interpreter, cls: Class, decorator: Value) -> None:
    """Applies a decorator to a class. One that returns something else leaves the class open: it may have more."""
    if isinstance(decorator, External):
        apply_class_decorator(interp, decorator.name, cls, {})
    elif isinstance(decorator, ExternalInstance):
        apply_class_decorator(interp, decorator.of, cls, {})
    else:
        result = call(interp, decorator, Args([cls]), cls.code.name_span)
        cls.is_open = cls.is_open or result is not cls
        name = getattr(getattr(decorator, "function", None), "name", None)
        if isinstance(name, str):
            _note_decorator(interp, cls, name)
        forget_class_facts(interp)


def _note_decorator(interp: Interpreter, cls: Class, name: str) -> None:
    """Notes a decorator that only its name tells of, if it has not noted itself when it was applied."""
    if name not in cls.decorations:
        cls.decorations[name] = {}
        forget_class_facts(interp)


# --- what libraries make of classes -----------------------------------------------------------------------------------


def apply_class_decorator(interp: Interpreter, name: str, cls: Class, options: Mapping[str, Value]) -> None:
    """Notes that a library's decorator is applied to a class, with which options; it may be a registration, too.

    A wrapper that applies it in each of two branches leaves only those options known that both give.
    """
    before = cls.decorations.get(name, options)
    cls.decorations[name] = {
        option: join(before[option], options[option]) if option in before and option in options else UNKNOWN
        for option in (*before, *options)
    }
    register_class(interp, name, cls)


def call_class_decorator(interp: Interpreter, name: str, args: Args) -> Class | DecoratorOf | None:
    """Calls a library's class decorator as a function: `dataclass(Class)`. Returns the class.

    Without a class, as in `dataclass(frozen=True)`, returns a decorator. None if `name` is no decorator of classes, or
    the first argument no class of the project.
    """
    if not decorates_classes(interp, name):
        return None
    options = dict(args.keywords)
    if args.open_keywords:
        options[OTHER_OPTIONS] = UNKNOWN
    if not args.positional and args.rest is None:
        return DecoratorOf(name, options)
    cls = args.first
    if not isinstance(cls, Class):
        return None
    apply_class_decorator(interp, name, cls, options)
    return cls


def register_class(
    interp: Interpreter,
    name: str,
    cls: Class,
    flatten: Value | None = None,
    unflatten: Value | None = None,
    meta: Value | None = None,
) -> None:
    """Notes what a registration makes of a class, if `name` is one: a pytree, with some fields static.

    Args:
        name: what registers it: `jax.tree_util.register_dataclass`.
        flatten: the function that takes an instance apart, if it is given.
        unflatten: the function that puts one together again, if it is given.
        meta: the names of the static fields, if they are given.
    """
    models = interp.models
    if models.has_role(name, "registers-pytree"):
        cls.is_registered = True
        cls.by_functions = models.has_role(name, "registers-by-functions")
        if cls.by_functions and flatten is not None:
            cls.flatten, cls.unflatten = flatten, unflatten
        content = getattr(meta, "content", meta)
        if isinstance(content, Tuple):
            names = {e.value for e in content.elements if isinstance(e, Const) and isinstance(e.value, str)}
            cls.static_fields = cls.static_fields | names
        if models.has_role(name, "registers-static"):
            cls.is_static = True
            cls.static_fields = cls.static_fields | declared_names(cls)
    forget_class_facts(interp)


EXECUTORS.update(
    {
        ir.FunctionDef: _function_def,
        ir.ClassDef: _class_def,
    }
)
