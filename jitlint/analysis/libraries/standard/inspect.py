"""`inspect.signature(f)` for functions of the project: its parameters, and which of them gets which argument."""

from __future__ import annotations

from jitlint.analysis.language.signatures import Signature, inspected_signature, signature_of
from jitlint.analysis.libraries.tables import FUNCTIONS
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import NEVER, NONE, UNKNOWN, External, Instance, Partial, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span

_BIND = "inspect.Signature.bind"


def _signature(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`inspect.signature(function)`: an object whose `bind` is `_bind` with the function."""
    function = args.get(0, "obj") or UNKNOWN
    target = signature_of(interp, function)
    if target is None:
        return UNKNOWN
    bind = Partial(External(_BIND), (function,), {}, interp.loops, interp.site(span))
    fields: dict[str, Value] = {"bind": bind}
    shown = inspected_signature(interp, target) if args.get(1, "follow_wrapped") is None else None
    if shown is not None:
        names = [parameter.name for parameter in shown.parameters] + list(shown.keywords)
        fields["parameters"] = interp.new_dict(dict.fromkeys(names, UNKNOWN), NEVER, span)
    return _object(interp, "inspect.Signature", fields, span)


def _bind(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`signature.bind(…)`: the arguments as the function would get them.

    Defaults are filled in at once, so that `apply_defaults()` has nothing to do.
    """
    function, *positional = args.positional
    target = signature_of(interp, function)
    if target is None or args.rest is not None or args.open_keywords:
        return UNKNOWN
    given, keywords = _by_parameters(target, positional, dict(args.keywords))
    taken = interp.new_dict(dict(keywords), NEVER, span)
    apply_defaults = Partial(External("inspect.BoundArguments.apply_defaults"), (), {}, interp.loops, None)
    fields: dict[str, Value] = {"args": Tuple(tuple(given)), "kwargs": taken, "apply_defaults": apply_defaults}
    return _object(interp, "inspect.BoundArguments", fields, span)


def _by_parameters(
    target: Signature, positional: list[Value], keywords: dict[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    """The arguments by position, and those that can be given by name only."""
    given: list[Value] = []
    named: dict[str, Value] = {}
    for parameter in target.parameters:
        default = target.function.defaults.get(parameter.name)
        if parameter.kind == "*":
            given += positional
            positional = []
        elif parameter.kind == "**":
            named.update(keywords)
        elif parameter.kind != "keyword-only" and positional:
            given.append(positional.pop(0))
        else:
            value = keywords.pop(parameter.name, default)
            if value is not None and parameter.kind == "keyword-only":
                named[parameter.name] = value
            elif value is not None:
                given.append(value)
    return given, named


def _object(interp: Interpreter, name: str, fields: dict[str, Value], span: Span) -> Instance:
    """An instance of a library class with these attributes."""
    instance = Instance(interp.library_class(name), interp.depth, interp.loops, interp.site(span))
    instance.fields.update(fields)
    return instance


FUNCTIONS.update(
    {
        "inspect.signature": _signature,
        _BIND: _bind,
        "inspect.BoundArguments.apply_defaults": lambda interp, model, args, span: NONE,
    }
)
