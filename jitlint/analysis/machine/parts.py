"""The interpreter's state, divided by how long it lives: a component, a unit, a root, the path to the running code.

A *component* is a group of modules that import each other, a *unit* a few files of it, a *root* one function (or one
module's top level) that runs by itself. A unit starts where the module tops have ended, and is undone when it ends: so
state that a unit changes belongs into `Unit`, and `program/snapshot.py` resets the lists of `World`.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from jitlint import ir
from jitlint.analysis.machine.command_lines import CommandLines, TypedTexts
from jitlint.analysis.machine.context import Handler, Loop, Rank, Start, Trace
from jitlint.analysis.machine.guesses import Guesses
from jitlint.analysis.machine.limits import ROOT_FUEL
from jitlint.analysis.machine.memory import MemoryWatch
from jitlint.analysis.machine.met import Met
from jitlint.analysis.machine.published import Published
from jitlint.analysis.machine.reveal import Reveals
from jitlint.analysis.machine.state_log import StateLog
from jitlint.analysis.values import (
    Class,
    Const,
    External,
    ExternalInstance,
    Frame,
    Function,
    HeapObject,
    Instance,
    Member,
    Option,
    Site,
    Transformed,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.call_keys import CallKeys
from jitlint.analysis.values.object_changes import ObjectChanges
from jitlint.events.assumption import Assumption
from jitlint.events.event import Event, Root, keep_better
from jitlint.ir.written import Written, written
from jitlint.project.modules import Module
from jitlint.source.places import Span

Way = tuple[Site, bool, bool, frozenset[object]]
"""Where code decides what runs, the outcome, whether operations are recorded, and the keys of the table that it asks.

A helper that asks several tables decides by each of them.
"""


class TopChoice(NamedTuple):
    """A call by a module's top level in which the defaults of options decide what runs."""

    module: Module
    callee: Value
    args: Args
    span: Span
    other_ways: dict[Way, Option]
    """The ways that the code would go if an option had another value."""
    command_lines: int
    """How many command lines tell apart what it runs."""
    choices: list[tuple[Option, Const]]
    """The options whose defaults decide, each with another value that it may have."""
    asked_texts: dict[Site, dict[Any, Const]]
    """What code has asked by then of the texts that users type (`Decisions.asked_texts`)."""


class Settings:
    """What users choose: on the command line, or instead of the default of an option. By the identity of the values."""

    def __init__(self) -> None:
        self.given: dict[int, Value] = {}
        """What a command line or an open option gives, of which only the type is known."""
        self.parsers: dict[int, CommandLines] = {}
        """What command lines may be, by the serial of the dict that holds their parser's arguments."""
        self.written: set[Option] = set()
        """The options that are parameters: a call in view means the text that it writes, or the default it leaves."""
        self.offered: dict[Option, list[Const]] = {}
        """What a declaration offers in place of an option's default."""
        self.commands: dict[int, Function] = {}
        """The functions that a command line calls, with their declared defaults, by the identity of their code."""
        self.further: dict[Function, dict[str, Value]] = {}
        """What commands get for options that go into their `**options`, by the function."""
        self.getting_context: list[Function] = []
        """Those that get the context of a command line first, in which they leave an object for further commands."""
        self.files: dict[int, list[str]] = {}
        """The parameters of commands that are files which users may name, by the identity of their code."""
        self.getting_object: set[int] = set()
        """Those that get this object first, by the identity of their code."""
        self.texts: set[Option] = set()
        """The options that are None by default, and else a text, as their annotations say."""
        self.numbers: dict[Option, Const] = {}
        """The options that are None by default, and else a number, each with one."""
        self.empty: dict[int, tuple[Value, Option]] = {}
        """The options that are lists of names, and empty by default."""
        self.sections: dict[int, tuple[Value, tuple[Instance, ...]]] = {}
        """What `getattr(settings, name)` gives for a name that is not known, and the objects among what that may be."""


