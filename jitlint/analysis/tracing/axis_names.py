"""Names of mapped axes: which a transform binds, and collectives such as `lax.psum` over a name that nothing binds."""

from __future__ import annotations

from typing import Final

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import UNKNOWN, Const, ExternalInstance, Transformed, Tuple, Value
from jitlint.analysis.values.containers import content_of
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span

_BINDS_OTHERS: Final = frozenset({"axis_env", "mesh", "spmd_axis_name"})
"""Options of transforms that may bind names which no text in view says."""


def bound_axes(interp: Interpreter, transformed: Transformed) -> frozenset[str] | None:
    """The names of axes that a transform binds around its function; None if that is not known."""
    options = transformed.options
    if transformed.transform.traces == "in_specs":
        return None if "axis_names" in options else _axes_of(interp, options.get("mesh"))
    if not _BINDS_OTHERS.isdisjoint(options):
        return None
    name = options.get("axis_name")
    if name is None or (isinstance(name, Const) and name.value is None):
        return frozenset()
    return frozenset({name.value}) if isinstance(name, Const) and isinstance(name.value, str) else None


def _axes_of(interp: Interpreter, mesh: Value | None) -> frozenset[str] | None:
    """The axes of a mesh, `Mesh(devices, ("data",))` or `make_mesh((8,), ("data",))`; None if they are not known."""
    if not isinstance(mesh, ExternalInstance) or not interp.models.has_role(mesh.of, "mesh"):
        return None
    given = mesh.keywords.get("axis_names", mesh.arguments[1] if len(mesh.arguments) > 1 else UNKNOWN)
    content = content_of(given)
    names = content.elements if isinstance(content, Tuple) else (given,)
    known = [name.value for name in names if isinstance(name, Const) and isinstance(name.value, str)]
    return frozenset(known) if len(known) == len(names) else None


def check_axis_names(interp: Interpreter, construct: str, names: Value, span: Span) -> None:
    """Emits an event where a collective is over a name that no transform around it binds.

    Silent where nothing in view calls the traced function: its caller may map it.
    """
    trace = interp.trace
    if trace is None or trace.axis_names is None:
        return
    content = content_of(names)
    for name in content.elements if isinstance(content, Tuple) else (content,):
        if isinstance(name, Const) and isinstance(name.value, str) and name.value not in trace.axis_names:
            if not _is_caught(interp, span):
                detail, assuming = {"axis": name.value}, _no_caller_maps(interp) or _comes_unmapped(interp, name.value)
                interp.emit(EventKind.AXIS_NAME, span, construct, detail=detail, assuming=assuming)
            return


def _no_caller_maps(interp: Interpreter) -> Assumption | None:
    """What it rests on where callers out of view give arguments to the outermost running function: they may map it.

    So they do where that function is the traced one, and runs only because nothing in view calls it: then it may use
    the axes of the function that has made it, too.
    """
    root, start, frames = interp.root_run.root, interp.root_run.start, interp.path.frames
    outermost = frames[0].function if frames else None
    if root is None or outermost is None:
        return None
    if not root.qualname and (start is None or frames[0].depth == 0):
        return None
    holder = outermost.qualname.rpartition(".")[0]
    is_local = holder.endswith("<locals>")  # what runs it alone is not what has made it, which may be mapped
    is_method = holder != "" and not is_local
    if not is_local and len(outermost.parameters) <= is_method:
        return None
    return Assumption(AssumptionKind.NOT_TRACED_BY_CALLER, f"no caller maps `{outermost.name}`")


def _comes_unmapped(interp: Interpreter, name: str) -> Assumption | None:
    """What it rests on where an undecided test leads to code that runs under another transform, too, which binds the
    name: the test may ask which of them runs.
    """
    outside = interp.trace.undecided if interp.trace is not None else 0
    others = interp.world.transformed if interp.path.undecided > outside else ()
    if not any(name in (bound_axes(interp, each) or ()) for each in others):
        return None
    return Assumption(AssumptionKind.NOT_TRACED_BY_CALLER, f"code comes here without the transform that names `{name}`")


def _is_caught(interp: Interpreter, span: Span) -> bool:
    """Whether code stands in a `try` of the running function that catches a NameError: it asks whether there is one."""
    function = interp.frame.function
    for node in own_nodes(interp.project.body(function)) if function is not None else ():
        if isinstance(node, ir.Try) and node.span.start <= span.start < node.span.end:
            types = [handler.type and interp.module.snippet(handler.type.span) for handler in node.handlers]
            if any(text is None or "NameError" in text or "Exception" in text for text in types):
                return True
    return False
