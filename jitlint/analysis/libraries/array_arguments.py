"""What functions on arrays refuse: an iterator where an array must be, and `out=`, since JAX writes to no array."""

from __future__ import annotations

from typing import Final

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Const, DictView, Iterator, List, Sequence, Union, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives
from jitlint.events.event import EventKind
from jitlint.models.function import FunctionModel, Parameter
from jitlint.source.places import Span

_ONE_ARRAY: Final = frozenset({"a", "x", "arr", "m", "object"})
"""How JAX calls the first parameter of functions of one array. Others, as `jnp.stack`, take any sequence of arrays."""

_MAY_ITERATE: Final = (Iterator, DictView, Sequence, List, Union)


def check_array_arguments(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> None:
    """Emits an event for an iterator as an array, and one for an `out` that is given."""
    module = model.name.rpartition(".")[0]
    if interp.models.defaults.get(module) != "array":
        return
    out = args.keywords.get("out")
    if out is not None and not any(isinstance(part, Const) for part in alternatives(out)):
        subject = interp.module.snippet(args.keyword_spans.get("out", span))
        interp.emit(EventKind.INPLACE, span, model.name, value=interp.traced(out), subject=subject)
    for i, value in enumerate(args.positional):
        if not isinstance(value, _MAY_ITERATE):
            continue
        parameter = next((p for p in model.parameters if p.position == i or (p.rest and i >= (p.position or 0))), None)
        if parameter is None or any(concrete.name == parameter.name for concrete in model.concrete):
            continue
        kinds = [_kind_of_iterator(part, parameter) for part in alternatives(value)]
        if all(kinds):
            detail = {"parameter": parameter.name, "function": model.name}
            interp.emit(EventKind.ITERATOR_ARGUMENT, args.span(i, "", span), kinds[0], detail=detail)
            return


def _kind_of_iterator(value: Value, parameter: Parameter) -> str:
    """What an argument is that JAX takes for no array: "generator", "map", "view" …; "" for anything else."""
    if isinstance(value, Iterator):
        return value.kind
    is_view = isinstance(value, DictView) or (isinstance(value, Sequence) and value.kind == "view")
    if parameter.position != 0 or parameter.rest or parameter.name not in _ONE_ARRAY:
        return ""
    return "view" if is_view else value.kind if isinstance(value, List) and value.kind == "set" else ""
