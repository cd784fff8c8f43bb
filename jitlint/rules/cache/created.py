"""How the rules on repeated compilation name what is compiled."""

from jitlint.analysis.events import Event
from jitlint.rules.message import subject

_NEW = {
    "lambda": "a lambda",
    "partial": "a new partial",
    "local function": "a local function",
    "bound method": "a bound method",
}


def created(event: Event) -> str:
    """The transform and its new function: "jax.jit of a lambda (`lambda v: g(v)`)"."""
    new = _NEW.get(event.construct, f"a new `{event.construct}`")
    text = f" ({subject(event)})" if event.subject else ""
    return f"{event.detail.get('transform', 'jax.jit')} of {new}{text}"
