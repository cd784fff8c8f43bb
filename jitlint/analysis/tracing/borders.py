"""Values at the border of a trace: arguments become tracers on the way in, results become the caller's on the way out.

Example: `jax.jit(f)({"w": w}, 3)` calls `f` with a dict of a tracer, and a tracer for the 3. What `f` returns to eager
code is an array; what it returns to a function that is itself traced is a tracer of that outer trace.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Final

from jitlint.analysis.arrays.dtypes import DTYPE_KINDS, dtype_of
from jitlint.analysis.arrays.results import array_result, is_variable
from jitlint.analysis.language.annotations import ARRAYS, evaluate_annotation, is_array_annotation, is_array_field
from jitlint.analysis.language.classes import class_facts, lineage, plain_member
from jitlint.analysis.language.instances import crossing_fields, leaf_fields, pytree_children
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.walks import inside
from jitlint.analysis.values import (
    NEVER,
    NONE,
    UNKNOWN,
    Array,
    Const,
    Dict,
    External,
    ExternalInstance,
    HostArray,
    Instance,
    JaxArray,
    List,
    Sequence,
    Site,
    Static,
    Traced,
    Tuple,
    Union,
    Unknown,
    Value,
    is_none,
    look,
)
from jitlint.analysis.values.flow import Flow
from jitlint.analysis.values.joins import alternatives, offered_like
from jitlint.analysis.values.keys import in_order_of_jax
from jitlint.analysis.values.named_axes import DeclaredArray, declared_array
from jitlint.source.places import Span

_TRACEABLE: Final = frozenset({*DTYPE_KINDS, "number"})


def to_traced(
    interp: Interpreter,
    value: Value,
    flow: Flow,
    depth: int,
    *,
    concrete: bool = False,
    arrays_only: bool = False,
    param: str = "",
    axis: bool = False,
    label: str = "",
) -> Value:
    """An argument as the traced body sees it: the same structure with tracers for leaves.

    Args:
        flow: the first step of the tracers' flow.
        depth: the depth of the trace.
        concrete: whether the tracers keep their values (eager differentiation).
        arrays_only: whether everything but arrays stays static (Equinox).
        param: the parameter that takes the argument, if this is the whole of it.
        axis: whether the leading axis is removed (vmap, scan).
        label: the name of a leaf within the argument ("batch.0"), which identifies the length of its leading axis.
    """
    name = label or param
    lead = ((flow.module.name, flow.span, name), 0) if name and not axis else None
    if isinstance(value, Traced):
        rank = value.rank - 1 if axis and value.rank else value.rank
        copy = value.copy()
        copy.flow, copy.depth, copy.param = flow, max(depth, value.depth), param
        copy.concrete = concrete and value.concrete
        copy.from_shape = False  # what the function gets is traced, whatever it was made of
        copy.rank, copy.lead = rank, None if axis else (value.lead or lead)
        copy.axes, copy.whole = max(0, value.axes - axis), lead
        copy.outer = value.outer_tracer(depth)
        return copy
    if isinstance(value, (JaxArray, HostArray)) and value.dtype != "str":
        rank = value.rank - 1 if axis and value.rank else value.rank
        traced = Traced(flow, depth, dtype=value.dtype, rank=rank, concrete=concrete, param=param, weak=value.weak)
        traced.lead, traced.whole = None if axis else (value.lead or lead), lead
        traced.exact, traced.mixed = value.exact, value.mixed
        return traced
    value = value if arrays_only else plain_member(interp, value)
    if isinstance(value, (Const, Static)):
        kind = type(value.value).__name__ if isinstance(value, Const) else value.kind
        if kind not in _TRACEABLE or arrays_only:
            return value
        return Traced(flow, depth, dtype=dtype_of(value), rank=0, concrete=concrete, param=param, weak=True)
    if isinstance(value, Unknown):
        if arrays_only:
            return UNKNOWN
        return Traced(flow, depth, tree=True, concrete=concrete, param=param, lead=lead, whole=lead)
    again = _tracer_maker(interp, flow, depth, concrete, arrays_only, axis, name)
    if isinstance(value, ExternalInstance):
        return _cross_border(interp, value, max(depth, value.depth), again)
    if isinstance(value, Instance) and not arrays_only and _may_be_pytree(interp, value):
        return inside(interp, value, lambda: _taken_apart(interp, value, depth), value)
    made = map_structure(interp, value, again, depth)
    if arrays_only and isinstance(made, Instance) and made is not value:
        _trace_declared_arrays(interp, made, flow, depth, concrete)
    return made


def _trace_declared_arrays(interp: Interpreter, copy: Instance, flow: Flow, depth: int, concrete: bool) -> None:
    """Makes tracers of fields that are declared as arrays, where nothing else is known of them."""
    for field in class_facts(interp, copy.cls).fields:
        if field.static or field.annotation is None or not isinstance(copy.fields.get(field.name), Unknown):
            continue
        declared = evaluate_annotation(interp, field.owner, field.annotation)
        tracer = tracer_by_annotation(interp, declared, flow, depth, "") if is_array_annotation(declared) else None
        if isinstance(tracer, Traced):
            copy.fields[field.name] = tracer.replace(concrete=concrete)


def _may_be_pytree(interp: Interpreter, value: Instance) -> bool:
    """Whether a base or decorator that is out of view may make an object's class a pytree, and nothing in view does."""
    return class_facts(interp, value.cls).open and leaf_fields(interp, value.cls) is None


