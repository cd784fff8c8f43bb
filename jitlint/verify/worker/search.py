"""Finding inputs: from a first guess uphill, by what each failed run says and by how much of the code it reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from . import specs, uses
from .targets import Inputs, Parameter, Target
from .values import Array, Fields, Omitted, Plain, Sequence, Spec, leaves, of_rank, replaced, scalar
from .watch import Run


@dataclass(frozen=True)
class Limits:
    """How long to search: tries, and tries in a row that gain nothing."""

    tries: int = 70
    stale: int = 45


def search(
    target: Target, attempt: Callable[[Inputs], Run], reached: Callable[[Run], int], done: Callable[[], bool],
    limits: Limits,
) -> Inputs | None:  # fmt: skip
    """Tries inputs until `done` says that enough was seen, a run is clean, or the limits are reached.

    Args:
        target: what is called.
        attempt: runs the target once.
        reached: how many of the wanted places a run executed.
        done: whether to stop.
        limits: how many tries.

    Returns:
        The best inputs: those of a clean run, else of the run that went furthest; None if nothing was tried.
    """
    best, tried, stale = target.first_inputs(), {target.first_inputs()}, 0
    run = attempt(best)
    best_score, best_run = _score(run, reached), run
    neighbours = _neighbours(target, best, run)
    for _ in range(limits.tries):
        if done() or (best_run.clean and reached(best_run)) or stale > limits.stale:
            break
        candidate = next((inputs for inputs in neighbours if inputs not in tried), None)
        if candidate is None:
            break
        tried.add(candidate)
        run = attempt(candidate)
        score = _score(run, reached)
        stale += 1
        if score > best_score:
            best, best_score, best_run, stale = candidate, score, run, 0
            neighbours = _neighbours(target, best, run)
    return best


def optional_variants(target: Target, inputs: Inputs) -> Iterator[Inputs]:
    """The inputs with each parameter that was left to its default given as an array instead."""
    for parameter in target.parameters:
        if parameter.optional and isinstance(dict(inputs).get(parameter.name), Omitted):
            yield _with(inputs, parameter.name, scalar())


def _score(run: Run, reached: Callable[[Run], int]) -> int:
    if run.interrupted:
        return 0
    return len(run.lines) + 50 * reached(run) + (1000 if run.clean else 0)


def _neighbours(target: Target, inputs: Inputs, run: Run) -> Iterator[Inputs]:
    """Inputs that differ in what the failure points at, likeliest first; then in anything."""
    if run.failure is not None and "KeyError" in run.failure.bases:
        yield from _with_key(target, inputs, run.failure.message.strip("'\""))
    involved = _involved(target, run)
    rest = [parameter for parameter in target.parameters if parameter not in involved]
    yield from _uniform(inputs, involved)
    yield from _single(inputs, involved)
    yield from _uniform(inputs, list(target.parameters))
    yield from _single(inputs, rest)
    yield from _pairs(inputs, [*involved, *rest][:4])


def _involved(target: Target, run: Run) -> list[Parameter]:
    names: list[str] = []
    if target.node is not None:
        name = getattr(target.node, "name", "<lambda>")
        line = run.blame.get(name)
        names = list(uses.names_involved(target.node, line)) if line else []
    by_name = {parameter.name: parameter for parameter in target.parameters}
    found = [by_name[name] for name in names if name in by_name]
    return found or list(target.parameters)


def _uniform(inputs: Inputs, parameters: list[Parameter]) -> Iterator[Inputs]:
    """All numbers and arrays of the parameters with the same shape: what most operations want."""
    names = {parameter.name for parameter in parameters}
    for spec in (of_rank(1), of_rank(2), scalar(), of_rank(3)):
        changed = inputs
        for name, value in inputs:
            if name in names:
                for path, leaf in list(leaves(value)):
                    if isinstance(leaf, Array) or (isinstance(leaf, Plain) and isinstance(leaf.value, float)):
                        value = replaced(value, path, spec)
                changed = _with(changed, name, value)
        yield changed


def _single(inputs: Inputs, parameters: list[Parameter]) -> Iterator[Inputs]:
    columns = [list(_changes(inputs, parameter)) for parameter in parameters]
    for rank in range(max((len(column) for column in columns), default=0)):
        for column in columns:
            if rank < len(column):
                yield column[rank]


def _changes(inputs: Inputs, parameter: Parameter) -> Iterator[Inputs]:
    spec = dict(inputs)[parameter.name]
    paths = [path for path, leaf in leaves(spec) if not isinstance(leaf, (Sequence, Fields)) or not path][:8]
    options = specs.alternatives(parameter.name, parameter.use, host=parameter.host, optional=parameter.optional)
    for option in options:
        for path in paths:
            if path or not (parameter.name == "self" and isinstance(spec, Fields)):
                yield _with(inputs, parameter.name, replaced(spec, path, option))


def _pairs(inputs: Inputs, parameters: list[Parameter]) -> Iterator[Inputs]:
    for at, one in enumerate(parameters):
        for other in parameters[at + 1 :]:
            for first in (of_rank(1), of_rank(2), scalar()):
                for second in (of_rank(2), of_rank(1), scalar()):
                    if first != second:
                        yield _with(_with(inputs, one.name, first), other.name, second)


def _with_key(target: Target, inputs: Inputs, key: str) -> Iterator[Inputs]:
    for name, value in inputs:
        for path, leaf in leaves(value):
            if isinstance(leaf, Fields) and leaf.maker is dict and key not in dict(leaf.items):
                yield _with(inputs, name, replaced(value, path, Fields(dict, (*leaf.items, (key, scalar())))))


def _with(inputs: Inputs, name: str, spec: Spec) -> Inputs:
    return tuple((other, spec if other == name else value) for other, value in inputs)
