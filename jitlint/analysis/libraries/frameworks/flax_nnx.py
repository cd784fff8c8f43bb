"""Flax NNX: variables that stand for their arrays, and modules that are split into a definition and a state."""

from __future__ import annotations

from jitlint.analysis.libraries.result_words import library_object
from jitlint.analysis.libraries.tables import HANDLERS
from jitlint.analysis.machine.accesses import record_arrays_changed
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.borders import to_traced, unknown_tree
from jitlint.analysis.values import UNKNOWN, ExternalInstance, Instance, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.object_changes import ObjectWrite
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _variable(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`nnx.Param(array)`: an object that stands for its array."""
    return library_object(interp, model.name, args, span)


def _split(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`split(node, *filters)`: the definition, which keeps the node for `merge`, and a state for each filter."""
    _note_read_out(interp, args.first)
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
    made = to_traced(interp, node, flow, interp.depth, arrays_only=True)
    parts = made.elements if isinstance(made, Tuple) else (made,)
    interp.root_run.changes.merged += [(part, interp.site(span)) for part in parts if isinstance(part, Instance)]
    return made


def _read_out(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`nnx.state(node)` and its like: what is in the node, as a tree."""
    _note_read_out(interp, args.first)
    return UNKNOWN


def _update(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`nnx.update(node, state)`: the variables of the node get the arrays of the state."""
    for part in args.first.elements if isinstance(args.first, Tuple) else (args.first,):
        if isinstance(part, Instance):
            record_arrays_changed(interp, part, span)
            _note_written(interp, part, span)
    return UNKNOWN


def _note_written(interp: Interpreter, node: Instance, span: Span) -> None:
    """Notes that an object of the trace's own gets other arrays, which its caller may miss."""
    if interp.trace is not None and node.depth >= interp.trace.depth:
        made = ObjectWrite(node, tuple(interp.path.frames), span)
        interp.root_run.changes.variables.setdefault(id(node), made)


def _note_read_out(interp: Interpreter, node: Value) -> None:
    """Notes that the state of an object, or of several, goes elsewhere."""
    for part in node.elements if isinstance(node, Tuple) else (node,):
        if isinstance(part, Instance):
            interp.root_run.changes.read_out.add(part.serial)


HANDLERS.update(
    {
        "nnx_variable": _variable,
        "nnx_split": _split,
        "nnx_merge": _merge,
        "nnx_read_out": _read_out,
        "nnx_update": _update,
    }
)