def _taken_apart(interp: Interpreter, value: Instance, depth: int) -> Instance:
    """An object within a trace that took it, so that its class must be a pytree; which parts are leaves is unknown.

    The trace has a new object. Numbers and arrays in it are tracers or static, and are unknown here.
    """
    copy = Instance(value.cls, depth, interp.loops, value.site, value.guessed)
    for name, field in crossing_fields(interp, value).items():
        copy.fields[name] = _leaf_or_static(interp, field, depth)
    return copy


def _leaf_or_static(interp: Interpreter, value: Value, depth: int) -> Value:
    """A part of an object of which nobody knows whether it is a leaf or static."""
    if isinstance(value, Array) or (isinstance(value, (Const, Static)) and dtype_of(value) is not None):
        return UNKNOWN
    if isinstance(value, Instance) and _may_be_pytree(interp, value):
        return inside(interp, value, lambda: _taken_apart(interp, value, depth), value)
    return map_structure(interp, value, lambda part: _leaf_or_static(interp, part, depth), depth)


def _tracer_maker(
    interp: Interpreter, flow: Flow, depth: int, concrete: bool, arrays_only: bool, axis: bool, name: str
) -> Callable[[Value], Value]:
    """A function that makes tracers of the parts of an argument called `name`, numbering them one after the other."""
    numbers = itertools.count()
    return lambda part: to_traced(
        interp,
        part,
        flow,
        depth,
        concrete=concrete,
        arrays_only=arrays_only,
        axis=axis,
        label=f"{name}.{next(numbers)}",
    )


def _cross_border(interp: Interpreter, value: ExternalInstance, depth: int, leaf: Callable[[Value], Value]) -> Value:
    """A library object that passes the border: if it is a pytree, the values that it was made with pass, too."""
    model = interp.models.classes.get(value.of)
    if not is_variable(interp, value) and (model is None or not model.pytree):
        return value
    keywords = {name: leaf(part) for name, part in value.keywords.items()}
    return ExternalInstance(
        value.of, tuple(map(leaf, value.arguments)), depth, interp.loops, value.site, keywords=keywords
    )


