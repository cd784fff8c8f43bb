"""Flax's functions on the nested dicts that hold variables: flat dicts of their leaves, frozen copies, files."""

from __future__ import annotations

from collections.abc import Iterator

from jitlint.analysis.libraries.tables import HANDLERS
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.borders import arrays_like, map_structure, unknown_tree
from jitlint.analysis.values import NEVER, UNKNOWN, Const, Dict, Value, is_none
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import join
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _flatten_dict(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`flatten_dict(variables, sep="/")`: a dict of the leaves, whose keys are paths. What is unknown stays itself."""
    variables, sep = args.given(0, "xs"), args.get(3, "sep")
    if not isinstance(variables, Dict):
        return variables
    flat = Dict({}, variables.rest, interp.depth, interp.loops, interp.site(span))
    text = sep.value if isinstance(sep, Const) and isinstance(sep.value, str) else None
    for path, leaf in _leaves(variables):
        if all(isinstance(key, str) for key in path):
            flat.entries[path if text is None else text.join(path)] = leaf
        else:
            flat.fields["rest"] = join(flat.rest, leaf)
    return flat


def _leaves(variables: Dict, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Value]]:
    """The leaves of nested dicts, each with the keys that lead to it."""
    for key, part in variables.entries.items():
        if isinstance(part, Dict) and part.rest is NEVER:
            yield from _leaves(part, (*path, key))
        else:
            yield (*path, key), part


def _unflatten_dict(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`unflatten_dict(flat, sep="/")`: nested dicts, of which the leaves alone are known."""
    return unknown_tree(interp, [args.given(0, "xs")], span, model.name)


def _copy(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`freeze(variables)` and `unfreeze(variables)`: dicts of their own with the same leaves."""
    return _with_same_leaves(interp, args.given(0, "x") if model.name.endswith("unfreeze") else args.given(0, "xs"))


def _with_same_leaves(interp: Interpreter, value: Value) -> Value:
    return (
        map_structure(interp, value, lambda part: _with_same_leaves(interp, part)) if isinstance(value, Dict) else value
    )


def _restored(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`from_bytes(target, data)`: arrays in the structure of the target; without one, whatever the data hold."""
    target = args.given(0, "target")
    return UNKNOWN if is_none(target) else arrays_like(interp, target, span, model.name)


HANDLERS.update(
    {
        "flax_flatten_dict": _flatten_dict,
        "flax_unflatten_dict": _unflatten_dict,
        "flax_copy": _copy,
        "flax_restored": _restored,
    }
)
