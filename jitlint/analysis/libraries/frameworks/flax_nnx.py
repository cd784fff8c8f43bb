"""Flax NNX: variables that stand for their arrays, and modules that are split into a definition and a state."""

from __future__ import annotations

from jitlint.analysis.libraries.result_words import library_object
from jitlint.analysis.libraries.tables import HANDLERS
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.borders import to_traced, unknown_tree
from jitlint.analysis.values import ExternalInstance, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _variable(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`nnx.Param(array)`: an object that stands for its array."""
    return library_object(interp, model.name, args, span)


def _split(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`split(node, *filters)`: the definition, which keeps the node for `merge`, and a state for each filter."""
    definition = library_object(interp, "flax.nnx.GraphDef", Args(args.positional[:1]), span)
    states = [unknown_tree(interp, args.all(), span, model.name) for _ in args.positional[1:] or (None,)]
    return Tuple((definition, *states))


def _merge(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`merge(definition, *states)`: the node that was split, made anew, with variables of the trace that runs."""
    definition = args.first
    if not isinstance(definition, ExternalInstance) or definition.of != "flax.nnx.GraphDef" or not definition.arguments:
        return library_object(interp, "flax.nnx.Merged", args, span)
    node = definition.arguments[0]
    if interp.trace is None:
        return node
    flow = interp.source(span, f"computed by `{model.name}`", "what `merge` gives")
    return to_traced(interp, node, flow, interp.depth, arrays_only=True)


HANDLERS.update({"nnx_variable": _variable, "nnx_split": _split, "nnx_merge": _merge})
