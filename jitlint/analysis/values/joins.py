"""Joining and widening values.

The join of two values stands for both: what a variable may be after an `if` is the join of what both branches leave.
Widening forgets what changes from round to round, so that loops come to an end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from jitlint.analysis.values.arrays import Array, Dtype, HostArray, JaxArray, Lead, LoopCounter, Traced
from jitlint.analysis.values.base import (
    MAX_SIZE,
    NEVER,
    PARSED,
    UNKNOWN,
    Const,
    OneOfArguments,
    Parsed,
    Present,
    Static,
    Union,
    Unknown,
    UnknownArgument,
    Value,
    is_none,
    may_be_none,
    size_of,
)
from jitlint.analysis.values.callables import Function, ProjectCallable
from jitlint.analysis.values.containers import Dict, DictView, GrowingSequence, Iterator, List, Sequence, Tuple
from jitlint.analysis.values.objects import Class, HeapObject, Instance
from jitlint.analysis.values.outside import (
    External,
    ExternalInstance,
    Member,
)

MAX_ALTERNATIVES: Final = 6
"""A Union that would have more becomes a tracer, if one is among them, else Unknown."""

MAX_CHOICES: Final = 10
"""The same, where all are functions, classes or objects: the entries of a table, the layers of a network."""

_CHOSEN: Final = (Class, External, ProjectCallable, Instance)
"""What a table offers to be called."""

_OFFERED: Final = (*_CHOSEN, ExternalInstance)
"""The same, with objects of libraries: `{"adam": optax.adam(1e-3), "own": Own()}`."""


def join(a: Value, b: Value) -> Value:
    """A value that stands for both: Const(1) and Const(2) give Static("int"), Const(1) and Const("a") a Union."""
    if a is b or b is NEVER:
        return a
    if a is NEVER:
        return b
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return _join_unknown(a, b)
    if isinstance(a, Union) or isinstance(b, Union):
        both = _unite([*alternatives(a), *alternatives(b)])
        return offered(both) if _is_offered(a) and _is_offered(b) else both
    return _join_plain(a, b) or _union((a, b))


def _join_unknown(a: Value, b: Value) -> Value:
    """The join of two values of which at least one is unknown: the arguments that it may be are remembered."""
    if isinstance(a, Present) and isinstance(b, Present):
        return a
    if isinstance(a, Parsed) or isinstance(b, Parsed):
        both = [part for value in (a, b) for part in (value.sections if isinstance(value, Parsed) else (value,))]
        sections = [part for value in both for part in alternatives(value) if not _is_host_data(part)]
        if all(isinstance(part, Instance) and _is_frozen(part.cls) for part in sections):
            return Parsed(alternatives(_unite(sections))) if sections else PARSED
    parts = dict.fromkeys((*_arguments(a), *_arguments(b)))
    present = not any(is_none(value) or may_be_none(value) for value in (*alternatives(a), *alternatives(b)))
    return OneOfArguments(tuple(parts), present) if 0 < len(parts) <= MAX_ALTERNATIVES else UNKNOWN


def _is_host_data(value: Value) -> bool:
    """Whether a value may take the place of parsed data: a default, `{}` too, or the text, as where it is no JSON."""
    empty = isinstance(value, Dict) and not value.entries and value.rest is NEVER
    return empty or type(value) is Unknown or isinstance(value, (Const, Parsed, Static))


def _arguments(value: Value) -> tuple[Value, ...]:
    """The UnknownArguments that a value may be."""
    if isinstance(value, OneOfArguments):
        return value.parts
    return (value,) if isinstance(value, UnknownArgument) else ()


def join_all(values: Iterable[Value]) -> Value:
    """The join of any number of values; Never if there are none."""
    result: Value = NEVER
    for value in values:
        result = join(result, value)
    return result


def _is_offered(value: Value) -> bool:
    """Whether a value is one thing, or one of several that the code offers in one place."""
    return value.offered if isinstance(value, Union) else True


def offered(value: Value) -> Value:
    """The same value; if it is one of several callables, one that the code offers in one place (`Union.offered`)."""
    if isinstance(value, Tuple) and any(isinstance(part, Union) for part in value.elements):
        return Tuple(tuple(map(offered, value.elements)), value.cls)
    if not isinstance(value, Union) or value.offered:
        return value
    callables = all(isinstance(part, _OFFERED) or is_none(part) for part in value.alternatives)
    return Union(value.alternatives, True) if callables else value


def offered_like(union: Union, results: Iterable[Value]) -> Value:
    """The join of what came of each alternative; offered in one place, too, if they are."""
    joined = join_all(results)
    return offered(joined) if union.offered else joined


def join_offered(a: Value, b: Value) -> Value:
    """The join of what two branches give between which an option chooses."""
    return offered(join(a, b))


def join_if_told_apart(a: Value, b: Value) -> Value:
    """The join of what two branches give that tell types apart: Unknown if it may be a number or an array of JAX.

    Which of the two it is, the test knows and the analysis does not.
    """
    return without_doubtful_arrays(join(a, b))


def without_doubtful_arrays(value: Value) -> Value:
    """The value, Unknown in place of each part that may be a number or an array of JAX."""
    if isinstance(value, Tuple):
        return Tuple(tuple(map(without_doubtful_arrays, value.elements)), value.cls)
    if not isinstance(value, Union):
        return value
    arrays = any(isinstance(part, (Traced, JaxArray)) for part in value.alternatives)
    return UNKNOWN if arrays and any(map(_is_number, value.alternatives)) else value


def _is_number(value: Value) -> bool:
    """Whether a value is a number of the host, which can be used as an array can."""
    if isinstance(value, Const):
        return isinstance(value.value, (int, float))
    return isinstance(value, Static) and value.kind in ("int", "float", "bool", "number")


def tuple_of(elements: list[Value]) -> Tuple | Sequence:
    """A tuple of these elements; if they are too many, one of unknown length that holds their join."""
    return Tuple(tuple(elements)) if len(elements) < MAX_SIZE else Sequence("tuple", join_all(elements))


def alternatives(value: Value) -> tuple[Value, ...]:
    """What a value may be, one by one: the alternatives of a Union, or the value itself."""
    return value.alternatives if isinstance(value, Union) else (value,)


def _unite(values: list[Value]) -> Value:
    """The join of values that are neither Unknown nor a Union: as few alternatives as possible."""
    merged: list[Value] = []
    for value in values:
        for i, earlier in enumerate(merged):
            both = earlier if earlier is value else _join_plain(earlier, value)
            if both is not None:
                merged[i] = both
                break
        else:
            merged.append(value)
    callables = all(isinstance(value, _CHOSEN) for value in merged)
    if len(merged) > (MAX_CHOICES if callables else MAX_ALTERNATIVES):
        return next((value for value in merged if isinstance(value, Traced)), UNKNOWN)
    return merged[0] if len(merged) == 1 else _union(tuple(merged))


def _union(parts: tuple[Value, ...]) -> Value:
    """One of several values; Unknown if they are too large together."""
    return Union(parts) if size_of(parts) < MAX_SIZE else UNKNOWN


def _join_growing(a: GrowingSequence, b: GrowingSequence) -> Value:
    element = join(a.element, b.element)
    return GrowingSequence(element, a.loop) if a.loop == b.loop else Sequence("tuple", element)


def _join_plain(a: Value, b: Value) -> Value | None:
    """The join of two values as one value that is no Union; None if no single value stands for both."""
    join_same_type = JOINERS.get(type(a)) if type(a) is type(b) else None
    if join_same_type is not None:
        return join_same_type(a, b)
    if isinstance(a, Static) and isinstance(b, (Static, Const)):
        return _join_static(a, b)
    if isinstance(b, Static) and isinstance(a, Const):
        return _join_static(b, a)
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        return _join_tuples(a, b)
    if isinstance(a, Sequence) and isinstance(b, Sequence):
        return _join_sequences(a, b)
    if isinstance(a, Sequence) and isinstance(b, Tuple) and a.kind == "tuple":
        return Sequence(a.kind, join_all([a.element, *b.elements]), min(a.least, len(b.elements)))
    if isinstance(b, Sequence) and isinstance(a, Tuple) and b.kind == "tuple":
        return Sequence(b.kind, join_all([b.element, *a.elements]), min(b.least, len(a.elements)))
    if isinstance(a, External) and isinstance(b, External):
        return _join_externals(a, b)
    if isinstance(a, ExternalInstance) and isinstance(b, ExternalInstance):
        return _join_objects(a, b)
    return None


def _join_constants(a: Const, b: Const) -> Value | None:
    if type(a.value) is not type(b.value):
        return None
    if a.value == b.value:
        return a
    return None if isinstance(a.value, (str, bool)) else Static(type(a.value).__name__)


def _join_arrays(a: Array, b: Array) -> Value:
    joined = type(a)(*_common_facts(a, b))
    joined.mixed = _mixed(a, b)
    return joined


def _mixed(a: Array, b: Array) -> tuple[tuple[str, bool], ...]:
    """The kinds of the dtypes of two arrays, if they differ, each with whether it is weak."""
    if a.dtype is not None and b.dtype is not None and a.dtype != b.dtype:
        return (a.dtype, a.weak), (b.dtype, b.weak)
    return a.mixed or b.mixed


def _join_dtypes(a: Dtype, b: Dtype) -> Value:
    same = a if a.exact == b.exact else Dtype(a.dtype, "")
    return same if a.dtype == b.dtype else Static("dtype")


def _join_tuples(a: Tuple, b: Tuple) -> Value | None:
    """The join of two tuples; None for those of different classes, of which JAX makes different structures."""
    if a.cls is not b.cls:
        return None
    if len(a.elements) == len(b.elements):
        return Tuple(tuple(map(join, a.elements, b.elements)), a.cls)
    return Sequence("tuple", join_all([*a.elements, *b.elements]), min(len(a.elements), len(b.elements)))


def _join_sequences(a: Sequence, b: Sequence) -> Value | None:
    return Sequence(a.kind, join(a.element, b.element), min(a.least, b.least)) if a.kind == b.kind else None


def _join_externals(a: External, b: External) -> Value | None:
    return a if a.name == b.name else None


def _join_objects(a: ExternalInstance, b: ExternalInstance) -> Value | None:
    if a.of != b.of or a.attributes is not b.attributes:
        return None
    if a is b or not _holds_function(b):
        return a
    return None if _holds_function(a) else b


def _holds_function(value: Value, nesting: int = 3) -> bool:
    """Whether a library object was made with a function of the project, or an object that can be called like one: what
    it calls tells it from others.
    """
    if isinstance(value, ExternalInstance) and nesting:
        return any(_holds_function(part, nesting - 1) for part in (*value.arguments, *value.keywords.values()))
    return any(isinstance(part, ProjectCallable) or _can_be_called(part) for part in alternatives(value))


def _can_be_called(value: Value) -> bool:
    """Whether a value is an object whose class, or a base of it, defines `__call__`."""
    return isinstance(value, Instance) and any("__call__" in cls.fields for cls in value.cls.lineage or (value.cls,))


def _join_functions(a: Function, b: Function) -> Value | None:
    return a if a.code is b.code and a.closure is b.closure else None


def _join_same_site(a: HeapObject, b: HeapObject) -> Value | None:
    """The first of two containers or iterators that one expression made, on two paths; None if two expressions did."""
    if a.site is None or a.site != b.site:
        return None
    a.several = True
    return a


def _join_instances(a: Instance, b: Instance) -> Value | None:
    """The older of two instances of a class. Fields that differ from round to round in the newer one are kept.

    Of a frozen dataclass, whose objects nobody changes, all fields are joined: presets, or settings from a file.
    """
    if a.cls is not b.cls:
        return None
    a.several = b.several = True
    older, newer = (a, b) if a.serial < b.serial else (b, a)
    before, settings = older.fields, _is_frozen(a.cls)
    fields = {name: value for name, value in newer.fields.items() if isinstance(before.get(name), Value)}
    differing = {name: value for name, value in fields.items() if settings or follows_a_loop(value)}
    both = {name: join(before[name], value) for name, value in differing.items()}
    changed = {
        name: value
        for name, value in both.items()
        if (settings or follows_a_loop(value)) and not _is_same(value, before[name])
    }
    for name, value in fields.items():
        if (later := _made_later(before[name], value)) is not None:
            changed[name] = later
    if not changed or older.traced is not None:
        return older
    joined = older.with_fields(changed)
    joined.several = True
    return joined


def _made_later(before: Value, value: Value, nesting: int = 2) -> Value | None:
    """What a field holds if the newer object has what a loop has made since: `state.replace(tx=optax.adam(lr))`.

    None if it has not. So the next round sees that a static field holds another function.
    """
    if isinstance(before, ExternalInstance) and isinstance(value, ExternalInstance):
        return value if before.of == value.of and len(value.loops) > len(before.loops) else None
    if not nesting or not isinstance(before, Instance) or not isinstance(value, Instance) or before is value:
        return None
    if before.cls is not value.cls or before.traced is not None:
        return None
    changed: dict[str, Value] = {}
    for name, part in value.fields.items():
        old = before.fields.get(name)
        if isinstance(part, Value) and isinstance(old, Value):
            later = _made_later(old, part, nesting - 1)
            if later is not None:
                changed[name] = later
    return before.with_fields(changed) if changed else None


def _is_frozen(cls: Class) -> bool:
    """Whether a class is decorated with `@dataclass(frozen=True)`."""
    options = cls.decorations.get("dataclasses.dataclass")
    frozen = options.get("frozen") if options is not None else None
    return isinstance(frozen, Const) and frozen.value is True


def _is_same(a: Value, b: Value) -> bool:
    """Whether two values say the same of what they stand for."""
    if isinstance(a, Static) and isinstance(b, Static):
        return type(a) is type(b) and a.kind == b.kind
    return a is b or (isinstance(a, Const) and isinstance(b, Const) and a.value is b.value)


def follows_a_loop(value: object) -> bool:
    """Whether a value is a number that differs from round to round of a loop."""
    return isinstance(value, LoopCounter) and value.has_many_values


def _common_facts(a: Array, b: Array) -> tuple[str | None, int | None, bool, Lead | None, str]:
    """The dtype, rank, weak type, leading axis and exact dtype that hold for both of two arrays."""
    return (
        a.dtype if a.dtype == b.dtype else None,
        a.rank if a.rank == b.rank else None,
        a.weak and b.weak,
        a.lead if a.lead == b.lead else None,
        a.exact if a.exact == b.exact else "",
    )


def _join_traced(a: Traced, b: Traced) -> Traced:
    """A tracer of the deeper trace, with the flow of the one that rests on no guess, if there is one."""
    dtype, rank, weak, lead, exact = _common_facts(a, b)
    deeper, other = (a, b) if a.depth >= b.depth else (b, a)
    joined = Traced(
        other.flow if deeper.flow.is_suspected else deeper.flow,
        deeper.depth,
        dtype=dtype,
        rank=rank,
        weak=weak,
        lead=lead,
        exact=exact,
        concrete=a.concrete and b.concrete,
        tree=a.tree or b.tree,
        container=a.container and b.container,
        from_shape=a.from_shape and b.from_shape,
        param=a.param if a.param == b.param else "",
        outer=deeper.outer or a.outer_tracer(deeper.depth) or b.outer_tracer(deeper.depth),
        axes=min(a.axes if a.rank is None else a.rank, b.axes if b.rank is None else b.rank),
        whole=a.whole if a.whole == b.whole else None,
    )
    joined.least = deeper.least
    joined.mixed = _mixed(a, b)
    return joined


def _join_static(a: Static, b: Static | Const) -> Value | None:
    kinds = {a.kind, b.kind if isinstance(b, Static) else type(b.value).__name__}
    numbers = kinds <= {"int", "float", "bool", "number"}
    if len(kinds) > 1 and not numbers:
        return None
    kind = a.kind if len(kinds) == 1 else "number"
    counters = [part for part in (a, b) if isinstance(part, LoopCounter)]
    loops = {counter.rounds.loop for counter in counters}
    if len(counters) == 2 and len(kinds) == 1 and counters[0].rounds == counters[1].rounds:
        return a
    if len(counters) == 1 and numbers and not counters[0].has_many_values:
        return LoopCounter(counters[0].rounds, kind, each=False)
    if len(loops) == 1 and numbers and all(counter.has_many_values for counter in counters):
        return LoopCounter.in_many_rounds(loops.pop(), kind)
    return Static(kind) if len(kinds) > 1 or counters or isinstance(a, Dtype) or isinstance(b, Dtype) else a


JOINERS: Final[dict[type, Callable[[Any, Any], Value | None]]] = {
    Const: _join_constants,
    Traced: _join_traced,
    JaxArray: _join_arrays,
    HostArray: _join_arrays,
    Static: _join_static,
    LoopCounter: _join_static,
    Dtype: _join_dtypes,
    Tuple: _join_tuples,
    DictView: _join_tuples,
    Sequence: _join_sequences,
    GrowingSequence: _join_growing,
    External: _join_externals,
    ExternalInstance: _join_objects,
    Member: _join_objects,
    Function: _join_functions,
    List: _join_same_site,
    Dict: _join_same_site,
    Iterator: _join_same_site,
    Instance: _join_instances,
}
"""How two values of exactly this type are joined into one; None if that takes a Union.

Beside the table, `_join_plain` has rules for pairs of different types (Const and Static, Sequence and Tuple). What none
of them joins becomes a Union.
"""


def widen(value: Value) -> Value:
    """The value without its content where that may change in every round or call: Const(3) becomes Static("int").

    The state of a loop, or the arguments of a function that is called with ever new numbers, then come to a fixpoint.
    """
    if isinstance(value, Const):
        kind = type(value.value).__name__
        return Static(kind) if kind in ("int", "float", "complex", "str", "bytes") else value
    if isinstance(value, Union):
        return join_all(map(widen, value.alternatives))
    if isinstance(value, Tuple):
        return Tuple(tuple(map(widen, value.elements)), value.cls)
    return value
