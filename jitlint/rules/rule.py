"""The base class of rules. One rule is one module in a family's folder: its page, and the check of an event."""

from __future__ import annotations

import enum
import inspect
from abc import ABC, abstractmethod
from typing import ClassVar

from jitlint.events.event import Event, EventKind
from jitlint.fixes.edit import Remedy

_TEXTS = ("what", "why", "error", "example", "remedy", "fixed_example", "symptom", "unknown", "verified_by")


class Severity(enum.StrEnum):
    ERROR = "error"
    """Tracing will fail."""
    WRONG = "wrong"
    """Runs, but gives stale, lost or leaked results."""
    SLOW = "slow"
    """Recompiles, unrolls or moves data."""
    HINT = "hint"
    """Off unless selected."""


class Rule(ABC):
    """A rule. The class docstring's first line is its summary; the attributes are its page.

    Texts may be indented with the class body; they are dedented when the class is made.

    - `what`, `why`, `remedy`: what the rule finds, why it matters, what to do about it.
    - `example`, `fixed_example`: whole programs, with the problem and without it.
    - `error`: the first line that the user sees from JAX or Python, "" if nothing fails. "…" stands for what varies.
    - `symptom`: if nothing fails, an expression that is true after `example` ran, false after `fixed_example`. It can
      use the example's names, `printed` (the lines of its output) and `compiled` (the names of the functions that JAX
      compiled). Examples in another language than Python have none.
    - `fixes`: the kinds of fixes that it offers, best first; none if people have to see to it (`remedy` says how).
    - `unknown`: what the rule does when the analyzer does not know.
    - `verified_by`: how `--verify` confirms a finding.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity]
    events: ClassVar[tuple[EventKind, ...]]
    what: ClassVar[str]
    why: ClassVar[str]
    error: ClassVar[str]
    example: ClassVar[str]
    language: ClassVar[str] = "python"
    remedy: ClassVar[str]
    fixed_example: ClassVar[str]
    symptom: ClassVar[str] = ""
    fixes: ClassVar[tuple[Remedy, ...]] = ()
    unknown: ClassVar[str]
    verified_by: ClassVar[str]

    def __init_subclass__(cls) -> None:
        for attribute in _TEXTS:
            if attribute in vars(cls):
                setattr(cls, attribute, inspect.cleandoc(vars(cls)[attribute]))

    @property
    def summary(self) -> str:
        """One line: the class docstring's first."""
        return (self.__doc__ or "").partition("\n")[0]

    @abstractmethod
    def check(self, event: Event) -> str | None:
        """The message if this rule objects to an event of one of its `events`, else None."""

    def severity_of(self, event: Event) -> Severity:
        """How grave an event is that this rule objects to: as the rule says, unless it tells cases apart."""
        return self.severity
