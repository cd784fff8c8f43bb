"""Where the interpreter stands: the trace around the code, the arguments of a call, a loop's exits, and the limits."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from jitlint.analysis.store import Changes
from jitlint.analysis.values import UNKNOWN, Value
from jitlint.events.event import Entry
from jitlint.source.places import Span

MAX_CALL_DEPTH: Final = 60
"""Project calls nested deeper than this give Unknown."""

MAX_UNROLL: Final = 8
"""Loops over known sequences up to this length run element by element."""

MAX_ROUNDS: Final = 4
"""Rounds of a loop of unknown length until its state must be stable."""

PRECISE_CALLS: Final = 16
"""Calls of one function with different arguments before constants among them are forgotten."""

MAX_CALLS: Final = 48
"""Calls of one function with different arguments before its result is Unknown."""

ROOT_CALLS: Final = 2
"""Calls of one function with different arguments that every root may make, whatever others made."""

ROOT_FUEL = 6_000
"""Statements that one root may run (a call costs some more). Not final, as the next: tests give less."""

MODULE_FUEL = 60_000
"""Statements that the top level of one module may run."""

CALL_COST: Final = 2

TOO_DEEP: Final = f"calls nest deeper than {MAX_CALL_DEPTH}"
TOO_MANY: Final = f"a function is called in more than {MAX_CALLS} ways"
TOO_LONG: Final = f"more than {ROOT_FUEL} statements run"
TOO_LONG_TOP: Final = f"more than {MODULE_FUEL} statements run at the top level"
TOO_NESTED: Final = "expressions or statements nest too deeply"
"""What is said of a root that is not followed to its end."""


@dataclass(frozen=True, eq=False, slots=True)
class Trace:
    """The transformations around the code that runs; None stands for no transformation.

    `staging`: every JAX operation is recorded, so that even constants become tracers. `concrete`: tracers made here
    keep their values (eager differentiation). `stage` is the depth of the outermost staging one (0: none), `cached`
    whether a compile cache keeps the result, `fresh` whether that cache ends with the running call. `entry` is where
    the outermost one that takes values away was applied. `guess`: what the trace itself rests on, if it is not in view.
    """

    parent: Trace | None
    transform: str
    depth: int
    staging: bool
    concrete: bool
    stage: int
    cached: bool
    fresh: bool
    entry: Entry
    guess: str = ""


class Args:
    """The arguments of one call. `rest` and `open_keywords`: a star brought an unknown number more, of which `rest` is
    the join. `spans` has the place of each positional argument, `keyword_spans` of keywords by name."""

    __slots__ = ("positional", "keywords", "rest", "open_keywords", "spans", "keyword_spans")

    def __init__(
        self,
        positional: list[Value],
        keywords: dict[str, Value] | None = None,
        rest: Value | None = None,
        open_keywords: bool = False,
        spans: list[Span] | None = None,
        keyword_spans: Mapping[str, Span] | None = None,
    ) -> None:
        self.positional = positional
        self.keywords = {} if keywords is None else keywords
        self.rest = rest
        self.open_keywords = open_keywords
        self.spans = [] if spans is None else spans
        self.keyword_spans = {} if keyword_spans is None else keyword_spans

    def get(self, position: int | None, name: str) -> Value | None:
        """The argument given at a position or by a name."""
        if name in self.keywords:
            return self.keywords[name]
        if position is not None and position < len(self.positional):
            return self.positional[position]
        return self.rest

    def span(self, position: int | None, name: str, default: Span) -> Span:
        """Where that argument is written."""
        if name in self.keyword_spans:
            return self.keyword_spans[name]
        if position is not None and position < len(self.spans):
            return self.spans[position]
        return default

    @property
    def first(self) -> Value:
        """The first positional argument, or what a star brought; Unknown if there is none."""
        return self.positional[0] if self.positional else (self.rest or UNKNOWN)

    def given(self, position: int, name: str) -> Value:
        """The argument given at a position or by a name; Unknown if there is none."""
        value = self.get(position, name)
        return UNKNOWN if value is None else value

    def place(self, default: Span, position: int = 0) -> Span:
        """Where a positional argument is written."""
        return self.spans[position] if position < len(self.spans) else default

    def placed(self) -> list[tuple[Value, Span | None]]:
        """Every argument and where it is written, if it is written on its own."""
        places: list[Span | None] = [*self.spans, *[None] * (len(self.positional) - len(self.spans))]
        found = list(zip(self.positional, places, strict=False))
        found += [(value, self.keyword_spans.get(name)) for name, value in self.keywords.items()]
        return [*found, (self.rest, None)] if self.rest is not None else found

    def all(self) -> list[Value]:
        """Every argument."""
        return [*self.positional, *self.keywords.values(), *([self.rest] if self.rest is not None else [])]


@dataclass(frozen=True, slots=True)
class Handler:
    """A handler that catches what tracers raise: its text, whether it takes every exception, and the depth of the trace
    that it stands in. `deliberate` if it names JAX's errors, or uses the exception that it caught. `undecided`: the
    branches around it whose test is not known."""

    text: str
    broad: bool
    depth: int
    deliberate: bool
    undecided: int


@dataclass(slots=True)
class Loop:
    """A loop that is being run: its identity, and the states in which it was left or cut short."""

    identity: int
    mark: int = 0
    round_mark: int = 0
    breaks: list[Changes] = field(default_factory=list)
    continues: list[Changes] = field(default_factory=list)


Rank = tuple[int, int]
"""When a root has its turn among all of the component: the kind of root, then by which module it lies in."""


class Start(NamedTuple):
    """A root that was run for want of a caller: the identity of its function, and its rank."""

    identity: Hashable
    rank: Rank