class Readings:
    """What the text of code says, whatever its values are: read once, and kept by the identity of the code."""

    def __init__(self) -> None:
        self.tested_paths: dict[int, tuple[ir.Name | ir.Attribute, ...]] = {}
        """The variables and attributes that a test asks about, by the identity of its node."""
        self.aliases: dict[int, tuple[tuple[str, str], ...]] = {}
        """For each function, by identity: the pairs of variables of which it assigns one to the other."""
        self.named_tests: dict[int, Mapping[str, ir.Expr]] = {}
        """For each function, by identity: the tests for None that it gives a name, by that."""
        self.bindings: dict[int, list[tuple[frozenset[str], frozenset[str]]]] = {}
        """For each body, by identity: the variables that its parts bind, and the names that each is computed from."""
        self.round_of_loop: dict[tuple[int, Span, tuple[bool, bool]], tuple[Any, frozenset[str]] | None] = {}
        """For a body, by identity, and a loop in it: what runs in each round, and the variables that differ in it."""
        self._written: dict[int, Written] = {}
        self.names: dict[int, frozenset[str]] = {}
        """The variables that are named in each node that was asked about, by its identity."""
        self.longest: dict[str, tuple[Module, Span, str]] = {}
        """Where code asks for the longest of several things, and in which function, by a text that names the place."""
        self.type_questions: dict[int, tuple[ir.Expr, ...]] = {}
        """The expressions whose type a test asks for, by the identity of its node."""
        self.imported_names: dict[int, frozenset[str]] = {}
        """The names that imports in the body of a `with` bind, by the identity of its node."""
        self.lost_writes: dict[tuple[int, int, str], list[Any]] = {}
        """The writes into a parameter's object that are lost, by code, closure and name; under "", all the names."""
        self.return_numbers: dict[int, bool] = {}
        """For each function, by identity: whether all that it returns is computed with operators."""
        self.keepings: dict[int, tuple[Any, ...]] = {}
        """For each function, by identity: the statements that keep a value (tracing/cache/keepings.py)."""
        self.getters: set[int] = set()
        """The functions that properties call, by identity."""
        self.unread_updates: dict[int, dict[int, str]] = {}
        """For each function, by identity: the calls, by identity, whose result it binds to a name it never reads."""

    def written_in(self, node: Any) -> Written:
        """The nodes of a body, a statement or an expression."""
        known = self._written.get(id(node))
        if known is None:
            known = self._written[id(node)] = written(node)
        return known


