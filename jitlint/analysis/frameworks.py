"""Methods that library base classes give to project classes: `model.apply`, `self.param`, `TrainState.create` …"""

from __future__ import annotations

from jitlint.analysis.calls import call, with_receiver
from jitlint.analysis.classes import bind_self, class_attribute, construct, facts
from jitlint.analysis.context import Args
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.iteration import elements_of, exact_elements
from jitlint.analysis.operators import array_result
from jitlint.analysis.results import Called, like, some_tree, value_of
from jitlint.analysis.values import (
    UNKNOWN,
    Array,
    Class,
    Const,
    Dict,
    ExternalInstance,
    Function,
    Instance,
    List,
    Method,
    Tuple,
    Value,
)
from jitlint.analysis.tables import BASE_METHODS, FUNCTIONS, METHODS
from jitlint.models.function import FunctionModel
from jitlint.models.tables import ClassModel
from jitlint.source.places import Span


def _instance_method(interp: Interpreter, receiver: Instance, method: Method, args: Args, span: Span) -> Value:
    """A method that the project's class does not define itself."""
    name = method.name
    models = facts(interp, receiver.cls).models
    word = _word(models, name)
    if name == "__setattr__":
        setattr_function = FUNCTIONS["builtins.object.__setattr__"]
        return setattr_function(interp, FunctionModel(name), with_receiver(receiver, args, span), span)
    mechanism = next((BASE_METHODS[model.handler] for model in models if model.handler), None)
    if mechanism is not None:
        return mechanism(interp, receiver, method, args, span)
    if word == "self":
        return _replaced(receiver, args if name == "replace" else Args([]))
    if word and word != "new":
        return value_of(interp, word, Called(name, args, span, receiver))
    return _replaced(receiver, args) if name in ("replace", "_replace") else UNKNOWN


def _class_method(interp: Interpreter, receiver: Class, method: Method, args: Args, span: Span) -> Value:
    if method.name == "_make" and args.positional:
        return _made_from(interp, receiver, args.positional[0], span)
    made = _word(facts(interp, receiver).models, method.name) == "new"
    return made_by(interp, receiver, args, span) if made else UNKNOWN


def _word(models: tuple[ClassModel, ...], name: str) -> str:
    """What the library bases of a class say of a method; empty if they do not know it."""
    return next((model.methods[name] for model in models if name in model.methods), "")


def _made_from(interp: Interpreter, cls: Class, values: Value, span: Span) -> Value:
    """`NamedTuple._make(iterable)`."""
    exact = exact_elements(interp, values, span, "_make")
    args = Args(exact) if exact is not None else Args([], rest=elements_of(interp, values, span, "_make"))
    return construct(interp, cls, args, span)


def made_by(interp: Interpreter, cls: Class, args: Args, span: Span) -> Instance:
    """What a library's class method makes of keywords (`TrainState.create`): an instance with these fields, and with
    the arrays that it adds itself."""
    made = Instance(cls, interp.depth, interp.loops, interp.site(span), guessed=True)
    for model in facts(interp, cls).models:
        made.fields.update({name: some_tree(interp, [], span, model.name) for name in model.array_fields})
    made.fields.update(args.keywords)
    return made


def _linen(interp: Interpreter, receiver: Instance, method: Method, args: Args, span: Span) -> Value:
    name = method.name
    if name in ("apply", "init", "init_with_output"):
        chosen = args.keywords.get("method")
        rest = Args(
            args.positional[1:],
            {k: v for k, v in args.keywords.items() if k not in ("method", "rngs", "mutable", "capture_intermediates")},
            args.rest,
            args.open_keywords,
            args.spans[1:],
            args.keyword_spans,
        )
        result = _run_module(interp, receiver, chosen, rest, span)
        variables = some_tree(interp, args.positional[:1], span, name)
        if name == "init":
            return variables
        mutable = args.keywords.get("mutable")
        alone = name == "apply" and (mutable is None or _is_false(mutable))
        return result if alone else Tuple((result, variables))
    if name == "param":
        key = array_result(interp, [], span, "key", by="param")
        made = _initialized(interp, args, [key], span)
        if isinstance(made, Array):
            return array_result(interp, [made], span, made.dtype, made.rank, by="param")
        known = isinstance(made, (Tuple, List, Dict))
        return like(interp, made, span, "param") if known else array_result(interp, [], span, None, by="param")
    if name == "variable":
        _initialized(interp, Args(args.positional[1:], args.keywords), [], span)
        return ExternalInstance("flax.linen.Variable", (), interp.depth, interp.loops, interp.site(span))
    if name == "make_rng":
        return array_result(interp, [], span, "key", by="make_rng")
    return UNKNOWN


def _initialized(interp: Interpreter, args: Args, first: list[Value], span: Span) -> Value:
    """What the function gives that makes a parameter: `param("name", function, *arguments)`."""
    function = args.get(1, "init_fn")
    return UNKNOWN if function is None else call(interp, function, Args([*first, *args.positional[2:]]), span)


def _is_false(value: Value) -> bool:
    return isinstance(value, Const) and value.value is False


def _run_module(interp: Interpreter, receiver: Instance, method: Value | None, args: Args, span: Span) -> Value:
    setup = class_attribute(interp, receiver.cls, "setup")
    if setup is not None and isinstance(setup[0], Function):
        call(interp, bind_self(interp, setup[0], receiver, span), Args([]), span)
    if isinstance(method, Function):
        return call(interp, method, with_receiver(receiver, args, span), span)
    name = method.value if isinstance(method, Const) and isinstance(method.value, str) else "__call__"
    found = class_attribute(interp, receiver.cls, name)
    if found is None:
        return UNKNOWN
    return call(interp, bind_self(interp, found[0], receiver, span), args, span)


def _replaced(receiver: Instance, args: Args) -> Value:
    copy = Instance(receiver.cls, receiver.depth, receiver.loops, receiver.site, receiver.guessed)
    copy.fields.update(receiver.fields)
    copy.fields.update(args.keywords)
    copy.traced = receiver.traced
    return copy


METHODS.update({Instance: _instance_method, Class: _class_method})
BASE_METHODS["linen"] = _linen