def map_structure(
    interp: Interpreter,
    value: Value,
    leaf: Callable[[Value], Value],
    depth: int | None = None,
    site: Site | None = None,
) -> Value:
    """The same containers, made anew, with other leaves. A value that is no container comes back as it is.

    Args:
        leaf: makes a new leaf of an old one.
        depth: the trace depth of the new containers; the present one by default.
        site: where they are made; where the old ones were by default.
    """
    depth = interp.depth if depth is None else depth
    if isinstance(value, Tuple):
        look(made=len(value.elements))
        if value.cls is not None and any(cls.by_functions for cls in lineage(value.cls)):
            # functions of the project choose the leaves, though it is a NamedTuple: as of their objects, the arrays
            return Tuple(tuple([part if _is_host_data(part) else leaf(part) for part in value.elements]), value.cls)
        return Tuple(tuple(map(leaf, value.elements)), value.cls)
    if isinstance(value, Sequence):
        return Sequence(value.kind, leaf(value.element)) if value.kind == "tuple" else value
    if isinstance(value, List) and value.kind in ("list", "deque"):
        content = map_structure(interp, value.content, leaf)
        assert isinstance(content, (Tuple, Sequence))
        return List(value.kind, content, depth, interp.loops, site or value.site)
    if isinstance(value, Dict):
        look(made=len(value.entries))
        entries = {name: leaf(entry) for name, entry in in_order_of_jax(value.entries).items()}
        rest = value.rest if value.rest is NEVER else leaf(value.rest)
        copy = Dict(entries, rest, depth, interp.loops, site or value.site)
        copy.fields["keys"], copy.fields["unsure"] = value.unknown_keys, value.unsure
        return copy
    if isinstance(value, Instance):
        unknown: Value = UNKNOWN
        return inside(interp, value, lambda: _map_instance(interp, value, leaf, depth), unknown)
    return offered_like(value, map(leaf, value.alternatives)) if isinstance(value, Union) else value


def _map_instance(interp: Interpreter, value: Instance, leaf: Callable[[Value], Value], depth: int) -> Value:
    """An instance of a pytree class with other leaves; its static fields stay as they are."""
    names = leaf_fields(interp, value.cls)
    if names is None:
        return value
    known = class_facts(interp, value.cls)
    by_functions = any(cls.by_functions for cls in known.lineage)
    children = pytree_children(interp, value.cls)
    copy = Instance(value.cls, depth, interp.loops, value.site, value.guessed)
    copy.is_part = value.is_part
    for name, field in crossing_fields(interp, value).items():
        if (name not in children) if children is not None else (bool(names) and name not in names):
            copy.fields[name] = field
        elif (children and children[name]) or not (by_functions or known.sparse):
            copy.fields[name] = leaf(field)
        else:
            # functions of the project choose the leaves: we take arrays for leaves, and leave the rest as it is
            keeps_unknown = not is_array_field(interp, value.cls, name)
            keeps_numbers = by_functions or known.static_numbers
            parts = [
                part
                if (keeps_unknown and isinstance(part, Unknown)) or (keeps_numbers and _is_host_data(part))
                else leaf(part)
                for part in alternatives(field)
            ]
            copy.fields[name] = offered_like(field, parts) if isinstance(field, Union) else parts[0]
    return copy


def _is_host_data(value: Value) -> bool:
    """Whether a value is made of Python's own constants."""
    if isinstance(value, List):
        return _is_host_data(value.content)
    if isinstance(value, Tuple):
        return all(map(_is_host_data, value.elements))
    if isinstance(value, Sequence):
        return _is_host_data(value.element)
    return isinstance(value, (Const, Static))


def untrace(interp: Interpreter, value: Value, depth: int, flow: Flow, arrays_only: bool = False) -> Value:
    """A result of a traced body as the caller sees it.

    Args:
        value: the result.
        depth: the depth of the trace: tracers of outer traces come back as they are.
        flow: where the call is, for arrays that begin a new flow.
        arrays_only: whether what is no array comes back as it is (Equinox); otherwise numbers become arrays.
    """
    if isinstance(value, Traced):
        if value.depth < depth:
            return value
        return outer_array(interp, flow, value, value.tree)
    if isinstance(value, (Const, Static)) and dtype_of(value) is not None:
        if arrays_only:
            return value
        return outer_array(interp, flow, JaxArray(dtype_of(value), 0, weak=True))
    if isinstance(value, Array):
        return outer_array(interp, flow, value)
    again = _untracer(interp, depth, flow, arrays_only)
    if isinstance(value, ExternalInstance):
        return _cross_border(interp, value, interp.depth, again)
    return map_structure(interp, value, again, site=(flow.module, flow.span))


