"""Flax Linen: methods that modules of the project inherit from `nn.Module`.

`model.apply(variables, x)` runs `setup` and then `__call__` (or the given `method`) with the arguments after the first;
`model.init` does the same to make the variables. Inside a module, `self.param` and `self.variable` make arrays.
"""

from __future__ import annotations

from jitlint.analysis.arrays.results import array_result, is_variable
from jitlint.analysis.language.calls import with_receiver
from jitlint.analysis.language.classes import bind_self, class_attribute
from jitlint.analysis.libraries.tables import BASE_METHODS
from jitlint.analysis.machine.buffers import check_passed
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.tracing.borders import arrays_like, map_structure, unknown_tree
from jitlint.analysis.values import (
    UNKNOWN,
    Array,
    BoundMethod,
    Const,
    Dict,
    ExternalInstance,
    Function,
    Instance,
    List,
    Method,
    Traced,
    Transformed,
    Tuple,
    Unknown,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.source.places import Span


def _linen_method(interp: Interpreter, receiver: Instance, method: Method, args: Args, span: Span) -> Value:
    """Calls a method that `nn.Module` defines; Unknown for those without a meaning to the analyzer."""
    name = method.name
    if name in ("apply", "init", "init_with_output"):
        check_passed(interp, args, span)
        chosen = args.keywords.get("method")
        rest = Args(
            args.positional[1:],
            {k: v for k, v in args.keywords.items() if k not in ("method", "rngs", "mutable", "capture_intermediates")},
            args.rest,
            args.more,
            args.spans[1:],
            args.keyword_spans,
        )
        interp.path.modules += 1
        try:
            result = _run_module(interp, receiver, chosen, rest, span)
        finally:
            interp.path.modules -= 1
        variables = unknown_tree(interp, args.positional[:1], span, name)
        if name == "init":
            return variables
        mutable = args.keywords.get("mutable")
        alone = name == "apply" and (mutable is None or _is_false(mutable))
        result = _computed_with(interp, result, variables)
        return result if alone else Tuple((result, variables))
    if name == "param":
        key = array_result(interp, [], span, "key", by="param")
        made = _run_initializer(interp, args, [key], span)
        if isinstance(made, (Tuple, List, Dict)):
            return arrays_like(interp, made, span, "param")
        known = made if isinstance(made, Array) else Array()
        array = array_result(interp, [], span, known.dtype, known.rank, by="param")
        # an initializer of the project may give a layer's parameters: `lambda *args: layer.init(*args)["params"]`
        is_tree = made.tree if isinstance(made, Traced) else isinstance(made, Unknown) and _is_written(args)
        return array.replace(tree=True) if is_tree and isinstance(array, Traced) else array
    if name == "variable":
        made = _run_initializer(interp, Args(args.positional[1:], args.keywords), [], span)
        if is_variable(interp, made):
            return UNKNOWN  # its value is a reference, which can be written to
        return ExternalInstance("flax.linen.Variable", (), interp.depth, interp.loops, interp.site(span))
    if name == "make_rng":
        return array_result(interp, [], span, "key", by="make_rng")
    return UNKNOWN


def _computed_with(interp: Interpreter, result: Value, variables: Value) -> Value:
    """What a module computes: of its variables, too, which its submodules have beside what they are called with."""
    inner = interp.traced(variables, concrete=True)
    if inner is None:
        return result

    def leaf(value: Value) -> Value:
        if not isinstance(value, Traced):
            return map_structure(interp, value, leaf)
        shallow = value.depth < inner.depth and value.dtype not in ("int", "bool", "key")
        return value.replace(depth=inner.depth, concrete=inner.concrete, outer=value) if shallow else value

    return leaf(result)


def _run_initializer(interp: Interpreter, args: Args, first: list[Value], span: Span) -> Value:
    """The result of the initializer in `param("name", initializer, *arguments)`, called with `first` before them."""
    function = args.get(1, "init_fn")
    return UNKNOWN if function is None else call(interp, function, Args([*first, *args.positional[2:]]), span)


def _is_written(args: Args) -> bool:
    """Whether the initializer is a function of the project, of which nothing says that it makes an array."""
    return isinstance(args.get(1, "init_fn"), Function)


def _is_false(value: Value) -> bool:
    return isinstance(value, Const) and value.value is False


def _run_module(interp: Interpreter, receiver: Instance, method: Value | None, args: Args, span: Span) -> Value:
    """Runs a module: its `setup`, then the method given to `apply` or `init` (`__call__` by default).

    A method may be given as a function of the class, bound to any module, or by its name.
    """
    setup = class_attribute(interp, receiver.cls, "setup")
    if setup is not None and isinstance(setup[0], Function):
        call(interp, bind_self(interp, setup[0], receiver, span), Args([]), span)
    function = method.function if isinstance(method, BoundMethod) else method
    if isinstance(function, (Function, Transformed)):
        return call(interp, function, with_receiver(receiver, args, span), span)
    if not isinstance(function, Const | None):
        return UNKNOWN
    name = function.value if isinstance(function, Const) and isinstance(function.value, str) else "__call__"
    found = class_attribute(interp, receiver.cls, name)
    if found is None:
        return UNKNOWN
    return call(interp, bind_self(interp, found[0], receiver, span), args, span)


BASE_METHODS["linen"] = _linen_method
