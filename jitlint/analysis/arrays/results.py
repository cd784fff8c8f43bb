"""What an operation on arrays gives, from its operands: a tracer, a JAX array or a NumPy array."""

from __future__ import annotations

from jitlint.analysis.arrays.constants import check_constants
from jitlint.analysis.arrays.dtypes import rank_of
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    Array,
    Dict,
    ExternalInstance,
    HostArray,
    JaxArray,
    Lead,
    List,
    Rounds,
    Sequence,
    Traced,
    Tuple,
    Unknown,
    Value,
)
from jitlint.analysis.values.joins import alternatives
from jitlint.source.places import Span


def is_variable(interp: Interpreter, value: Value) -> bool:
    """Whether a value is a library object that stands for the array it holds, as `flax.nnx.Param` does."""
    return isinstance(value, ExternalInstance) and interp.models.has_role(value.of, "variable")


def array_result(
    interp: Interpreter,
    operands: list[Value],
    span: Span,
    dtype: str | None,
    rank: int | None = None,
    *,
    by: str = "",
    weak: bool = False,
    lead: Lead | None = None,
    least: int = 0,
) -> Value:
    """The array that an operation on `operands` gives here: traced, concrete, or on the host.

    Args:
        interp: where the operation runs; under a staging trace, JAX makes tracers even of constants.
        operands: the values that it computes with.
        span: where it is written.
        dtype: the dtype kind of the result, None if not known.
        rank: the rank of the result, None if not known.
        by: the name of the JAX function; without it, the operation is Python's own, so NumPy arrays give NumPy arrays.
        weak: whether the result has JAX's weak type.
        lead: the leading axis of the result.
        least: a number of elements that the result has at least.
    """
    tracers: list[Traced] = []
    depth = 0
    for value in operands:
        tracer = tracer_in(value)
        if tracer is not None:
            tracers.append(tracer)
            depth = max(depth, tracer.depth)
    if interp.staging and (tracers or by or any(isinstance(value, JaxArray) for value in operands)):
        depth = max(depth, interp.trace.recording if interp.trace is not None else 0)
    elif not tracers:
        if by or any(isinstance(value, JaxArray) for value in operands):
            return JaxArray(dtype, rank, weak, lead, least=least)
        return HostArray(dtype, rank, least=least)
    check_constants(interp, operands, span)
    interp.unit.recorded += interp.staging
    if not tracers:
        from_static = not any(isinstance(value, (Unknown, JaxArray)) for value in _leaves(operands))
        where = f"`{by}` under {interp.trace.transform}" if interp.trace and by else f"`{interp.module.snippet(span)}`"
        flow = interp.source(span, f"computed by {where}", f"computed by `{by or interp.module.snippet(span)}`")
        return Traced(flow, depth, dtype=dtype, rank=rank, from_shape=from_static, weak=weak, lead=lead)
    data = [t for t in tracers if not t.from_shape]
    source = _surest(data or tracers)
    concrete = all(t.concrete for t in tracers) and not interp.staging
    return Traced(
        source.flow,
        depth,
        dtype=dtype,
        rank=rank,
        concrete=concrete,
        from_shape=not data,
        weak=weak,
        lead=lead,
        outer=deepest([t.outer_tracer(depth) for t in tracers]),
    )


def _surest(tracers: list[Traced]) -> Traced:
    """The tracer whose flow the result continues: one without a guess if there is one, then of the innermost trace."""
    best = tracers[0]
    for tracer in tracers:
        if (not tracer.flow.is_suspected, tracer.depth) > (not best.flow.is_suspected, best.depth):
            best = tracer
    return best


def deepest(tracers: list[Traced | None]) -> Traced | None:
    """The first tracer of the innermost trace, made to depend on all others; None if there is no tracer."""
    best = None
    for tracer in tracers:
        if tracer is not None and (best is None or tracer.depth > best.depth):
            best = tracer
    if best is None or best.depth == 0:
        return best
    further = deepest([tracer.outer_tracer(best.depth) for tracer in tracers if tracer is not None])
    return best if further is best.outer else best.replace(outer=further)


def tracer_in(value: Value) -> Traced | None:
    """The first tracer that a value is or holds; of data if there is one, before those made of shapes alone."""
    if isinstance(value, Traced):
        return value
    tracers = [part for part in _leaves([value]) if isinstance(part, Traced)]
    return next((tracer for tracer in tracers if not tracer.from_shape), next(iter(tracers), None))


def _leaves(values: list[Value]) -> list[Value]:
    """The values, with what tuples, lists and dicts among them hold in place of these."""
    found: list[Value] = []
    for value in values:
        for part in alternatives(value):
            if isinstance(part, Tuple):
                found.extend(_leaves(list(part.elements)))
            elif isinstance(part, Sequence):
                found.extend(_leaves([part.element]))
            elif isinstance(part, List):
                found.extend(_leaves([part.content]))
            elif isinstance(part, Dict):
                found.extend(_leaves([*part.entries.values(), part.rest]))
            else:
                found.append(part)
    return found


def common_lead(operands: list[Value]) -> Lead | None:
    """The leading axis of an elementwise result: that of all operands but the scalars, if it is the same one.

    Next to an array whose length follows that of an argument, operands of unknown length do not matter: they are as
    long, or repeated. (One with more axes would decide; but then the result has more axes, too.)
    """
    leads = {v.lead if isinstance(v, Array) else None for v in operands if rank_of(v) != 0}
    if len(leads) == 2:
        leads.discard(None)
        return next((lead for lead in leads if len(leads) == 1 and _follows_argument(lead)), None)
    return leads.pop() if len(leads) == 1 else None


def _follows_argument(lead: Lead | None) -> bool:
    """Whether a leading axis is as long as that of an argument, or by some elements longer or shorter."""
    return lead is not None and lead[0] is not None and not isinstance(lead[0], Rounds)