class World:
    """The state that lives as long as the interpretation of a component."""

    def __init__(self, published: Published) -> None:
        self.units = 1
        """How many units the component has."""
        self.published = published
        """The public library names of the project's own functions, by module and name: their models hold, too."""
        self.frames: dict[Module, Frame] = {}
        """The namespace of each module whose top level was run."""
        self.imported_before: dict[tuple[Module, str], tuple[int, External]] = {}
        """Library modules that a name stood for until an import gave it another: `np` was jax.numpy before it."""
        self.rebound_globals: dict[Module, frozenset[str]] = {}
        """The names of each of those modules that its functions declare global: they may be bound anew at any time."""
        self.functions: list[Function] = []
        """All functions that were made, the oldest first."""
        self.classes: list[Class] = []
        """All classes that were made, the oldest first."""
        self.transformed: list[Transformed] = []
        """All functions that a transform was applied to, the oldest first."""
        self.guesses = Guesses(self.classes, self.frames)
        """Guesses the class of an object that nothing in view made."""
        self.class_facts: dict[Class, Any] = {}
        """The results of `language.classes.class_facts`; emptied when a class changes."""
        self.method_classes: dict[int, Class] = {}
        """The class in whose body a method stands, by the identity of its code: what `super()` refers to."""
        self.attribute_keys: dict[tuple[Class, str], tuple[str, ...]] = {}
        """The identity of an attribute over all instances of the class that declares it."""
        self.members: dict[tuple[int, str], Member] = {}
        """The members of enumerations, by their class's serial and their name: each is one object."""
        self.library_classes: dict[str, Class] = {}
        """Stand-ins for libraries' classes, by qualified name."""
        self.public_names: dict[tuple[str, str], External | None] = {}
        """The results of `Interpreter.public_external`, by module and name."""
        self.readings = Readings()
        """What was read of the text of the code."""
        self.top_calls: dict[str, list[str]] = {}
        """The argument lists with which modules' top levels call a function, by "module:qualname"."""
        self.top_statements = 0
        """How many statements the top levels of modules have run."""
        self.top_choices: list[TopChoice] = []
        """The calls by modules' top levels in which options decide."""
        self.views: dict[int, list[Instance]] = {}
        """The objects that have arrays of another one (`eqx.filter(model, …)`), by that one's serial."""
        self.loop_sites: dict[int, Site] = {}
        """Where each loop is written, by its identity."""
        self.leaf_loops: set[int] = set()
        """The loops that are calls of `jax.tree.map`, which calls a function for each leaf of a tree."""
        self.loop_numbers: Iterator[int] = itertools.count(1)
        """Identities for further loops."""
        self.memory = MemoryWatch()
        """Watches the memory of the process."""
        self.updated = HeapObject({}, 0, (), None)
        """The objects whose variables were given new arrays, by serial: a call that does that is not remembered."""
        self.buffers = HeapObject({}, 0, (), None)
        """The donated arrays, as fields of an object, so that the store undoes and joins them with branches."""
        self.settings = Settings()
        """What users choose."""
        self.donates = False
        """Whether any function that was jitted until now donates."""
        self.shares = HeapObject({}, 0, (), None)
        """The variables and attributes that hold the same objects, likewise (held_buffers.py)."""


class UsedKeys:
    """The parameters whose keys of random numbers calls use up: of each call, by its number, and of the latest one."""

    def __init__(self) -> None:
        self.by_call: dict[int, frozenset[str]] = {}
        """Those of each call that ran, by its number."""
        self.latest: frozenset[str] = frozenset()
        """Those of the call that has just returned."""


class Derivatives:
    """What derivatives that go backwards have met."""

    def __init__(self) -> None:
        self.open_loops: dict[Hashable, Span] = {}
        """The first derivative that cannot go backwards through a loop, by the loop and the function that takes it."""
        self.stopping: set[int] = set()
        """The functions, by identity, in which derivatives were stopped when they were differentiated backwards."""


class Decisions:
    """What options decide in a unit."""

    def __init__(self) -> None:
        self.by_call: dict[int, frozenset[Option]] = {}
        """The options whose defaults decided what ran in a call, by the number of the call."""
        self.ways_by_call: dict[int, dict[Way, Option]] = {}
        """The ways that it would have gone if they had other values."""
        self.ways: set[Way] = set()
        """The ways that the code went: the places of tests, the outcome, and whether operations were recorded."""
        self.ways_of_guesses: set[Way] = set()
        """Those that only functions went which nothing in view calls: what they get is made up."""
        self.asked_texts: dict[Site, dict[Any, Const]] = {}
        """What code asks of the texts that users type, by the place that declares them (machine/command_lines.py)."""
        self.open_fields: dict[int, tuple[Value, Const]] = {}
        """What fields hold of objects that nobody in view makes, with their defaults, by the identity of the value."""


class StaticFields:
    """What static fields of pytrees, which are part of the compile cache's key, are compared by."""

    def __init__(self) -> None:
        self.arrays: dict[Hashable, tuple[Any, tuple[tuple[int, int], ...]]] = {}
        """The first array that a transformed function got in a static attribute of a class, and the branches there."""
        self.made_of_round: set[tuple[Module, Span, int]] = set()
        """Where a library makes functions, and a loop around it in whose rounds they do not do the same."""
        self.passed: dict[tuple[Site, tuple[int, ...]], Any] = {}
        """The calls that get a static field with a function that a library makes for each round of a loop: by where it
        is made, and in which loops. Each may be needed, if no state goes on from round to round."""
        self.converted: dict[int, tuple[Value, tuple[Module, Span, str]]] = {}
        """Where, in a loop, a number was taken out of an array, and in which function: by the number's identity."""
        self.replaced: dict[tuple[int, str], tuple[Module, Span, str]] = {}
        """Where, in a loop, a copy of an object last got a number or the like, and in which function: by the class's
        serial and the attribute."""


