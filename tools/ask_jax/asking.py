"""Finding examples that a function works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import Parameter
from typing import Any

from tools.ask_jax.calling import Given, Outcome, eager, traced
from tools.ask_jax.examples import Fill, has_array
from tools.ask_jax.recipes import LIFTING, examples_of, options_of

_STARTS = tuple((kind, rank) for rank in (2, 1, 0, 3, 4) for kind in ("float", "int", "bool", "complex"))
"""What kinds and ranks of arrays are tried first."""


class NoAnswerError(Exception):
    """No example works."""


NOT_ASKED = Outcome("not asked")


@dataclass
class Asking:
    """One function, with examples that work: what is common to all questions about it."""

    given: Given
    usual: Fill
    eager: bool
    first: Outcome = NOT_ASKED
    optional: dict[str, Any] = field(default_factory=dict)
    lifting: str = ""
    known: dict[str, Outcome] = field(default_factory=dict)

    @property
    def arrays(self) -> list[str]:
        """The arguments that are arrays."""
        return [name for name, value in self.given.examples.items() if has_array(value)]

    def outcome(self, given: Given, fill: Fill | None = None) -> Outcome:
        """The call with arrays of some kind and rank, by default the usual. Asked once."""
        fill = fill or self.usual
        key = f"{given.examples} {fill}"
        if key not in self.known:
            full = given.changed(**{name: fill.filled(name, value) for name, value in given.examples.items()})
            names = [name for name, value in given.examples.items() if has_array(value)]
            self.known[key] = eager(full) if self.eager else traced(full, names)
        return self.known[key]

    def with_option(self, name: str) -> Given:
        """The call with an optional argument."""
        return self.given.changed(**{name: self.optional[name]})


def start(name: str, function: Callable[..., Any], parameters: tuple[Parameter, ...]) -> Asking:
    """Finds examples for what a function requires, then for its options. Raises NoAnswerError if none works."""
    last = Outcome("no example")
    for examples in examples_of(name, parameters):
        given = Given(function, parameters, examples)
        for kind, rank in _STARTS:
            asking = Asking(given, Fill(kind, rank), False)
            asking.first = asking.outcome(given)
            if asking.first.of_tracer:
                asking = _untraced(name, asking)
            if asking.first.ok:
                _find_options(name, asking)
                return asking
            last = asking.first
    raise NoAnswerError(f"{last.error}: {last.message[:150]}")


def _untraced(name: str, refused: Asking) -> Asking:
    """How to ask a function that refuses tracers: with an option that lets it take them, or without tracers."""
    for parameter in refused.given.parameters:
        for example in options_of(name, parameter) if parameter.name in LIFTING else ():
            given = refused.given.changed(**{parameter.name: example})
            first = refused.outcome(given)
            if first.ok:
                return Asking(given, refused.usual, False, first, lifting=parameter.name)
    asking = Asking(refused.given, refused.usual, True)
    asking.first = asking.outcome(asking.given)
    return asking


def _find_options(name: str, asking: Asking) -> None:
    """Finds an example that works for each optional parameter."""
    for parameter in asking.given.parameters:
        if parameter.name in asking.given.examples:
            continue
        for example in options_of(name, parameter):
            if asking.outcome(asking.given.changed(**{parameter.name: example})).ok:
                asking.optional[parameter.name] = example
                break
