"""Indexing: reading, assigning and deleting items.

`get_item`, `set_item` and `delete_item` go by the kind of the indexed value. A tracer as an index works on JAX arrays
and fails on Python's sequences and NumPy's arrays; on JAX arrays, a boolean mask and a traced slice bound fail, since
they decide the shape of the result.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection

from jitlint import ir
from jitlint.analysis.arrays.dtypes import least_rank, with_exact_dtype, with_least_rank
from jitlint.analysis.arrays.indexing import (
    index_parts,
    is_int,
    lead_after_indexing,
    least_rank_after_indexing,
    rank_after_indexing,
)
from jitlint.analysis.arrays.ragged import sliced
from jitlint.analysis.arrays.results import array_result, is_variable, tracer_in
from jitlint.analysis.arrays.rounds import loop_that_adds, varying_slice_length
from jitlint.analysis.arrays.selections import selected_items
from jitlint.analysis.language.annotations import as_declared_list
from jitlint.analysis.language.attribute_writes import (
    check_variable_write,
    record_array_attribute_changed,
    set_through_dict,
)
from jitlint.analysis.language.decisions import no_container
from jitlint.analysis.language.mutations import (
    forget_length,
    mark_stored,
    record_list_change,
    share_lifetime,
    with_unknown_content,
)
from jitlint.analysis.language.protocols import (
    call_special_method,
    check_hash,
    item_of_instance,
    set_item_of_instance,
)
from jitlint.analysis.machine.accesses import record_array_changed, record_item_read, record_items_changed
from jitlint.analysis.machine.effects import emit_effect
from jitlint.analysis.machine.escapes import check_escape, is_outer
from jitlint.analysis.machine.handed_on import element_held
from jitlint.analysis.machine.interpreter import ASSIGNERS, Interpreter, call
from jitlint.analysis.machine.options import chosen_entry, note_way
from jitlint.analysis.machine.scalars import note_scalar_use
from jitlint.analysis.values import (
    NEVER,
    STR,
    UNKNOWN,
    Array,
    AtIndexer,
    Class,
    Const,
    Dict,
    External,
    ExternalInstance,
    HostArray,
    Instance,
    Iterator,
    JaxArray,
    Lead,
    List,
    ResizedInLoop,
    Sequence,
    Slice,
    Static,
    Traced,
    TracerText,
    Tuple,
    Union,
    Unknown,
    Value,
    is_none,
    part_of_unknown,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import alternatives, join, join_all, offered, without_doubtful_arrays
from jitlint.analysis.values.keys import constant_key, may_be_text
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def get_item(interp: Interpreter, base: Value, index: Value, node: ir.Subscript) -> Value:
    """The value of `base[index]`.

    Where nothing is known of the base but a tracer indexes it, the base is taken for a JAX array: anything else would
    fail.
    """
    if isinstance(base, Union):
        return _item_of_one_of(interp, base, index, node)
    if isinstance(index, TracerText) and _has_no_such_key(base) and interp.traced(index.tracer) is not None:
        interp.emit(EventKind.FORMAT, node.span, "dict", value=index.tracer)
        return UNKNOWN
    if isinstance(base, Array):
        item = _item_of_array(interp, base, index, node)
        return selected_items(interp, base, index, node) or sliced(item, base, index)
    if isinstance(base, AtIndexer) and not may_be_text(index):
        check_array_index(interp, base.array, index, node, write=True)
        _note_axes_wanted(interp, base.array, index, node.span)
        return AtIndexer(_of_data(base.array, index), True)
    if isinstance(base, Dict):
        return _item_of_dict(interp, base, index, node)
    own = call_special_method(interp, base, "__getitem__", [index], node.span)
    if own is not None:
        return own
    if isinstance(base, (Tuple, List, Sequence)):
        return _item_of_sequence(interp, base, index, node)
    text = isinstance(base, Const) and isinstance(base.value, (str, bytes))
    if text or (isinstance(base, Static) and base.kind == "str"):
        check_index(interp, index, node.item.span, "str")
        return STR
    if isinstance(base, Instance):
        return item_of_instance(interp, base)
    if isinstance(base, External) and base.name == "os.environ":
        emit_effect(interp, node.span, "os.environ", "environment")
        return STR
    if isinstance(base, External) and any(isinstance(part, Slice) for part in index_parts(index)):
        _check_slice_bounds(interp, index, node)  # `jnp.mgrid[0:n]` makes an array of that size
        return UNKNOWN
    if isinstance(base, External) and interp.models.has_role(base.name, "makes-arrays"):
        made_of_tracers = any(interp.traced(part) is not None for part in index_parts(index))
        return array_result(interp, [index], node.span, None, by=base.name) if made_of_tracers else UNKNOWN
    if isinstance(base, (External, Class)):
        return index if isinstance(base, External) and base.name == "typing.Union" else base
    if isinstance(base, ExternalInstance) and is_variable(interp, base):
        return array_result(interp, [base, index], node.span, None, by=base.of)
    mask = _boolean_mask(interp, index)
    if mask is not None and not isinstance(base, (Iterator, ExternalInstance)):
        assuming = Assumption(AssumptionKind.IS_ARRAY, f"`{interp.module.snippet(node.value.span)}` is an array")
        interp.emit(EventKind.MASK_INDEX, node.span, "[]", value=mask, assuming=assuming)
    tracer = next((t for t in map(interp.traced, index_parts(index)) if t is not None), None)
    if isinstance(node.value, ir.Attribute) and node.value.name == "at":
        return UNKNOWN if may_be_text(index) else AtIndexer(base, True)
    if isinstance(base, Unknown) and tracer is not None:
        # only a JAX array takes a tracer as an index
        result = array_result(interp, [tracer], node.span, None)
        return result.replace(tree=True) if isinstance(result, Traced) else UNKNOWN
    rounds = varying_slice_length(index, None) if isinstance(base, Unknown) else None
    if rounds is not None:
        return ResizedInLoop(rounds)
    return selected_items(interp, base, index, node) or part_of_unknown(base)


def _has_no_such_key(base: Value) -> bool:
    """Whether no key of a dict can be the text of a tracer: all are known, or it came from outside of the trace."""
    if isinstance(base, Dict):
        return base.rest is NEVER and base.factory is None
    return isinstance(base, Traced) and base.tree


def _of_data(array: Value, index: Value) -> Value:
    """An array that is updated at an index: made of a shape alone, it depends on the data of the index from now on."""
    if not isinstance(array, Traced) or not array.from_shape:
        return array
    data = next((t for t in map(tracer_in, index_parts(index)) if t is not None and not t.from_shape), None)
    return array if data is None else array.replace(flow=data.flow, from_shape=False)


def _item_of_one_of(interp: Interpreter, base: Union, index: Value, node: ir.Subscript) -> Value:
    """The value of `base[index]` where the base may be several values. What happens with one of them is not certain.

    What may be an array of JAX is meant to be one where a tracer indexes it, though another path has one of NumPy.
    """
    by_jax = any(isinstance(part, (Traced, JaxArray)) for part in base.alternatives)
    found = []
    text = f"one of the values that `{interp.module.snippet(node.value.span)}` may have"
    with interp.assuming(AssumptionKind.ONE_OF_VALUES, text):
        for part in base.alternatives:
            with interp.silenced() if by_jax and isinstance(part, HostArray) else contextlib.nullcontext():
                found.append(get_item(interp, part, index, node))
    return join_all(found)


def check_index(interp: Interpreter, index: Value, span: Span, construct: str, base: Value = UNKNOWN) -> None:
    """Reports a tracer that indexes a list, tuple or text, or bounds a slice of it: `base`, if it is a variable."""
    parts = index.bounds if isinstance(index, Slice) else (index,)
    for part in parts:
        tracer = interp.traced(part)
        if tracer is not None:
            interp.emit(EventKind.INDEX, span, construct, value=part, assuming=as_declared_list(base))


def _boolean_mask(interp: Interpreter, index: Value) -> Traced | None:
    """The tracer among the parts of an index that is a boolean mask; None if there is none."""
    for part in index_parts(index):
        tracer = interp.traced(part)
        if tracer is not None and tracer.dtype == "bool" and tracer.rank != 0:
            return tracer
    return None


def check_array_index(
    interp: Interpreter, base: Value, index: Value, node: ir.Subscript, *, write: bool = False
) -> None:
    """Reports what a JAX array cannot be indexed with: a boolean mask, traced slice bounds. `write`: for `.at[…]`."""
    mask = _boolean_mask(interp, index)
    if mask is not None:
        detail = {"write": "yes"} if write else {}
        interp.emit(
            EventKind.MASK_INDEX, node.span, "[]", value=mask, detail=detail, subject=_source_text(interp, node.item)
        )
    _check_slice_bounds(interp, index, node)


def _check_slice_bounds(interp: Interpreter, index: Value, node: ir.Subscript) -> None:
    """Reports traced bounds of slices."""
    nodes = node.item.elements if isinstance(node.item, ir.Display) else (node.item,)
    for part, part_node in zip(index_parts(index), nodes, strict=False):
        if not isinstance(part, Slice):
            continue
        for bound in part.bounds:
            tracer = interp.traced(bound)
            if tracer is not None:
                interp.emit(EventKind.SLICE, part_node.span, "slice", value=bound)
                break


def _source_text(interp: Interpreter, node: ir.Expr) -> str:
    """An expression as it is written."""
    return interp.module.snippet(node.span)


def _item_of_array(interp: Interpreter, base: Array, index: Value, node: ir.Subscript) -> Value:
    """The value of `array[index]`, with what is known of its rank and leading axis.

    Of a pytree of unknown structure, it is a part of the pytree.
    """
    if isinstance(base, Traced) and base.tree:
        if interp.traced(index) is None and not isinstance(index, (Slice, Tuple)) and not is_none(index):
            return base.element_tracer(lead=_lead_of_leaf(base, index))
        if isinstance(index, Slice):
            check_array_index(interp, base, index, node)
            return base.element_tracer(lead=lead_after_indexing(base.lead, index), axes=max(1, base.axes))
    elif may_be_text(index) and not isinstance(base, HostArray):
        return UNKNOWN
    if isinstance(base, HostArray):
        for part in index_parts(index):
            if interp.traced(part) is not None:
                interp.emit(EventKind.HOST, node.span, "numpy.ndarray.__getitem__", value=part)
                break
        _check_slice_bounds(interp, index, node)
        rounds = varying_slice_length(index, base.lead)
        lead = (rounds, 0) if rounds else lead_after_indexing(base.lead, index)
        # an element may be any object, if the array is one of objects
        return HostArray(base.dtype, rank_after_indexing(base.rank, index) or None, lead=lead, exact=base.exact)
    check_array_index(interp, base, index, node)
    _note_axes_wanted(interp, base, index, node.span)
    rank = rank_after_indexing(base.rank, index)
    rounds = varying_slice_length(index, base.lead)
    lead = (rounds, 0) if rounds else lead_after_indexing(base.lead, index)
    by = "" if isinstance(base, Traced) else "[]"
    result = array_result(interp, [base, index], node.span, base.dtype, rank, by=by, weak=base.weak, lead=lead)
    return with_least_rank(with_exact_dtype(result, base.exact), least_rank_after_indexing(least_rank(base), index))


def _note_axes_wanted(interp: Interpreter, base: Value, index: Value, span: Span) -> None:
    """Notes that `array[index]` needs an axis."""
    parts = index_parts(index)
    if any(isinstance(part, (Slice, Traced)) or (isinstance(part, Const) and is_int(part)) for part in parts):
        note_scalar_use(interp, base, span)


def _lead_of_leaf(base: Traced, index: Value) -> Lead | None:
    """The leading axis of a leaf `tree["name"]`: that of the pytree, marked with the name.

    The same leaf of the same argument always has the same one, so that lengths can be compared.
    """
    if base.lead is None or not isinstance(index, Const) or not isinstance(index.value, (str, int)):
        return None
    return (base.lead[0], index.value), 0


def _item_of_dict(interp: Interpreter, base: Dict, index: Value, node: ir.Subscript) -> Value:
    """The value of `dict[index]`: that of a known key, or the join of all that it may be."""
    check_hash(interp, index, node.item, "dict")
    key = constant_key(index)
    entries: dict[object, Value] = base.entries
    note_way(interp, index, None if key is None else True, node.span, other=len(entries) > 1, entries=entries)
    if key is not None:
        if (chosen := chosen_entry(interp, base, index, node)) is not None:
            return offered(chosen)
        record_item_read(interp, base, key[0], _source_text(interp, node), node.span)
    if key is not None and key[0] in entries:
        return entries[key[0]]
    made = _make_missing_value(interp, base, key, node) if base.factory is not None else NEVER
    if isinstance(made, (List, Dict)) and isinstance(base.rest, Unknown):
        return made  # nothing is known of the dict: its values come from the factory, too
    result = offered(join_all([base.rest, made, *(entries.values() if key is None else ())]))
    return UNKNOWN if result is NEVER else result


def _make_missing_value(interp: Interpreter, base: Dict, key: tuple[object] | None, node: ir.Subscript) -> Value:
    """The value that a `defaultdict` makes for a key that it may not have, and stores."""
    rest: Value = base.rest
    if base.factory is None or (key is None and rest is not NEVER and not isinstance(rest, Unknown)):
        return NEVER
    made = call(interp, base.factory, Args([]), node.span)
    share_lifetime(base, made)
    if isinstance(rest, Unknown):
        return with_unknown_content(made)
    if key is not None and rest is NEVER:
        interp.store.set(base, "entries", {**base.entries, key[0]: made})
    else:
        interp.store.set(base, "rest", join(rest, made))
        interp.store.set(base, "keys", UNKNOWN)
    return made


def _item_of_sequence(interp: Interpreter, base: Tuple | List | Sequence, index: Value, node: ir.Subscript) -> Value:
    """The value of `sequence[index]` for tuples and lists."""
    content = content_of(base)
    given = base if isinstance(node.value, ir.Name) else UNKNOWN
    check_index(interp, index, node.item.span, "list" if isinstance(base, List) else "tuple", given)
    if interp.traced(index) is not None or isinstance(index, Tuple):
        return UNKNOWN
    if isinstance(index, Slice):
        return _slice_of_sequence(interp, base, content, index, node.span)
    if isinstance(content, Tuple):
        if isinstance(index, Const) and isinstance(index.value, int) and not isinstance(index.value, bool):
            count = len(content.elements)
            return content.elements[index.value] if -count <= index.value < count else UNKNOWN
        return offered(join_all(content.elements)) if content.elements else UNKNOWN
    item = offered(content.element) if isinstance(content, Sequence) and content.element is not NEVER else UNKNOWN
    at = index.value if isinstance(index, Const) and isinstance(index.value, int) else -1
    item = without_doubtful_arrays(item) if at >= 0 else item  # a place of its own, whatever the others hold
    return element_held(interp, base, item) if at == 0 else item


def _slice_of_sequence(
    interp: Interpreter, base: Tuple | List | Sequence, content: Value, index: Slice, span: Span
) -> Value:
    """The value of `sequence[lower:upper:step]`: of known length where the bounds are constants."""
    result: Tuple | Sequence
    bounds = [part.value for part in index.bounds if isinstance(part, Const)]
    if isinstance(content, Tuple) and len(bounds) == 3 and all(b is None or isinstance(b, int) for b in bounds):
        result = Tuple(content.elements[slice(*bounds)] if bounds[2] != 0 else ())
    elif isinstance(content, Tuple):
        result = Sequence("tuple", join_all(content.elements))
    else:
        result = Sequence("tuple", content.element if isinstance(content, Sequence) else UNKNOWN)
    if isinstance(base, List):
        return interp.new_list(base.kind, result, span)
    return result


# --- assignment -------------------------------------------------------------------------------------------------------


def set_item(interp: Interpreter, base: Value, index: Value, value: Value, node: ir.Subscript) -> None:
    """Runs `base[index] = value`. Arrays of JAX cannot be assigned to; `x.__dict__["name"] = …` sets an attribute."""
    if isinstance(node.value, ir.Attribute) and node.value.name == "__dict__":
        set_through_dict(interp, interp.evaluate(node.value.value), index, value, node)
    parts = alternatives(base)
    # a name is the key of a dict, and no array holds a dict: then the base is a container, whatever we take it for
    containers = may_be_text(index) or isinstance(value, Dict) or any(isinstance(part, (Dict, List)) for part in parts)
    for part in parts:
        if isinstance(part, (Traced, JaxArray)):
            if containers:
                continue
            if not (isinstance(part, Traced) and part.tree):
                _check_in_place(interp, part, parts, node)
            else:
                _check_guessed_in_place(interp, part, index, node)
        elif isinstance(part, HostArray):
            _set_item_of_host_array(interp, index, value, node)
        elif isinstance(part, Dict):
            _set_item_of_dict(interp, part, index, value, node)
        elif isinstance(part, List):
            _set_item_of_list(interp, part, index, value, node)
        elif isinstance(part, Instance):
            set_item_of_instance(interp, part, index, value, node.span, _source_text(interp, node.value))
        elif isinstance(part, ExternalInstance):
            check_variable_write(interp, part, _source_text(interp, node.value), node.span)


def _check_in_place(interp: Interpreter, part: Traced | JaxArray, parts: Collection[Value], node: ir.Subscript) -> None:
    """Reports an assignment to an item of a JAX array, which is one of the values that the variable may have.

    Where it may be a NumPy array, too, the code that assigns to its items is evidence that it is one.
    """
    flow = part.flow if isinstance(part, Traced) else None
    text = _source_text(interp, node.value)
    assuming = None
    if any(isinstance(other, HostArray) for other in parts):
        assuming = Assumption(AssumptionKind.NOT_NUMPY, f"`{text}` is the array of JAX, not that of NumPy")
    elif any(not isinstance(other, (Traced, JaxArray)) for other in parts):
        assuming = Assumption(AssumptionKind.UNDECIDED_JOIN, f"a path on which `{text}` is one")
    interp.emit(EventKind.INPLACE, node.span, "item", flow=flow, subject=text, assuming=assuming)


def delete_item(interp: Interpreter, base: Value, index: Value, node: ir.Subscript) -> None:
    """Runs `del base[index]`."""
    for part in alternatives(base):
        if isinstance(part, JaxArray) or (isinstance(part, Traced) and not part.tree):
            flow = part.flow if isinstance(part, Traced) else None
            interp.emit(EventKind.INPLACE, node.span, "item", flow=flow, subject=_source_text(interp, node.value))
        elif isinstance(part, Dict):
            check_hash(interp, index, node.item, "dict")
            key = constant_key(index)
            if key is not None:
                entries = part.entries
                interp.store.set(part, "entries", {name: entries[name] for name in entries if name != key[0]})
        elif isinstance(part, List):
            check_index(interp, index, node.item.span, "list")
            forget_length(interp, part)
        elif isinstance(part, Instance):
            call_special_method(interp, part, "__delitem__", [index], node.span)


def _check_guessed_in_place(interp: Interpreter, part: Traced, index: Value, node: ir.Subscript) -> None:
    """Reports an assignment to a pytree of unknown structure whose index says that it is an array."""
    tracer = interp.traced(index)
    text = _source_text(interp, node.value)
    sliced = isinstance(index, (Tuple, Slice))
    if sliced or (tracer is not None and not tracer.tree):
        interp.emit(
            EventKind.INPLACE,
            node.span,
            "item",
            value=part,
            subject=text,
            assuming=Assumption(AssumptionKind.IS_ARRAY, f"`{text}` is an array")
            if sliced
            else no_container(part, text),
        )


def _set_item_of_host_array(interp: Interpreter, index: Value, value: Value, node: ir.Subscript) -> None:
    """Assigns to an item of a NumPy array.

    A tracer cannot be written into it; a write under a trace to an array from outside happens only while tracing.
    """
    _check_slice_bounds(interp, index, node)
    for part in (value, *index_parts(index)):
        tracer = interp.traced(part)
        if tracer is not None:
            interp.emit(EventKind.HOST, node.span, "numpy.ndarray.__setitem__", value=part)
            return
    if isinstance(node.value, ir.Name):
        if is_outer(interp, node.value.name):
            interp.emit(EventKind.STATE_WRITE, node.span, "item", detail={"name": node.value.name})
        else:
            record_array_changed(interp, node.value.name, node.span)
    elif isinstance(node.value, ir.Attribute):
        record_array_attribute_changed(interp, node.value, node.span)


def _set_item_of_dict(interp: Interpreter, base: Dict, index: Value, value: Value, node: ir.Subscript) -> None:
    """Assigns to an item of a dict."""
    check_hash(interp, index, node.item, "dict")
    check_escape(interp, base, value, node.span, "item", _source_text(interp, node.value), write=True)
    mark_stored(interp, base, value)
    share_lifetime(base, value)
    key = constant_key(index)
    if key is not None:
        record_items_changed(interp, base, {key[0]: value}, node.span)
        interp.store.set(base, "entries", {**base.entries, key[0]: value})
    else:
        named = [known[0] for one in alternatives(index) if (known := constant_key(one)) and known[0] in base.entries]
        record_items_changed(interp, base, dict.fromkeys(named, value), node.span)
        interp.store.set(base, "rest", join(base.rest, value))
        interp.store.set(base, "keys", join(base.unknown_keys, index))
        if base.grows is None or base.grows not in interp.loops:
            base.grows = loop_that_adds(interp, base, index)


def _set_item_of_list(interp: Interpreter, base: List, index: Value, value: Value, node: ir.Subscript) -> None:
    """Assigns to an item of a list. A known position gets the value, any other joins it into all elements."""
    check_index(interp, index, node.item.span, "list")
    check_escape(interp, base, value, node.span, "item", _source_text(interp, node.value), write=True)
    record_list_change(interp, base, node.span)
    mark_stored(interp, base, value)
    content = base.content
    at = index.value if isinstance(index, Const) and isinstance(index.value, int) else None
    if isinstance(content, Tuple) and at is not None and -len(content.elements) <= at < len(content.elements):
        items = list(content.elements)
        items[at] = value
        interp.store.set(base, "content", Tuple(tuple(items)))
        return
    old = content.elements if isinstance(content, Tuple) else (content.element,)  # type: ignore[attr-defined]
    held = UNKNOWN if isinstance(index, Slice) else join_all([*old, value])
    interp.store.set(base, "content", Sequence("tuple", held))


def _assign_item(interp: Interpreter, target: ir.Subscript, value: Value, local: bool) -> None:
    """Assigns to an item, as ASSIGNERS wants it."""
    base = interp.evaluate(target.value)
    set_item(interp, base, interp.evaluate(target.item), value, target)


ASSIGNERS[ir.Subscript] = _assign_item
