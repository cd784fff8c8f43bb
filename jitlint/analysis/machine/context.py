"""What stands around the running code: traces, handlers and loops; and the rank of the root that runs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from jitlint.analysis.machine.call_order import Compiled, State
from jitlint.analysis.machine.later_reads import Stored
from jitlint.analysis.machine.store import Changes
from jitlint.analysis.values import Frame, HeapObject, Value
from jitlint.analysis.values.flow import Flow
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import Entry, Event
from jitlint.project.modules import Module
from jitlint.source.places import Span


@dataclass(slots=True)
class Leak:
    """A tracer was stored in an object from outside of its trace. What runs until the trace ends may take it out."""

    event: Event
    """What is predicted if it stays there."""
    target: HeapObject | None
    """The object that got it; None if it is nothing whose fields are known."""
    field: str | None
    """The attribute or variable that got it; None if it may be any part of the object."""
    value: Value
    """What was stored."""
    stored: Stored | None = None
    """The same, if it is in a list or dict."""
    attribute: State | None = None
    """The identity of the attribute that got it."""
    overwritten: bool = False
    """Whether something else was stored in the same place later, or may have been."""


class Chosen(NamedTuple):
    """A call of one of several functions between which code chooses, as from a table."""

    kind: AssumptionKind
    """What it rests on that one of them is called."""
    results: tuple[Value, ...]
    """What each of them returns."""
    joined: Value
    """What the call gives."""
    called: tuple[str, ...]
    """What is said of each of them: "`advance(x)` calls `slowly`"."""


@dataclass(frozen=True, eq=False, slots=True)
class Trace:
    """One transformation around the running code, linked to those outside of it. Code that runs plainly has None."""

    parent: Trace | None
    """The next transformation outside of this one."""
    transform: str
    """Its qualified name: "jax.jit"."""
    depth: int
    """How many transformations there are, this one included."""
    staging: bool
    """Whether every JAX operation is recorded, as under `jit`, so that even constants become tracers."""
    concrete: bool
    """Whether tracers made here have their values all the same, as under eager `grad`."""
    stage: int
    """The depth of the outermost transformation that stages; 0 if none does. State from outside of it is captured."""
    recording: int
    """The depth of the innermost transformation that stages; 0 if none does. What is computed from outer values alone
    belongs to it, even inside of a `grad` or `vmap`."""
    cached: bool
    """Whether a compile cache holds what is traced, so that the Python code does not run again."""
    fresh: bool
    """Whether that cache ends with a call that still runs: the function in which `jit` was applied has not returned."""
    entry: Entry
    """Where the outermost transformation that takes values away was applied: findings name it."""
    assumption: Assumption | None = None
    """What the trace rests on if no transform is in view ("`Model.loss` runs under jit")."""
    compiled: Compiled | None = None
    """The function whose compile cache holds what is traced; None if that is not known."""
    axis_names: frozenset[str] | None = None
    """The names of mapped axes that it binds, with those outside of it; None if there may be others."""
    undecided: int = 0
    """How many undecided tests there are around the call of the outermost transformed function."""
    loops: list[tuple[Module, Span]] = field(default_factory=list)
    """Where loops without a known number of rounds compute with its tracers: no derivative goes backwards there."""
    stops: list[bool] = field(default_factory=list)
    """Not empty if derivatives are stopped somewhere in it (`stop_gradient`)."""
    rule_faults: list[tuple[Flow | None, str, str]] = field(default_factory=list)
    """What JAX refuses in the rules of functions that it goes backwards through: where they are written, the transform
    that they belong to, and the fault in words."""
    scalar_uses: list[tuple[Flow, Module, Span, str]] = field(default_factory=list)
    """Where a scalar is used as only an array with axes can be: its flow, the place, and the function there."""
    leaks: list[Leak] = field(default_factory=list)
    """Where its tracers were stored in objects from outside of it."""
    chosen: list[Chosen] = field(default_factory=list)
    """Calls of one of several functions; traces within share the list."""


@dataclass(slots=True)
class Handler:
    """An `except` clause, or a context manager such as `contextlib.suppress`, that catches what tracers raise."""

    text: str
    """Its source text."""
    broad: bool
    """Whether it takes every exception."""
    depth: int
    """The depth of the trace that it stands in."""
    deliberate: bool
    """Whether it is meant for tracers: it names JAX's errors, or uses the exception that it caught."""
    undecided: int
    """How many branches around it are taken on a test whose outcome is not known."""
    frame: Frame
    """The run of the function that it stands in."""
    answers: bool = False
    """Whether it only answers a question, by a truth, a text or None: `except Exception: return False`."""
    is_reached: bool = False
    """Whether what it guards certainly raises an error that it catches."""


@dataclass(slots=True)
class Loop:
    """A loop that is running."""

    identity: int
    """Its number among all loops that ran."""
    mark: int = 0
    """How many logs of the store were open when the loop began: `breaks` count from there."""
    round_mark: int = 0
    """How many were open when the present round began: `continues` count from there."""
    breaks: list[Changes] = field(default_factory=list)
    """For each `break` so far: the changes since the loop began."""
    undecided: int = 0
    """How many branches were around it, taken on a test whose outcome is not known."""
    continues: list[Changes] = field(default_factory=list)
    """For each `continue` in this round: the changes since the round began."""
    open_range: bool = False
    """Whether it counts as far as a parameter says: other calls of the function may have many rounds."""


Rank = tuple[int, int]
"""When a root has its turn in its component: the kind of root (roots.py), then the turn of its module."""


class Start(NamedTuple):
    """The function that a root begins with, if it runs only because nothing in view calls it."""

    identity: Hashable
    """The function's identity over all processes (`units.identity`)."""
    rank: Rank
    """The root's rank: if a root of lower rank calls the function after all, this run is dropped."""