class Result(NamedTuple):
    """What a call without effects has given."""

    value: Value
    given: tuple[tuple[str, Value], ...]
    """The parameters whose arguments it gives back as they are, or as a part of what it makes, with these arguments."""
    began: int
    """The serial of the youngest object when the call began: what it made is younger."""


class Unit:
    """The state that lives as long as one unit is interpreted. The module tops are a unit, too."""

    def __init__(self, reveals: Reveals, state: StateLog) -> None:
        self.reveals = reveals
        """What `reveal_stage` or an editor asked for, and what was seen of it."""
        self.state = state
        """Reads and writes of state that outlives a trace."""
        self.keys = CallKeys()
        """Makes the keys by which values are compared."""
        self.call_numbers: dict[Hashable, int] = {}
        """A number for each call, by its function, the keys of its arguments, and its context: a key for `memo`."""
        self.memo: dict[tuple[int, int], Result] = {}
        """Results of calls without effects, by number and by how often variables of the closure have changed."""
        self.running_calls: dict[int, Value] = {}
        """The calls that are running now, by number, with the result known so far: a recursive call gets that."""
        self.recursive_calls: set[int] = set()
        """Those of the running calls that were called again from within."""
        self.call_counts: dict[Hashable, int] = {}
        """In how many ways a function was called, by its code and context: MAX_CALLS limits it."""
        self.visited: set[int] = set()
        """The code of functions that were called: they need no run of their own."""
        self.looked_at: dict[int, Function] = {}
        """The functions whose bodies were run or looked at, by their code: the result depends on their text."""
        self.called: dict[int, tuple[Rank, Function | Transformed]] = {}
        """Each callable that was called, by identity, with the least rank of a root that did: no run alone counts."""
        self.decisions = Decisions()
        """What options decide."""
        self.used_keys = UsedKeys()
        """The parameters whose keys of random numbers calls use up."""
        self.met = Met[Hashable]()
        """The events as they are met."""
        self.events: dict[Hashable, Event] = {}
        """The predicted events, the surest of each place and construct."""
        self.firm_events: dict[Hashable, Event] = {}
        """The surest of those that stand whatever other units call."""
        self.starts: dict[Hashable, Start | None] = {}
        """For each event, the function that its root began with, if that ran only because nothing in view calls it."""
        self.incomplete: dict[Root, str] = {}
        """Roots that were not followed to their end, and why."""
        self.recorded = 0
        """How many operations were recorded by a trace: a loop that records none is not unrolled."""
        self.captured: dict[int, tuple[Value, Module, Span]] = {}
        """Large arrays that traced code read from outside, by identity, with the place of the read."""
        self.checkified: set[int] = set()
        """The code of functions under `chex.chexify`: assertions about values may be made in them."""
        self.pytree_children: dict[int, dict[str, bool] | None] = {}
        """The attributes that a registered class may give as children, by its serial, and whether it always does."""
        self.given_arrays: set[tuple[str, Span]] = set()
        """The parameters of transformed functions, by module and place, for which some call gives an array or a list:
        they cannot be static."""
        self.tree_parameters: dict[tuple[str, Span], tuple[Function, ir.Parameter]] = {}
        """The parameters of transformed functions, by module and place, that get a pytree of unknown structure."""
        self.derivatives = Derivatives()
        """What derivatives that go backwards have met."""
        self.static_fields = StaticFields()
        """What static fields of pytrees are compared by."""
        self.assumed_instances: dict[int, Any] = {}
        """The instance that stands for any of a class where none in view was made, by the class's serial."""
        self.held_functions: dict[int, tuple[Value, ExternalInstance]] = {}
        """Functions that a library object holds and nothing in view has called yet, by their code."""
        self.first_uses: dict[tuple[object, ...], tuple[Module, Span]] = {}
        """Where each donated buffer is first used afterwards: later uses do not run."""

    def record(self, event: Event, start: Start | None) -> None:
        """Adds an event, unless a better one is known of the place.

        Args:
            event: what is predicted.
            start: what the running root began with. What only a function shows that nothing in view calls is dropped
                if another unit calls that function: so the best of the others is kept as well.
        """
        if keep_better(self.events, event):
            self.starts[event.key] = start
        if start is None or start.identity is None:
            keep_better(self.firm_events, event)

    def after_tops(self) -> Unit:
        """A unit that starts where this one, that of the module tops, has ended."""
        unit = Unit(self.reveals.fresh(), StateLog(dict(self.state.known)))
        unit.visited = self.visited.copy()
        unit.captured = self.captured.copy()
        unit.checkified = self.checkified.copy()
        unit.pytree_children = self.pytree_children.copy()
        unit.assumed_instances = self.assumed_instances.copy()
        unit.decisions.open_fields = self.decisions.open_fields.copy()
        unit.held_functions = self.held_functions.copy()
        unit.first_uses = self.first_uses.copy()
        return unit


