"""Finds the rule (of `jitlint.models.rules`) that explains the kinds or ranks of results by those of the arguments."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from jitlint.models.rules import KINDS, UNKNOWN, promoted, result_rank


class Sample(NamedTuple):
    """One call: the kinds or ranks of its arguments, by name, and that of the result; the shapes of both."""

    arguments: Mapping[str, Any]
    result: Any
    shapes: Mapping[str, tuple[int, ...]]
    shape: tuple[int, ...]


def kind_rule(samples: Sequence[Sample], arrays: Sequence[str], dtypes: Sequence[str]) -> str:
    """The simplest rule that gives the kinds of all samples, or UNKNOWN.

    `arrays` are the arguments whose kinds may decide, `dtypes` those that name a dtype. Where several could be the one
    that decides, all of them do.
    """
    results = {sample.result for sample in samples}
    if len(results) == 1:
        return str(results.pop()) or UNKNOWN
    for name in dtypes:
        if all(sample.arguments.get(name) == sample.result for sample in samples):
            return f"kind({name})"
    alone = tuple(name for name in arrays if _map_of(samples, (name,)))
    choices = (
        [alone] if alone else [n for size in range(2, len(arrays) + 1) for n in itertools.combinations(arrays, size)]
    )
    for names in choices:
        found = _map_of(samples, names)
        if found:
            return f"{found}({', '.join(names)})"
    return UNKNOWN


def _map_of(samples: Sequence[Sample], names: Sequence[str]) -> str:
    """What promoting the arguments `names` becomes, as four letters."""
    seen: dict[str, str] = {}
    for sample in samples:
        kinds: list[Any] = [sample.arguments.get(name) for name in names]
        if any(kind not in KINDS for kind in kinds) or sample.result not in KINDS:
            return ""
        if seen.setdefault(promoted(kinds), sample.result) != sample.result:
            return ""
    return "".join(seen[kind][0] if kind in seen else "." for kind in KINDS)


def rank_rule(samples: Sequence[Sample], arrays: Sequence[str], sizes: Sequence[str]) -> str:
    """The simplest rule that gives the ranks of all samples, or UNKNOWN.

    `sizes` are the lengths of arguments. Where several arguments could be the one that decides, all of them do:
    a scalar may stand in for any of them.
    """

    def holds(rule: str) -> bool:
        return all(result_rank(rule, sample.arguments.get) == sample.result for sample in samples)

    rule = next(filter(holds, _candidates(samples, arrays, sizes)), UNKNOWN)
    alone = [name for name in arrays if holds(name)]
    names = alone if rule in alone else rule[4:-1].split(", ") if rule.startswith("max(") and rule.endswith(")") else []
    if names and all(sample.shape == _broadcast([sample.shapes[name] for name in names]) for sample in samples):
        return f"like({', '.join(names)})"
    return f"max({', '.join(names)})" if len(names) > 1 else rule


def _broadcast(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
    try:
        found: tuple[int, ...] = np.broadcast_shapes(*shapes)
    except ValueError:
        return None
    return found


def _candidates(samples: Sequence[Sample], arrays: Sequence[str], sizes: Sequence[str]) -> Iterator[str]:
    yield str(samples[0].result)
    yield from sizes
    for name in arrays:
        yield name
        yield from (f"{name}{change:+d}" for change in (-1, 1, -2, 2))
    for size in range(2, len(arrays) + 1):
        for names in itertools.combinations(arrays, size):
            yield f"max({', '.join(names)})"
            yield f"max({', '.join(names)})+1"
            if size == 2:
                yield f"matmul({', '.join(names)})"
    yield from (f"{array}{sign}{size}" for array in arrays for size in sizes for sign in "-+")
