"""The vocabulary that predictions and observations share: what can happen while JAX traces a program."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from jitlint.events.assumption import SURENESS, Assumption, AssumptionKind, Confidence, confidence_of
from jitlint.source.places import Place, Step
from jitlint.source.purpose import runs_once

LARGE_CONSTANT: Final = 1_000_000
"""An array of at least this many elements (4 MB of float32) is too large to be a constant of a compiled program."""


PUT_OUT: Final = frozenset({"output", "log", "debug", "warning"})
"""The categories of effects that only tell people something."""


class EventKind(enum.StrEnum):
    """What happens at a place. `Event.construct` says by which construct, in the words given here."""

    BOOL = "bool"
    """`bool()` of a tracer. if, while, assert, ternary, and, or, not, comparison-chain, comprehension, in, match, bool,
    or the builtin that decides: any, all, min, max, sorted, sort, filter. detail: leaves="loop" if what an `if`
    decides is whether the loop around it is left."""
    UNROLLED = "unrolled"
    """A Python loop in traced code: its body is recorded in every round. for, comprehension. detail: over (array: the
    leading axis of a tracer; range), body (the line where the body begins)."""
    INDEX = "index"
    """`operator.index()` of a tracer. range, or the indexed thing: list, tuple, str, or the function that wants it."""
    HASH = "hash"
    """`hash()` of a tracer. dict, set, hash, lru_cache."""
    CONVERT = "convert"
    """A Python number from a tracer. int, float, complex, .item, .tolist, round …"""
    HOST = "host"
    """A tracer given to a function that computes on the host: its qualified name (numpy.clip, math.sqrt)."""
    HOST_METHOD = "host-method"
    """A method or attribute that tracers lack: .block_until_ready, .devices …"""
    FORMAT = "format"
    """A format specification applied to a tracer: f-string, format, %. Or a text that shows a tracer, where something
    is looked up by it: getattr, dict."""
    IDENTITY = "identity"
    """`is True` or `is False` of a tracer, which is neither. is, is not. detail: other (True or False)."""
    TEXT = "text"
    """The text or the values of a function that formats them at run time (`jax.debug.print`). text: the text shows a
    tracer already; value: a tracer stands for the text; unused: the text has no place for a value."""
    SHAPE = "shape"
    """A tracer where a size, shape, axis or count must be concrete: the function's qualified name or `.method`.
    detail: parameter; from_shape="yes" if jnp computed the tracer from static shapes alone."""
    SLICE = "slice"
    """A tracer as a bound of a slice."""
    MASK_INDEX = "mask-index"
    """A traced boolean array as an index. detail: write="yes" under `.at`."""
    DATA_SHAPE = "data-shape"
    """A function whose output shape depends on values: its qualified name. detail: option, if one would fix it."""
    JIT_CREATED = "jit-created"
    """A transform applied to a new function object again and again: lambda, partial, local function, bound method, or
    the transform that made it. detail: transform; name (of the function inside); where=loop (in a loop) or call (in a
    function called in a loop); own (why each round needs a program of its own, in a word: options, object, function,
    kept, sizes, trivial, exception; "" if one would do)."""
    STATIC_VALUE = "static-value"
    """A static argument that cannot serve as a cache key or never hits: list, dict, set, array, tracer, object,
    lambda, function, partial, bound method (of a new object), instance (hashed by its identity), loop variable;
    or a static attribute that each call changes: counter. detail: parameter, function (of a library, if one is called);
    attribute, class."""
    VARYING_SHAPE = "varying-shape"
    """An argument of a jitted function has another shape in each round of a loop: growth (the loop makes it longer) or
    size (its length follows the loop's counter). detail: parameter."""
    KEPT_COMPILED = "kept-compiled"
    """A compiled function is kept under a key, and calls with the same key differ in what it captures: item, attribute
    or global, where it is kept. detail: left_out (the variable, or attribute of one, that the key leaves out), kept
    (where it is kept, as that is written)."""
    STATIC_FIELD = "static-field"
    """Two objects with different arrays in a static field are passed to the same function: array. detail: class,
    attribute."""
    STATIC_NAME = "static-name"
    """A static_argnums/static_argnames entry that names no parameter, a donate_ entry that names a static one,
    or an option given by position, where the transform takes none. detail: option, entry, static="yes" or
    by_position="yes" for the latter two."""
    STATE_READ = "state-read"
    """A traced body reads state that is changed elsewhere: global, closure, attribute, container. detail: name,
    writer (path:line of a change)."""
    STATE_WRITE = "state-write"
    """A traced body rebinds outer state: global, nonlocal, attribute, item. detail: name; mapped="yes" if the trace has
    no compile cache, but maps over examples."""
    ARGUMENT_WRITE = "argument-write"
    """A traced function changes an argument, of which it has a copy: item, attribute, or the method (.append); or a
    variable that an object holds which it has a copy of: variable. detail: name, parameter, made (how, if it did)."""
    LEAK = "leak"
    """A tracer stored where it outlives the trace: append, item, attribute, global, nonlocal, lru_cache,
    cached_property … detail: name."""
    EFFECT = "effect"
    """A host effect that happens once, at trace time: the function's qualified name. detail: category=output, log,
    debug (a log that is off by default), warning, clock, random, file, environment or input; shows=tracer if a tracer,
    or a text that shows one, is put out, neighbour if the statement before or after it does, or changes state."""
    SWALLOWED = "swallowed"
    """A handler around traced code catches the error of a tracer, so that its fallback is what every call does. The
    construct is that of the error's own event. detail: kind (of that event), handler (its text)."""
    INPLACE = "in-place"
    """In-place change of a JAX array: item, or the function that does it."""
    FROZEN = "frozen"
    """Attribute assignment on an immutable pytree class. detail: class, attribute."""
    ITERATOR_ARGUMENT = "iterator-argument"
    """An iterator passed to a transformed function: generator, iter, zip, map, filter, enumerate, reversed, file,
    range, view. detail: parameter."""
    ITERATOR_NEXT = "iterator-next"
    """A traced body consumes an iterator made outside of it: next, for, or the function that consumes."""
    ITERATOR_RESULT = "iterator-result"
    """A transformed function that is a generator or returns an iterator: generator, or as above."""
    INVALID_ARGUMENT = "invalid-argument"
    """An argument of a transformed function that is no JAX type: str, bytes, set, function, object, slice …
    detail: parameter."""
    INVALID_RESULT = "invalid-result"
    """A transformed function returns something that is no JAX type: str, function, object, dtype …"""
    NO_RESULT = "no-result"
    """A transformed function computes something and returns None: the transform's name. detail: fails="yes" if the
    transform needs a result."""
    CARRY = "carry"
    """The carry of a loop comes out of the body with another structure, shape or dtype: the function's qualified name
    (jax.lax.scan …). detail: difference (in words: "a tuple becomes a list", "float becomes int", …)."""
    BRANCHES = "branches"
    """The branches of a conditional give different structures, shapes or dtypes, or cannot take the operands: its
    qualified name. detail: difference; or fault, if one cannot be traced at all, with remedy="loop" for recursion."""
    OPEN_LOOP = "open-loop"
    """A derivative goes backwards through a loop whose number of rounds is not known: the transform's name."""
    GRADIENT = "gradient"
    """A gradient that JAX refuses: the transform's name. detail: given (in words), and parameter if an argument is at
    fault, and not the result."""
    DERIVATIVE_RULE = "derivative-rule"
    """A rule of a `custom_jvp` or `custom_vjp` function takes or returns something else than JAX asks of it: the
    transform's name. detail: fault (in words)."""
    PREDICATE = "predicate"
    """The condition of a `while_loop` does not give a boolean scalar. detail: given (its dtype or structure)."""
    BODY_RESULT = "body-result"
    """The body of a scan does not return a pair: the function's qualified name. detail: given (in words)."""
    BODY_ORDER = "body-order"
    """The body of a loop uses the counter, a scalar, as it can use the carry only: the function's qualified name.
    detail: or takes and gets, if it takes another number of arguments than it gets."""
    SELECTOR = "selector"
    """What chooses a branch has the wrong type: jax.lax.cond (a boolean or number), jax.lax.switch (an integer).
    detail: given (in words)."""
    BOUNDS = "bounds"
    """The bounds of a `fori_loop` have different dtypes. detail: difference."""
    LENGTHS = "lengths"
    """The leading axes of what is scanned or mapped over differ. detail: difference; or rank and axis, of an argument
    that lacks the axis."""
    TREES = "trees"
    """Trees that are mapped over together differ in structure: the function's qualified name. detail: difference."""
    AXIS_NAME = "axis-name"
    """A collective over an axis whose name no transform binds: its qualified name. detail: axis."""
    DONATED = "donated"
    """A donated buffer is used after the call that it was donated to: read, or passed (again or twice). detail:
    parameter (that donates it), donated (path:line of the call)."""
    KEY_REUSED = "key-reused"
    """A key of random numbers is used up once more: again, or loop (in each round of one). detail: used (path:line of
    the first use), checked="yes" if it is one of `jax.random.key` in traced code."""
    DISCARDED = "discarded"
    """A statement computes a value that nobody takes: the pure function, or `.method`, `.at[].method`."""
    CONSTANT = "constant"
    """A large array that is no argument becomes a constant of the compiled program: array. detail: elements (at least
    so many)."""
    OPERAND_DTYPES = "operand-dtypes"
    """`lax` operands of different dtypes: the function's qualified name. detail: dtypes."""

    SUPPRESSION = "suppression"
    """A comment that leaves out no finding: ignore, noqa. It is no event of the program."""

    # What follows is never predicted: `--verify=all` observes it. `construct` is the exception's type where one was
    # raised; detail: message, devices (those on which it happens), source (where the inputs are from).

    FAILS_TO_TRACE = "fails-to-trace"
    """An entry point cannot be traced."""
    FAILS_TO_LOWER = "fails-to-lower"
    """An entry point traces, but has no program for a device: an operation or dtype that its platform lacks."""
    FAILS_TO_COMPILE = "fails-to-compile"
    """An entry point's program is refused by a device's compiler."""
    DOES_NOT_FIT = "does-not-fit"
    """An entry point needs more memory than a device has."""
    COMPILED_CONSTANT = "compiled-constant"
    """A compiled program holds a large array: its dtype and shape. detail: bytes."""
    DONATION_UNUSED = "donation-unused"
    """A donated buffer has no result that could take its place. detail: message."""
    PRECISION_LOST = "precision-lost"
    """A dtype of 64 bits is asked for and silently replaced. detail: message."""
    DIFFERS_FROM_EAGER = "differs-from-eager"
    """Under jit the result is another than without. detail: difference."""


class Entry(NamedTuple):
    """Where a transform is applied to a function.

    `transform` is the qualified name of the outermost transform that takes values away ("jax.jit"; of
    `jax.vmap(jax.jit(f))` it is "jax.vmap"); `function` the traced function as "module:qualname", "" if it has no such
    name.
    """

    place: Place
    transform: str
    function: str = ""


class Root(NamedTuple):
    """From where the interpreter reached an event: what to run to see it happen.

    `module` is the dotted name, `path` its file; `qualname` an attribute path from the module (a function, a method, or
    a name bound to a transformed function), "" for the module's own top level. `calls` are the argument lists, as
    source text "(x, n=3)", with which the module's own top level calls it.
    """

    path: str
    module: str
    qualname: str
    calls: tuple[str, ...] = ()


class Incomplete(NamedTuple):
    """A function, or a module's top level, that was not followed to its end: its file, its dotted name, and why."""

    path: str
    symbol: str
    reason: str


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens while tracing, predicted by the analyzer.

    `place` is the smallest expression that fails, `symbol` the dotted name of the function around it, `subject` the
    source text of the value that matters (shortened), `origin` in words why it is traced ("argument `x` of `step`"),
    `flow` the steps from the source to the place, source first. `assumptions` are what the prediction rests on;
    `run_by` are the test files that run into it in any case.
    """

    kind: EventKind
    place: Place
    construct: str
    subject: str = ""
    origin: str = ""
    symbol: str = ""
    entry: Entry | None = None
    root: Root | None = None
    flow: tuple[Step, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    detail: Mapping[str, str] = field(default_factory=dict)
    run_by: frozenset[str] = frozenset()

    @property
    def key(self) -> Hashable:
        """What tells events apart: how they are predicted does not."""
        return self.kind, self.place, self.construct

    @property
    def confidence(self) -> Confidence:
        """How sure the prediction is."""
        return confidence_of(self.assumptions)


def keep_better(found: dict[Hashable, Event], event: Event) -> bool:
    """Adds an event to those that were found, unless one as sure, that shows as much, is known of the place; whether it
    did.

    The tests that run it are those of both.
    """
    key = event.key
    known = found.get(key)
    better = known is None or _weight(event) > _weight(known)
    best = event if known is None or better else known
    run_by = event.run_by if known is None else known.run_by | event.run_by
    found[key] = best if best.run_by == run_by else replace(best, run_by=run_by)
    return better


def _weight(event: Event) -> tuple[int, bool, bool, int]:
    shared = event.detail.get("own") == ""
    in_program = shared and not runs_once(event.flow[-1].place.path)
    typed = sum(len(each.text) for each in event.assumptions if each.kind is AssumptionKind.COMMAND_LINE)
    return SURENESS[event.confidence], bool(event.detail.get("shows")) or shared, in_program, -typed