@dataclass(slots=True)
class RootRun:
    """The state that lives as long as one root runs."""

    root: Root | None = None
    """The root itself: what to run to see the events happen that are predicted now."""
    number: int = 0
    """Which root it is, counted from 1."""
    start: Start | None = None
    """The function that the root begins with, if it runs only because nothing in view calls it."""
    rank: Rank = (0, 0)
    """When the root has its turn in its component."""
    fuel: int = ROOT_FUEL
    """How many statements it may still run."""
    call_counts: dict[Hashable, int] = field(default_factory=dict)
    """In how many ways the root has called a function: ROOT_CALLS of them are granted, whatever other roots called."""
    open_options: frozenset[Option] = frozenset()
    """The options that are not left at their defaults in this run."""
    open_at: tuple[tuple[Site, Option], ...] = ()
    """Where these decide what runs."""
    opened: dict[Option, Value] = field(default_factory=dict)
    """What has been read of these options."""
    given: dict[Option, Const] = field(default_factory=dict)
    """The options that have one other value in this run, which is known."""
    left_open: dict[int, tuple[Value, Option]] = field(default_factory=dict)
    """What a function that nobody calls gets for parameters that are switches or texts by default, by its identity."""
    defaults: dict[Option, Const] = field(default_factory=dict)
    """The options that were read, with their defaults."""
    asked_for: dict[Option, dict[Any, Const]] = field(default_factory=dict)
    """What code asks whether an option is it: the keys of tables, the texts it is compared with."""
    command_line: int | None = None
    """Which command line it has (libraries/standard/argparse.py); None for all that a user may type, at once."""
    command_lines: int = 0
    """How many command lines tell apart what it runs."""
    texts: TypedTexts = field(default_factory=TypedTexts)
    """The texts that its command line gives."""
    typed: str = ""
    """What its command line gives beside the defaults, as `keep_best=True, method='beam'`."""
    asked_settings: int = 0
    """How often something that users choose was read (`World.settings`)."""
    chosen_by: set[Option] = field(default_factory=set)
    """The options whose defaults have decided what runs."""
    other_ways: dict[Way, Option] = field(default_factory=dict)
    """The ways that the code would go if an option had another value (`Decisions.ways`), with that option."""
    numbers: dict[Hashable, list[float]] = field(default_factory=dict)
    """For loops that run round by round, and places in them: the numbers that a place got in the rounds so far."""
    stepped: dict[tuple[int, str], tuple[str, int]] = field(default_factory=dict)
    """The attributes that were counted on, by their object's serial: the operator, and `Path.undecided` there."""
    changes: ObjectChanges = field(default_factory=ObjectChanges)
    """What traced code does to the objects that its trace has copies of."""
    kept: dict[Hashable, list[Any]] = field(default_factory=dict)
    """The calls of functions that keep a compiled function (tracing/cache/kept.py), by the function."""
    copies: dict[int, tuple[Value, Value]] = field(default_factory=dict)
    """What was read of objects that stand for several, by the identity of the copy: the copy, and what they hold."""
    traces: bool = False
    """Whether something was traced in it."""
    staged_only: bool = False
    """Whether all that is seen of the function is that a staging transform is applied to it."""


