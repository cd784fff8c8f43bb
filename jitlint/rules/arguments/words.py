"""How the rules on arguments name what was passed, and for which parameter."""

from jitlint.analysis.events import Event
from jitlint.rules.message import function, subject

_ITERATORS = {
    "iter": "an iterator",
    "range": "a range",
    "view": "a dict view",
    "file": "a file",
    "generator": "a generator",
}


def iterator_kind(event: Event) -> str:
    """What kind of iterator it is, with its text: "a zip object (`zip(a, b)`)"."""
    kind = _ITERATORS.get(event.construct, f"a `{event.construct}` object")
    return f"{kind} ({subject(event)})" if event.subject else kind


def parameter(event: Event) -> str:
    """The parameter that gets the value, "argument `xs` of `total`", as far as known."""
    name = event.detail.get("parameter", "")
    return f"argument `{name}` of {function(event)}" if name else f"an argument of {function(event)}"
