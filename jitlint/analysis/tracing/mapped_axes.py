"""The axes that `jax.vmap` maps over: each mapped argument must have its axis, and all have one length."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from jitlint.analysis.arrays.dtypes import rank_of
from jitlint.analysis.language.classes import lineage
from jitlint.analysis.language.instances import leaf_fields
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.walks import inside
from jitlint.analysis.tracing.refusals import leaves
from jitlint.analysis.tracing.structures import check_lengths
from jitlint.analysis.values import NONE, Const, Instance, JaxArray, Traced, Transformed, Tuple, Value, is_none
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span


def check_mapped(interp: Interpreter, transformed: Transformed, args: Args, span: Span) -> bool:
    """Emits an event where arguments cannot be mapped over together: one lacks the axis, or lengths differ.

    The rank of a tracer may be that of an annotation, such as `done: bool`, which programs give to arrays as well: only
    what is a number or an array of known rank for sure is said to lack an axis.

    Args:
        transformed: the function under a transform.
        args: what it is called with.
        span: where the call is written.

    Returns:
        whether JAX goes on: it refuses what lacks an axis before it runs the function.
    """
    transform = transformed.transform
    if transform.traces != "in_axes" or not transform.checks_arguments:
        return True
    if _entries_are_missing(interp, transformed, args, span):
        return False
    along_first = []
    for value, axis, place, assuming in _mapped(transformed, args, span):
        for name, leaf in _leaves_by_name(interp, value, ""):
            rank = rank_of(leaf) if isinstance(leaf, (Const, JaxArray)) or _is_one_key(leaf) else None
            if rank is not None and rank <= axis:
                detail = {"rank": str(rank), "axis": str(axis)}
                subject = f"{interp.module.snippet(place)}{name}"
                interp.emit(EventKind.LENGTHS, span, transform.name, subject=subject, detail=detail, assuming=assuming)
                return False
        if axis == 0 and assuming is None:
            along_first.append(value)
    check_lengths(interp, transform.name, Tuple(tuple(along_first)), transformed.options.get("axis_size"), span)
    return True


def _leaves_by_name(interp: Interpreter, value: Value, name: str) -> Iterator[tuple[str, Value]]:
    """The leaves of an argument, those in objects of pytree classes with the attributes that lead to them: ".scale"."""
    for leaf in leaves(value):
        declared = isinstance(leaf, Instance) and not any(owner.by_functions for owner in lineage(leaf.cls))
        fields = leaf_fields(interp, leaf.cls) if isinstance(leaf, Instance) and declared else None
        if not isinstance(leaf, Instance) or fields is None or leaf.several:
            yield name, leaf
            continue
        held = [(each, part) for each, part in leaf.fields.items() if not fields or each in fields]
        for each, part in held:
            if isinstance(part, Value) and not is_none(part):
                yield from inside(
                    interp, leaf, partial(_listed, interp, part, f"{name}.{each}"), list[tuple[str, Value]]()
                )


def _listed(interp: Interpreter, value: Value, name: str) -> list[tuple[str, Value]]:
    return list(_leaves_by_name(interp, value, name))


def _is_one_key(value: Value) -> bool:
    """Whether a tracer is one typed key of random numbers: no annotation says so of arrays of keys."""
    return isinstance(value, Traced) and value.dtype == "key" and value.rank == 0


def _entries_are_missing(interp: Interpreter, transformed: Transformed, args: Args, span: Span) -> bool:
    """Whether a tuple given as `in_axes` has not one entry for each positional argument, which is an event."""
    content = content_of(transformed.options.get("in_axes", Const(0)))
    given = len(args.positional)
    inside = [place for place in args.spans if span.start <= place.start and place.end <= span.end]
    written = len(inside) == given  # else no call is in view, and callers may give more
    if not isinstance(content, Tuple) or args.rest is not None or len(content.elements) == given or not written:
        return False
    if not transformed.transform.name.startswith("jax."):
        return False
    detail = {"entries": str(len(content.elements)), "arguments": str(given)}
    interp.emit(EventKind.LENGTHS, span, transformed.transform.name, detail=detail)
    return True


def _mapped(transformed: Transformed, args: Args, span: Span) -> Iterator[tuple[Value, int, Span, Assumption | None]]:
    """The arguments that are mapped over one axis each, with that axis and their places, as far as the option tells.

    Where code chooses between several axes (`0 if shared else None`), each comes with the assumption that it is chosen.
    """
    option = transformed.options.get("in_axes", Const(0))
    content = content_of(option)
    for i, value in enumerate(args.positional):
        entry = option
        if isinstance(content, Tuple):
            entry = content.elements[i] if i < len(content.elements) else NONE
        chosen = alternatives(entry)
        for part in chosen:
            if isinstance(part, Const) and type(part.value) is int and part.value >= 0:
                axis: int = part.value
                text = f"axis {axis} is chosen"
                assuming = Assumption(AssumptionKind.OTHER_OPTION, text) if len(chosen) > 1 else None
                yield value, axis, args.span(i, "", span), assuming
    for name, value in args.keywords.items():
        yield value, 0, args.keyword_spans.get(name, span), None
