"""Assertions of libraries (`chex.assert_rank` …): what a passed one proves, and which ones need concrete values.

After `chex.assert_shape(x, (3, None))`, `x` has rank 2: the variable is narrowed, as by an `if`. An assertion about
values (`chex.assert_tree_all_finite`) fails for tracers, unless `chex.chexify` is around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from jitlint import ir
from jitlint.analysis.arrays.dtypes import exact_dtype, name_of_dtype, with_exact_dtype
from jitlint.analysis.arrays.rules import kind_of
from jitlint.analysis.language.narrowing import find_variable
from jitlint.analysis.language.signatures import signature_of
from jitlint.analysis.libraries.requirements import tracer_in
from jitlint.analysis.libraries.tables import HANDLERS
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import NONE, UNKNOWN, Array, Const, External, JaxArray, List, Traced, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


class _Facts(NamedTuple):
    """What an assertion proves about one array; None or "" where it proves nothing."""

    dtype: str | None = None
    """The kind of its dtype: "int", "float" …"""
    exact: str = ""
    """Its dtype itself: "float32"."""
    rank: int | None = None
    """How many axes it has."""
    length: int | None = None
    """How long its leading axis is."""


def learn_from_assertion(interp: Interpreter, what: str, node: ir.Call, args: Args) -> None:
    """Narrows the variables that a passed assertion mentions.

    Args:
        what: what the assertion proves: rank, shape or type (of one array, or of several in a list), same (equal
            shapes of several arrays) or axis (the length of one axis).
        node: the call of the assertion, for its variables.
        args: the arguments.
    """
    if not node.arguments or any(a.star or a.keyword for a in node.arguments[: 1 if what == "same" else 2]):
        return
    expected = args.positional[1] if len(args.positional) > 1 else UNKNOWN
    subject = node.arguments[0].value
    if not isinstance(subject, ir.Display):
        if what != "same":
            _note(interp, subject, _facts(what, _only(expected, what), args), is_array=what == "axis")
        return
    if what == "same":
        known = [array.rank for array in _arrays(args.positional[0]) if array.rank is not None]
        each = [_Facts(rank=known[0] if known else None)] * len(subject.elements)
    else:
        each = [_facts(what, part, args) for part in _for_each(expected, what, len(subject.elements))]
    for element, facts in zip(subject.elements, each, strict=True):
        _note(interp, element, facts, is_array=True)


def _arrays(value: Value) -> Iterator[Array]:
    """The arrays in a list or tuple."""
    content = content_of(value)
    if isinstance(content, Tuple):
        yield from (part for part in content.elements if isinstance(part, Array))


def _separate(expected: Value, what: str) -> tuple[Value, ...] | None:
    """The expectation for each of several arrays; None if one expectation holds for all."""
    content = expected.content if isinstance(expected, List) and expected.kind == "list" else expected
    if not isinstance(content, Tuple):
        return None
    parts = content.elements
    of_shapes = any(isinstance(part, (Tuple, List)) and getattr(part, "kind", "list") == "list" for part in parts)
    return parts if what != "shape" or of_shapes else None


def _only(expected: Value, what: str) -> Value:
    """The expectation for a single array."""
    parts = _separate(expected, what)
    return expected if parts is None else (parts[0] if len(parts) == 1 else UNKNOWN)


def _for_each(expected: Value, what: str, count: int) -> tuple[Value, ...]:
    """The expectation for each of `count` arrays."""
    parts = _separate(expected, what)
    if parts is None:
        return (expected,) * count
    return parts if len(parts) == count else (UNKNOWN,) * count


def _facts(what: str, expected: Value, args: Args) -> _Facts:
    """What an assertion of a kind proves about an array, given what it expects of it."""
    if what == "rank":
        return _Facts(rank=_integer(expected))
    if what == "type":
        named = isinstance(expected, (External, Const))
        return _Facts(kind_of(expected), exact_dtype(name_of_dtype(expected))) if named else _Facts()
    if what == "axis":
        length = args.positional[2] if len(args.positional) > 2 else UNKNOWN
        return _Facts(length=_integer(length) if _integer(expected) == 0 else None)
    content = content_of(expected)
    if not isinstance(content, Tuple):
        return _Facts()
    sizes = content.elements
    whole = not any(isinstance(size, Const) and size.value is ... for size in sizes)
    return _Facts(rank=len(sizes) if whole else None, length=_integer(sizes[0]) if sizes else None)


def _integer(value: Value) -> int | None:
    """A known integer; None if it is not known."""
    return value.value if isinstance(value, Const) and type(value.value) is int else None


def _note(interp: Interpreter, node: ir.Expr, facts: _Facts, *, is_array: bool) -> None:
    """Narrows one variable.

    Args:
        node: the variable or attribute, as the assertion names it.
        facts: what is proven about it.
        is_array: whether the assertion also proves that it is one array, not a tree of them.
    """
    found = find_variable(interp, node)
    if found is None:
        return
    target, key, value = found
    if not isinstance(value, (Traced, JaxArray)):
        return
    dtype = facts.dtype or value.dtype
    rank = value.rank if facts.rank is None else facts.rank
    lead = value.lead if facts.length is None or value.lead is not None else (None, facts.length)
    known: Value
    if isinstance(value, Traced):
        changes = {"dtype": dtype} if dtype != value.dtype else {}
        known = value.replace(rank=rank, lead=lead, tree=value.tree and not is_array, **changes)
    else:
        exact = value.exact if dtype == value.dtype else ""
        known = JaxArray(dtype, rank, value.weak, lead, exact, value.least)
    interp.store.narrow(target, key, with_exact_dtype(known, facts.exact))


# --- assertions about values ------------------------------------------------------------------------------------------


def _chexify(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`chex.chexify(function)`: returns the function; assertions about values may be made in it."""
    function = args.get(0, "fn")
    if function is None:
        return External(model.name)
    target = signature_of(interp, function)
    if target is not None:
        interp.unit.checkified.add(id(target.code))
    return function


def _value_assertion(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """An assertion about values: an event for a tracer among its arguments, except under `chexify`."""
    if any(id(frame.function) in interp.unit.checkified for frame in interp.path.frames):
        return NONE
    for value, place in args.placed():
        tracer = tracer_in(interp, [value], concrete=True)
        if tracer is not None:
            interp.emit(
                EventKind.HOST,
                span,
                model.name,
                value=tracer,
                subject=interp.module.snippet(place or span),
                assuming=Assumption(AssumptionKind.NO_CHEXIFY, "no `chexify` around it"),
            )
            break
    return NONE


HANDLERS.update({"chexify": _chexify, "value_assertion": _value_assertion})
