"""The words that messages share: what happens, because of which value, what to do instead.

A message is one line without a final period: the problem, a semicolon, the remedy.
"""

from __future__ import annotations

from jitlint.analysis.events import Confidence, Event

_SUBJECT_LENGTH = 40
_ORIGIN_LENGTH = 60


def compose(event: Event, problem: str, remedy: str) -> str:
    """The whole message; a prediction that rests on a guess names it."""
    guess = f" (likely: {event.guess})" if event.confidence is Confidence.LIKELY and event.guess else ""
    return f"{problem}; {remedy}{guess}"


def traced(event: Event) -> str:
    """The event's value and why it is traced: "`r`, which is traced: argument `x` of `step` under jax.jit"."""
    value = f"{subject(event)}, which is traced" if event.subject else "a traced value"
    if event.origin:
        return f"{value}: {shorten(event.origin, _ORIGIN_LENGTH)}{under(event)}"
    return f"{value}{under(event)}"


def subject(event: Event, otherwise: str = "a value") -> str:
    """The event's value in backticks, or `otherwise` when its text is not known."""
    return f"`{shorten(event.subject, _SUBJECT_LENGTH)}`" if event.subject else otherwise


def under(event: Event) -> str:
    """The words " under jax.jit", or nothing outside of any transform."""
    return f" under {event.entry.transform}" if event.entry else ""


def function(event: Event, otherwise: str = "the function") -> str:
    """The traced function's own name in backticks, or `otherwise` when it has none."""
    name = event.entry.function.rpartition(":")[2].rpartition(".")[2] if event.entry else ""
    return f"`{name}`" if name.isidentifier() else otherwise


def or_static(event: Event) -> str:
    """The words ", or make the argument static" where an argument of a jitted function is to blame, else nothing."""
    is_jit = event.entry is not None and event.entry.transform.endswith("jit")
    return ", or make the argument static" if is_jit and event.origin.startswith("argument") else ""


def shorten(text: str, length: int) -> str:
    """The text on one line, cut to `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