@dataclass(slots=True)
class Path:
    """How the running code was reached: the calls, branches and handlers around it."""

    frames: list[Frame] = field(default_factory=list)
    """The frames of the functions that are running, the outermost first."""
    call_depth: int = 0
    """How many project calls are nested: MAX_CALL_DEPTH limits it."""
    loops: list[Loop] = field(default_factory=list)
    """The loops of the running function that its code stands in, the innermost last."""
    handlers: list[Handler] = field(default_factory=list)
    """The handlers around the code that catch what tracers raise, the innermost last."""
    repeats: bool = False
    """Whether the statement assigns what the variable holds already: the same constant expression once more."""
    passes_on: bool = False
    """Whether the statement binds what another place holds: `best = state.params`."""
    restoring: int = 0
    """How many `finally` blocks around the code pass on what was saved before: they may put back anything."""
    restored: list[tuple[Frame, str]] = field(default_factory=list)
    """The attributes, as a function writes them, that a `finally` around its code sets again: they keep nothing."""
    assumptions: list[Assumption] = field(default_factory=list)
    """What the path rests on, the latest last."""
    undecided: int = 0
    """How many branches around the code are taken on a test whose outcome is not known."""
    guards: int = 0
    """How many branches around the code test for what is missing (`if x is None`): what they write is a first value."""
    failed: int = 0
    """How many branches around the code are decided by a tracer: tracing has failed there, so no effect follows."""
    own_rules: int = 0
    """How many functions with derivative rules of their own are running: JAX does not differentiate their bodies."""
    raising: int = 0
    """How many bodies around the code end in `raise`: their effects come before an error."""
    silenced: int = 0
    """How many tests around the code are evaluated once more, under an assumption: no event is emitted meanwhile."""
    untraced: bool = False
    """Whether the code stands under `jax.disable_jit()`: transforms run functions as they are."""
    modules: int = 0
    """How many modules of a library around the code run their methods by `apply` or `init`."""
    moves_on: int = 0
    """How many iterators of the project the code around moves on: that they count, or draw numbers, is how."""
    asked: str = ""
    """The attribute that is read of what is evaluated now: "tx" while `self.state` is read in `self.state.tx`."""
    walked: set[int] = field(default_factory=set)
    """The serials of the instances through whose fields a walk goes now (walks.py)."""
    statement: ir.Expr | None = None
    """The expression that is the latest statement made of an expression alone: nobody takes its value."""
    decorating: Span | None = None
    """The definition whose decorators are being applied."""

    def traced_calls(self) -> list[Frame]:
        """The functions that run within the outermost transformed one, outermost first."""
        return [frame for frame in self.frames if frame.depth > 0][1:]

    def is_after_failure(self) -> bool:
        """Whether tracing has failed already: a tracer decides a branch around the code, or raised in a `try`."""
        return self.failed > 0 or (bool(self.handlers) and self.handlers[-1].is_reached)

    def has_failed(self, frame: Frame) -> bool:
        """Whether a tracer has raised what the innermost handler catches, in this frame: what follows does not run."""
        return bool(self.handlers) and self.handlers[-1].is_reached and self.handlers[-1].frame is frame


class Position(NamedTuple):
    """Where execution stands: `Interpreter.enter_module` saves it, `return_to` restores it."""

    frame: Frame
    trace: Trace | None
    loops: tuple[int, ...]
    running_loops: list[Loop]
    root: Root | None
    handlers: list[Handler]
    decorating: Span | None
