"""How sure each kind of assumption leaves an event, learned from judgements (jitlint/events/assumptions.json)."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from jitlint.events.assumption import LEVELS, MANY, Confidence

WEIGHT = 20
"""How many judgements the expected share of true events counts for: a few readings do not overturn it."""

_SHARES = {Confidence.CERTAIN: 0.95, Confidence.LIKELY: 0.8}

Levels = dict[str, dict[str, Any]]


@functools.cache
def read() -> Levels:
    """What is stored: for each kind, its level, what we expected before anything was judged, and the judgements."""
    levels: Levels = json.loads(LEVELS.read_text("utf-8"))
    return levels


def confidence(expected: float, true: int, judged: int) -> Confidence:
    """The level of an assumption.

    Args:
        expected: the share of events that rest on it and are true, as we thought before anything was judged.
        true: how many of those that were judged are.
        judged: how many were judged.
    """
    share = (expected * WEIGHT + true) / (WEIGHT + judged)
    return next((level for level, least in _SHARES.items() if share >= least), Confidence.POSSIBLE)


def decisive(kinds: Collection[str]) -> list[str]:
    """Those of the assumptions of an event that a judgement of it counts for.

    A false event that rests on what is seldom true says nothing of its other assumptions, nor does one that rests on
    many.
    """
    if len(kinds) >= MANY:
        return []
    levels = read()
    least = min((levels[kind]["expected"] for kind in kinds), default=1.0)
    return [kind for kind in sorted(kinds) if levels[kind]["expected"] == least] or ["nothing"]


def learned(levels: Levels, judgements: Mapping[str, Counter[str]]) -> Levels:
    """The levels after judgements, by kind of assumption. What is harmless counts neither way."""
    found: Levels = {}
    for kind, one in levels.items():
        seen = judgements.get(kind, Counter())
        true, judged = seen["true"], seen["true"] + seen["false"]
        level = confidence(one["expected"], true, judged)
        found[kind] = {"confidence": level, "expected": one["expected"], "true": true, "judged": judged}
    return found


def text(levels: Levels) -> str:
    """The file with levels: a line for each kind."""
    return "{\n" + ",\n".join(f'  "{kind}": {json.dumps(one)}' for kind, one in levels.items()) + "\n}\n"