def _untracer(interp: Interpreter, depth: int, flow: Flow, arrays_only: bool) -> Callable[[Value], Value]:
    """A function that untraces the parts of a result."""
    return lambda part: untrace(interp, part, depth, flow, arrays_only)


def stacked(interp: Interpreter, value: Value) -> Value:
    """The results of a function for each of several inputs: arrays with one more leading axis."""
    if isinstance(value, Traced):
        return value.replace(rank=None if value.rank is None else value.rank + 1, lead=None, axes=value.axes + 1)
    if isinstance(value, Array):
        return JaxArray(value.dtype, None if value.rank is None else value.rank + 1, exact=value.exact)
    return map_structure(interp, value, lambda leaf: stacked(interp, leaf))


def outer_array(interp: Interpreter, flow: Flow, like: Array, tree: bool = False) -> Value:
    """An array that a transformed function returns, in the present context: a tracer while staging, an array otherwise.

    Args:
        flow: where a new tracer comes from.
        like: the array inside of the trace, for its dtype and rank.
        tree: whether it may be a whole tree.
    """
    outer = like.outer_tracer(interp.depth + 1) if isinstance(like, Traced) else None
    if interp.staging or outer is not None:
        depth = interp.depth if interp.staging or outer is None else outer.depth
        return Traced(
            outer.flow if outer is not None and not interp.staging else flow,
            depth,
            dtype=like.dtype,
            rank=like.rank,
            tree=tree,
            weak=like.weak,
            lead=like.lead,
            exact=like.exact,
            axes=like.axes if isinstance(like, Traced) else 0,
            concrete=not interp.staging and outer is not None and outer.concrete,
            outer=outer.outer_tracer(depth) if outer is not None else None,
        )
    return UNKNOWN if tree else JaxArray(like.dtype, like.rank, like.weak, like.lead, like.exact)


def tracer_by_annotation(
    interp: Interpreter, annotation: Value | None, flow: Flow, depth: int, param: str
) -> Value | None:
    """The tracer for a parameter of which only the annotation is known; None if that does not name an array."""
    if isinstance(annotation, External):
        kind = annotation.name.rpartition(".")[2]
        if annotation.name.removesuffix("[]") in ARRAYS or kind in DTYPE_KINDS:
            return Traced(flow, depth, dtype=DTYPE_KINDS.get(kind), param=param)
        declared = annotation if isinstance(annotation, DeclaredArray) else declared_array(annotation.name)
        if declared is not None:
            return Traced(flow, depth, dtype=declared.dtype, rank=declared.rank, param=param)
    return NONE if annotation is NONE else None


def unknown_tree(interp: Interpreter, operands: list[Value], span: Span, by: str) -> Value:
    """The result of an operation that may have any structure: a traced tree, or Unknown if it is not traced.

    Args:
        operands: the values that it depends on.
        span: where the operation is written.
        by: its name, for messages.
    """
    result = array_result(interp, operands, span, None, by=by)
    return result.replace(tree=True) if isinstance(result, Traced) else UNKNOWN


def arrays_like(interp: Interpreter, value: Value, span: Span, by: str, *, numbers_stay: bool = False) -> Value:
    """A value of the same structure as `value` with arrays for leaves, as an operation called `by` returns it.

    Args:
        numbers_stay: whether what is no array stays as it is, as where a model is read from a file.
    """
    if isinstance(value, Unknown) or (isinstance(value, Traced) and value.tree):
        return unknown_tree(interp, [value], span, by)
    if isinstance(value, Array) or (isinstance(value, (Const, Static)) and not (is_none(value) or numbers_stay)):
        return array_result(interp, [value], span, None, by=by)
    return map_structure(interp, value, lambda leaf: arrays_like(interp, leaf, span, by, numbers_stay=numbers_stay))
