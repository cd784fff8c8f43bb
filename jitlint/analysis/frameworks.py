"""Methods that library base classes give to project classes: `model.apply`, `self.param`, `TrainState.create` …"""

from __future__ import annotations

from jitlint.analysis.calls import call, with_receiver
from jitlint.analysis.classes import bind_self, class_attribute, facts
from jitlint.analysis.context import Args
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.libraries import call_external
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
    Tuple,
    Value,
)
from jitlint.source.places import Span


def call_framework_method(interp: Interpreter, receiver: Instance | Class, name: str, args: Args, span: Span) -> Value:
    """A method that the project's class does not define itself."""
    models = facts(interp, receiver if isinstance(receiver, Class) else receiver.cls).models
    word = next((model.methods[name] for model in models if name in model.methods), "")
    if isinstance(receiver, Class):
        return made_by(interp, receiver, args, span) if word == "new" else UNKNOWN
    if name == "__setattr__":
        return call_external(interp, "builtins.object.__setattr__", with_receiver(receiver, args, span), span)
    if any(model.name == "flax.linen.Module" for model in models):
        return _linen(interp, receiver, name, args, span)
    if word == "self":
        return _replaced(receiver, args if name == "replace" else Args([]))
    if word and word != "new":
        return value_of(interp, word, Called(name, args, span, receiver))
    return _replaced(receiver, args) if name in ("replace", "_replace") else UNKNOWN


def made_by(interp: Interpreter, cls: Class, args: Args, span: Span) -> Instance:
    """What a library's class method makes of keywords (`TrainState.create`): an instance with these fields, and with
    the arrays that it adds itself."""
    made = Instance(cls, interp.depth, interp.loops, interp.site(span), guessed=True)
    for model in facts(interp, cls).models:
        made.fields.update({name: some_tree(interp, [], span, model.name) for name in model.array_fields})
    made.fields.update(args.keywords)
    return made


def _linen(interp: Interpreter, receiver: Instance, name: str, args: Args, span: Span) -> Value:
    if name in ("apply", "init", "init_with_output"):
        method = args.keywords.get("method")
        rest = Args(
            args.positional[1:],
            {k: v for k, v in args.keywords.items() if k not in ("method", "rngs", "mutable", "capture_intermediates")},
            args.rest,
            args.open_keywords,
            args.spans[1:],
            args.keyword_spans,
        )
        result = _run_module(interp, receiver, method, rest, span)
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
