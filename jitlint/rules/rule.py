"""What a rule is. One rule, one module in a family's folder: metadata and documentation, and the check on an event."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from typing import ClassVar

from jitlint.analysis.events import Event, EventKind


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

    `error` is what the user would see from JAX or Python, "" when nothing fails; `unknown` says what the rule does when
    the analyzer does not know; `verified_by` how `--verify` confirms it.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity]
    events: ClassVar[tuple[EventKind, ...]]
    what: ClassVar[str]
    why: ClassVar[str]
    error: ClassVar[str]
    example: ClassVar[str]
    remedy: ClassVar[str]
    fixed_example: ClassVar[str]
    unknown: ClassVar[str]
    verified_by: ClassVar[str]

    @abstractmethod
    def check(self, event: Event) -> str | None:
        """The message if this rule objects to an event of one of its `events`, else None."""
