"""Assertions of libraries: what they say of arrays holds afterwards, and those about values need values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from jitlint import ir
from jitlint.analysis.arrays.dtypes import name_of_dtype, with_exact_dtype
from jitlint.analysis.arrays.rules import kind_of
from jitlint.analysis.language.narrowing import find_variable
from jitlint.analysis.language.signatures import signature_of
from jitlint.analysis.libraries.requirements import tracer_in
from jitlint.analysis.libraries.tables import HANDLERS
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import NONE, UNKNOWN, Array, Const, External, JaxArray, List, Traced, Tuple, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.events.event import Confidence, EventKind
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


class _Facts(NamedTuple):
    """What an assertion says of one array; None where it says nothing."""

    dtype: str | None = None
    exact: str = ""
    rank: int | None = None
    length: int | None = None


def learn(interp: Interpreter, what: str, node: ir.Call, args: Args) -> None:
    """Uses what a passed assertion says of the variables in it.

    `what`: rank, shape, type (of one array or of several in a list), same (shapes, of several) or axis.
    """
    if not node.arguments or any(a.star or a.keyword for a in node.arguments[: 1 if what == "same" else 2]):
        return
    said = args.positional[1] if len(args.positional) > 1 else UNKNOWN
    subject = node.arguments[0].value
    if not isinstance(subject, ir.Display):
        if what != "same":
            _note(interp, subject, _facts(what, _only(said, what), args), is_array=what == "axis")
        return
    if what == "same":
        known = [array.rank for array in _arrays(args.positional[0]) if array.rank is not None]
        each = [_Facts(rank=known[0] if known else None)] * len(subject.elements)
    else:
        each = [_facts(what, part, args) for part in _for_each(said, what, len(subject.elements))]
    for element, facts in zip(subject.elements, each, strict=True):
        _note(interp, element, facts, is_array=True)


def _arrays(value: Value) -> Iterator[Array]:
    content = content_of(value)
    if isinstance(content, Tuple):
        yield from (part for part in content.elements if isinstance(part, Array))


def _listed(said: Value, what: str) -> tuple[Value, ...] | None:
    """What is said of each of several arrays; None if the same is said of all."""
    content = said.content if isinstance(said, List) and said.kind == "list" else said
    if not isinstance(content, Tuple):
        return None
    parts = content.elements
    of_shapes = any(isinstance(part, (Tuple, List)) and getattr(part, "kind", "list") == "list" for part in parts)
    return parts if what != "shape" or of_shapes else None


def _only(said: Value, what: str) -> Value:
    parts = _listed(said, what)
    return said if parts is None else (parts[0] if len(parts) == 1 else UNKNOWN)


def _for_each(said: Value, what: str, count: int) -> tuple[Value, ...]:
    parts = _listed(said, what)
    if parts is None:
        return (said,) * count
    return parts if len(parts) == count else (UNKNOWN,) * count


def _facts(what: str, said: Value, args: Args) -> _Facts:
    if what == "rank":
        return _Facts(rank=_integer(said))
    if what == "type":
        return _Facts(kind_of(said), name_of_dtype(said)) if isinstance(said, (External, Const)) else _Facts()
    if what == "axis":
        length = args.positional[2] if len(args.positional) > 2 else UNKNOWN
        return _Facts(length=_integer(length) if _integer(said) == 0 else None)
    content = content_of(said)
    if not isinstance(content, Tuple):
        return _Facts()
    sizes = content.elements
    whole = not any(isinstance(size, Const) and size.value is ... for size in sizes)
    return _Facts(rank=len(sizes) if whole else None, length=_integer(sizes[0]) if sizes else None)


def _integer(value: Value) -> int | None:
    return value.value if isinstance(value, Const) and type(value.value) is int else None


def _note(interp: Interpreter, node: ir.Expr, facts: _Facts, *, is_array: bool) -> None:
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
    """The function again: assertions about values may be made in it."""
    function = args.get(0, "fn")
    if function is None:
        return External(model.name)
    target = signature_of(interp, function)
    if target is not None:
        interp.unit.checkified.add(id(target.code))
    return function


def _value_assertion(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """An assertion that tracers may be given under `chexify` only."""
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
                confidence=Confidence.LIKELY,
                guess="no `chexify` around it",
            )
            break
    return NONE


HANDLERS.update({"chexify": _chexify, "value_assertion": _value_assertion})
