"""Assumptions for tests of what is not certain."""

from __future__ import annotations

from jitlint.events.assumption import Assumption, AssumptionKind, Confidence


def resting(confidence: Confidence) -> tuple[Assumption, ...]:
    """The assumptions of an event that is as sure as this."""
    if confidence is Confidence.CERTAIN:
        return ()
    kinds = (AssumptionKind.IS_ARRAY, AssumptionKind.UNKNOWN_IS_TRACED)
    found = next(each for each in (Assumption(kind, "it is so") for kind in kinds) if each.confidence is confidence)
    return (found,)
