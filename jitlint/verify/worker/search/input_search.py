"""Searches inputs from a first guess on: each failed run suggests changes, and its reach says if they helped."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..inputs import proposals
from ..inputs.specs import Array, Fields, Omitted, Plain, Sequence, Spec, leaves, of_rank, replaced, scalar
from ..inputs.targets import Inputs, Parameter, Target
from ..inside_jax.failures import is_concretization
from ..user_code import texts
from ..user_code.uses import Use
from ..watching.watch import Run
from .guidance import has_placeholder, suggestions, supplied

_OWN = 3
"""How many values of the user's own classes and functions are tried first."""


@dataclass(frozen=True)
class Limits:
    """How long to search: tries in all, tries in a row without progress, and fewer where inputs matter little."""

    tries: int = 90
    stale: int = 45
    stale_at_end: int = 15
    stale_at_place: int = 3


def search(
    target: Target,
    attempt: Callable[[Inputs], Run],
    reached: Callable[[Run], int],
    done: Callable[[], bool],
    limits: Limits,
) -> Inputs | None:
    """Tries inputs until `done` says so, a run is clean, or the limits are reached.

    Args:
        target: what is called.
        attempt: runs the target once.
        reached: how many of the wanted places a run executed.
        done: whether to stop.
        limits: how many tries.

    Returns:
        The best inputs: those of a clean run that traced the place, else of a run that traced it, a clean one, or the
        one that went furthest; None if nothing was tried.
    """
    best, tried, stale = target.first_inputs(), {target.first_inputs()}, 0
    run = attempt(best)
    best_score, best_run, messages = _score(run, reached), run, {_message(run)}
    neighbours = _neighbours(target, best, run)
    ahead: list[tuple[Inputs, bool]] = []
    for _ in range(limits.tries):
        if done() or (best_run.clean and reached(best_run) > 1):
            break
        if stale > (limits.stale_at_end if _is_end(best_run) else limits.stale):
            break
        if stale > limits.stale_at_place and best_run.clean and reached(best_run):
            break
        untried = (one for one in itertools.chain(ahead, neighbours) if one[0] not in tried)
        candidate, directed = next(untried, (None, False))
        if candidate is None:
            break
        tried.add(candidate)
        run = attempt(candidate)
        ahead = [(inputs, True) for inputs in supplied(candidate, run)]
        score = _score(run, reached) if run.stuck.asked or not has_placeholder(candidate) else 0
        stale += 1
        news = score == best_score and directed and _message(run) not in messages
        messages.add(_message(run))
        if score > best_score or news:
            best, best_score, best_run, stale = candidate, score, run, 0
            neighbours = _neighbours(target, best, run)
    return target.first_inputs() if has_placeholder(best) else best


def variants(target: Target, inputs: Inputs) -> Iterator[Inputs]:
    """Variants of inputs, to be harmless like the given ones before a suspicion is refuted.

    Each parameter that kept its default becomes an array; then all arrays get the same shape.
    """
    for parameter in target.parameters:
        if parameter.optional and isinstance(dict(inputs).get(parameter.name), Omitted):
            yield _with(inputs, parameter.name, scalar())
    yield from _uniform(inputs, list(target.parameters))


def with_numbers(target: Target, inputs: Inputs) -> Inputs:
    """The inputs with Python numbers for made-up scalar arrays that no transform traces.

    Code under a transform would trace operations on such an array, but not on the user's number.
    """
    changed = inputs
    given = dict(inputs)
    for parameter in target.parameters:
        value = given.get(parameter.name)
        if not parameter.host or value is None:
            continue
        for path, leaf in list(leaves(value)):
            if isinstance(leaf, Array) and not leaf.shape:
                value = replaced(value, path, Plain(2))
        changed = _with(changed, parameter.name, value)
    return changed


def leading(target: Target) -> list[Inputs]:
    """The first inputs with one parameter at a time changed to a value that may lead to the place."""
    first = target.first_inputs()
    return [_with(first, parameter.name, other) for parameter in target.parameters for other in parameter.others]


def _message(run: Run) -> str:
    return run.failure.message if run.failure is not None else ""


def _is_end(run: Run) -> bool:
    """Whether a run got as far as inputs can bring it: to its end, or to a tracer without a value."""
    return run.clean or (run.failure is not None and is_concretization(run.failure))


def _score(run: Run, reached: Callable[[Run], int]) -> int:
    if run.interrupted:
        return 0
    return len(run.lines) + 50 * reached(run) + 1000 * run.clean + 2000 * (reached(run) > 1) + 3 * run.stuck.asked


def _neighbours(target: Target, inputs: Inputs, run: Run) -> Iterator[tuple[Inputs, bool]]:
    """Inputs with a change that the failure asks for, then with any; each with whether it was asked for.

    If a requested change leads to another failure, that is progress.
    """
    involved = _involved(target, run)
    for parameter in sorted(target.parameters, key=lambda one: one not in involved) if not run.clean else ():
        for own in parameter.others[:_OWN]:
            yield _with(inputs, parameter.name, own), False
    if run.clean:
        for flipped in _flipped(inputs):
            yield flipped, False
    for suggested in suggestions(inputs, involved, run):
        yield suggested, True
    for other in _others(target, inputs, involved):
        yield other, False


def _flipped(inputs: Inputs) -> Iterator[Inputs]:
    """Inputs with one truth value flipped: a clean run that missed the place took another branch."""
    for name, value in inputs:
        for path, leaf in leaves(value):
            if isinstance(leaf, Plain) and isinstance(leaf.value, bool):
                yield _with(inputs, name, replaced(value, path, Plain(not leaf.value)))


def _others(target: Target, inputs: Inputs, involved: list[Parameter]) -> Iterator[Inputs]:
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
        names = list(texts.names_involved(target.node, line)) if line else []
    by_name = {parameter.name: parameter for parameter in target.parameters}
    found = [by_name[name] for name in names if name in by_name]
    return found or list(target.parameters)


def _uniform(inputs: Inputs, parameters: list[Parameter]) -> Iterator[Inputs]:
    """Inputs whose numbers and arrays all have one shape, which suits most operations."""
    names = {parameter.name for parameter in parameters}
    for spec in (of_rank(1), of_rank(2), scalar(), of_rank(3)):
        changed = inputs
        for name, value in inputs:
            if name in names:
                for path, leaf in list(leaves(value)):
                    if (isinstance(leaf, Array) and leaf.dtype == "float32") or (
                        isinstance(leaf, Plain) and isinstance(leaf.value, float)
                    ):
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
    whole = proposals.alternatives(parameter.name, parameter.use, host=parameter.host, optional=parameter.optional)
    part = proposals.alternatives("", Use(), host=parameter.host, optional=False)
    for at in range(max(len(parameter.others) + len(whole), len(part))):
        for path in paths:
            options = part if path else [*parameter.others, *(whole if parameter.name != "self" else ())]
            if at < len(options):
                yield _with(inputs, parameter.name, replaced(spec, path, options[at]))


def _pairs(inputs: Inputs, parameters: list[Parameter]) -> Iterator[Inputs]:
    for at, one in enumerate(parameters):
        for other in parameters[at + 1 :]:
            for first in (of_rank(1), of_rank(2), scalar()):
                for second in (of_rank(2), of_rank(1), scalar()):
                    if first != second:
                        yield _with(_with(inputs, one.name, first), other.name, second)


def _with(inputs: Inputs, name: str, spec: Spec) -> Inputs:
    return tuple((other, spec if other == name else value) for other, value in inputs)
