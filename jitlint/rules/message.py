"""Helpers that compose a rule's message.

A message is one line without a final period: the problem, a semicolon, the remedy. For example "`if` needs the value of
`r`, which is traced: argument `x` of `step` under jax.jit; use jnp.where".
"""

from __future__ import annotations

from jitlint.events.assumption import Confidence, weakest
from jitlint.events.event import Event, EventKind

_SUBJECT_LENGTH = 40
_ORIGIN_LENGTH = 60
_DIFFERENCE_LENGTH = 60

_NEW_FUNCTIONS = {
    "lambda": "a lambda",
    "partial": "a new partial",
    "local function": "a local function",
    "bound method": "a bound method",
}

_ITERATORS = {
    "iter": "an iterator",
    "range": "a range",
    "view": "a dict view",
    "file": "a file",
    "generator": "a generator",
    "enumerate": "an enumerate object",
    "set": "a set",
}


def compose(event: Event, problem: str, remedy: str) -> str:
    """The whole message. It names the weakest assumption that a likely prediction rests on.

    Whatever jnp computes under a trace is traced, even of constants: there, no other remedy is as simple.
    """
    if event.detail.get("from_shape") == "yes" and event.kind is not EventKind.SHAPE:
        remedy = "compute it with math or NumPy, whose results are known while tracing"
    assumed = weakest(event.assumptions)
    doubt = f" (assuming {assumed.text})" if assumed and event.confidence is Confidence.LIKELY else ""
    return f"{problem}; {remedy}{doubt}"


def traced(event: Event) -> str:
    """The event's value and why it is traced: "`r`, which is traced: argument `x` of `step` under jax.jit"."""
    value = f"{subject(event)}, which is traced" if event.subject else "a traced value"
    if event.origin:
        return f"{value}: {shorten(event.origin, _ORIGIN_LENGTH)}{under(event)}"
    return f"{value}{under(event)}"


def subject(event: Event, otherwise: str = "a value") -> str:
    """The event's value in backticks, or `otherwise` when its text is not known."""
    return f"`{shorten(event.subject, _SUBJECT_LENGTH)}`" if event.subject else otherwise


def aside(event: Event) -> str:
    """The event's value as an aside, " (`r`)", or nothing when its text is not known."""
    return f" ({subject(event)})" if event.subject else ""


def under(event: Event) -> str:
    """The words " under jax.jit", or nothing outside of any transform."""
    return f" under {event.entry.transform}" if event.entry else ""


def function(event: Event, otherwise: str = "the function") -> str:
    """The traced function's own name in backticks, or `otherwise` when it has none."""
    name = event.entry.function.rpartition(":")[2].rpartition(".")[2] if event.entry else ""
    return f"`{name}`" if name.isidentifier() else otherwise


def parameter(event: Event) -> str:
    """The parameter that gets the value, as far as known: "argument `xs` of `total`".

    The function is the one that the event's details name (a library function that is called), else the traced one.
    """
    name = event.detail.get("parameter", "")
    owner = f"`{event.detail['function']}`" if "function" in event.detail else function(event)
    return f"argument `{name}` of {owner}" if name else f"argument of {owner}"


def created(event: Event) -> str:
    """The transform and the new function that it gets: "jax.jit of a lambda (`lambda v: g(v)`)"."""
    new = _NEW_FUNCTIONS.get(event.construct, f"a new `{event.construct}`")
    return f"{event.detail.get('transform', 'jax.jit')} of {new}{aside(event)}"


def new_function(event: Event) -> str:
    """The thing to create only once: "it" (the transformed function), or "the function" (given to `lax.scan`)."""
    return "the function" if event.detail.get("transform", "").startswith("jax.lax.") else "it"


def iterator(event: Event) -> str:
    """What kind of iterator it is, with its text: "an iterator (`iter(xs)`)"."""
    return _ITERATORS.get(event.construct, f"a {event.construct} object") + aside(event)


def difference(event: Event) -> str:
    """The difference in the analyzer's words: ": a tuple becomes a list", or nothing when it is not known."""
    found = shorten(event.detail.get("difference", ""), _DIFFERENCE_LENGTH)
    return f": {found}" if found else ""


def or_static(event: Event) -> str:
    """The words ", or make the argument static" where the value is an argument of a jitted function, else nothing.

    Nothing, too, where a call in view gives an array for it, which has no hash.
    """
    can_be = is_jit(event) and event.origin.startswith("argument") and event.detail.get("given") != "array"
    return ", or make the argument static" if can_be else ""


def is_jit(event: Event) -> bool:
    """Whether the transform is one that takes static arguments."""
    return event.entry is not None and event.entry.transform.endswith("jit")


def shorten(text: str, length: int) -> str:
    """The text on one line, cut to `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
