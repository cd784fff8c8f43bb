"""Arrays (of NumPy, of JAX, and tracers), and loop-variant values: what differs from one round of a loop to the next.

A loop counter as a static argument, or an array whose length follows one, makes `jax.jit` compile anew in each round.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from jitlint.analysis.values.base import STR, Static, Unknown, Value
from jitlint.analysis.values.flow import Flow
from jitlint.project.modules import Module
from jitlint.source.places import Span

_IN_MANY = "in many rounds another"
_LONGEST = "longest at "
"""Formulas of numbers of which no more is known."""


class Rounds(NamedTuple):
    """How a number or a length follows the rounds of a loop, so that two of them can be compared.

    `i` in `for i in range(n)` has the formula "i", and `xs[:i]` is as long as the formula "0:i" says.
    """

    loop: int
    """The loop's identity (`Loop.identity`)."""
    formula: str
    """An expression of the loop's counter, or "grows" (`rounds.GROWS`); equal formulas mean equal values."""

    @property
    def is_of_longest(self) -> bool:
        """Whether it depends on the length of the longest of several things (`LoopCounter.of_longest`)."""
        return _LONGEST in self.formula


NO_LOOP = 0
"""The identity of no loop."""


class LoopCounter(Static):
    """A number that differs from round to round of a loop: `i` in `for i in range(n)`, and `i + 1`.

    A text that shows one does, too: `f"layer{i}"`.
    """

    __slots__ = ("each", "rounds")

    def __init__(self, rounds: Rounds, kind: str = "int", *, each: bool = True) -> None:
        super().__init__(kind)
        self.rounds = rounds
        """The loop, and how the number follows its counter."""
        self.each = each
        """Whether it is another one in each round, and not only in some: `i // 10`, `min(i, most)`."""

    @classmethod
    def in_many_rounds(cls, loop: int, kind: str) -> LoopCounter:
        """A number that differs in many rounds of a loop, but not in each: in the first it is what it was before."""
        return cls(Rounds(loop, _IN_MANY), kind, each=False)

    @classmethod
    def of_series(cls, kind: str) -> LoopCounter:
        """Any of many numbers that differ: in a loop over them it is another one in each round."""
        return cls(Rounds(NO_LOOP, _IN_MANY), kind, each=False)

    @classmethod
    def of_longest(cls, loop: int, place: str) -> LoopCounter:
        """The length of the longest of several things, which a round of a loop asks for at a place."""
        return cls(Rounds(loop, f"{_LONGEST}{place}"), each=False)

    @property
    def has_many_values(self) -> bool:
        """Whether it takes about as many values as the loop has rounds."""
        return self.each or self.rounds.formula == _IN_MANY


class Dtype(Static):
    """The dtype of an array of which something is known: `x.dtype`."""

    __slots__ = ("dtype", "exact")

    def __init__(self, dtype: str, exact: str) -> None:
        super().__init__("dtype")
        self.dtype = dtype
        """Its kind, as an array has it."""
        self.exact = exact
        """Its exact name, as an array has it."""


class TracerText(Static):
    """A text that shows a tracer: `f"loss {loss}"` while tracing."""

    __slots__ = ("tracer",)

    def __init__(self, tracer: Traced) -> None:
        super().__init__("str")
        self.tracer = tracer
        """The tracer."""


class TreeStructure(Static):
    """What `jax.tree.flatten` and `jax.tree.structure` say of a pytree, so that `unflatten` makes another like it."""

    __slots__ = ("tree",)

    def __init__(self, tree: Value) -> None:
        super().__init__("object")
        self.tree = tree
        """A pytree of that structure, without tracers."""


def text_of(values: Iterable[Value]) -> Static:
    """A text that is made of some values: it shows the first tracer among them, else differs as the first counter."""
    given = tuple(values)
    for value in given:
        if isinstance(value, TracerText):
            return value
        if isinstance(value, Traced):
            return TracerText(value)
    counters = (value for value in given if isinstance(value, LoopCounter))
    return next((LoopCounter(counter.rounds, "str", each=counter.each) for counter in counters), STR)


class ResizedInLoop(Unknown):
    """An unknown value whose length differs in each round of a loop: `text[:i]` of an unknown `text`."""

    __slots__ = ("rounds",)

    def __init__(self, rounds: Rounds) -> None:
        self.rounds = rounds
        """The loop, and how the length follows its counter."""

    def with_new_identity(self) -> Value:
        return ResizedInLoop(self.rounds)


Lead = tuple[object, int]
"""The length of a leading axis, as a symbol plus a number: two lengths with the same symbol can be compared.

`(None, 3)` is 3. `(s, 0)` is the length of an argument whose place and name are `s`, and `(s, -1)` is one less, as that
of `x[1:]`. `(Rounds(…), 0)` is a length that differs in each round of a loop.
"""


class Array(Value):
    """What is known of any array."""

    __slots__ = ("dtype", "rank", "weak", "lead", "exact", "least", "whole", "mixed")

    def __init__(
        self,
        dtype: str | None = None,
        rank: int | None = None,
        weak: bool = False,
        lead: Lead | None = None,
        exact: str = "",
        least: int = 0,
    ) -> None:
        self.dtype = dtype
        """The dtype's kind: bool, int, float, complex, key, str or "number" (any but bool); None if not known."""
        self.rank = rank
        """The number of axes; None if not known."""
        self.weak = weak
        """Whether it has JAX's weak type: it comes from Python numbers alone, so that its dtype gives way to others."""
        self.lead = lead
        """The length of the leading axis; None if it cannot be compared with others."""
        self.exact = exact
        """The name of the dtype ("float16"), where the code names it; else ""."""
        self.least = least
        """A number of elements that it has at least: large arrays must not become constants of a program."""
        self.whole: tuple[object, int] | None = None
        """Of whose shape it is, and how many arrays were added along some axis; None if that is not known.

        The first is the symbol of an argument, or `Rounds`: another shape in each round of a loop. Outside of traces,
        it may be what was joined, and the number says how often that was done.
        """
        self.mixed: tuple[tuple[str, bool], ...] = ()
        """The kinds of its dtype on two paths that were joined, where they differ, each with whether it is weak."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.dtype}, {self.rank})"


class HostArray(Array):
    """A NumPy array or scalar: it lives on the host, so its values are known while tracing."""

    __slots__ = ("series",)

    def __init__(
        self,
        dtype: str | None = None,
        rank: int | None = None,
        weak: bool = False,
        lead: Lead | None = None,
        exact: str = "",
        least: int = 0,
        series: bool = False,
    ) -> None:
        super().__init__(dtype, rank, weak, lead, exact, least)
        self.series = series
        """Whether it has one axis, along which each of many numbers is another one: `np.linspace(0.0, 1.0, n)`."""


class JaxArray(Array):
    """A JAX array that is no tracer: it has its values, and can be donated."""

    __slots__ = ()

    def with_new_identity(self) -> Value:
        copy = JaxArray(self.dtype, self.rank, self.weak, self.lead, self.exact, self.least)
        copy.mixed = self.mixed
        return copy


class Traced(Array):
    """A tracer, or a pytree of unknown structure with tracers for leaves."""

    __slots__ = ("depth", "concrete", "tree", "container", "from_shape", "flow", "param", "outer", "axes")

    def __init__(
        self,
        flow: Flow,
        depth: int,
        *,
        dtype: str | None = None,
        rank: int | None = None,
        concrete: bool = False,
        tree: bool = False,
        container: bool = False,
        from_shape: bool = False,
        param: str = "",
        weak: bool = False,
        lead: Lead | None = None,
        outer: Traced | None = None,
        exact: str = "",
        axes: int = 0,
        whole: Lead | None = None,
    ) -> None:
        super().__init__(dtype, rank, weak, lead, exact)
        self.flow = flow
        """Why it is traced, and how it came here."""
        self.depth = depth
        """The depth of the trace that it belongs to: 1 for the outermost."""
        self.concrete = concrete
        """Whether it has its value all the same, as under eager differentiation: Python can decide by it."""
        self.tree = tree
        """Whether it may be any pytree, not only an array: an argument of which nothing is known."""
        self.container = container
        """Whether it is no array but a container of tracers: the code has asked for its type or its parts."""
        self.from_shape = from_shape
        """Whether only static values went into it: `jnp.prod(jnp.array(x.shape))`, where NumPy would do.

        What a framework makes, `self.param(…)`, counts as such, too.
        """
        self.param = param
        """The name of the transformed function's parameter that it is, unchanged; "" if it is none."""
        self.outer = outer
        """A tracer of an enclosing trace on which it depends: the `grad` within a `jit` gives it back as that one's."""
        self.axes = axes
        """A number of axes that it has at least, where its rank is not known, if it is an array: `x[1:]` has one."""
        self.whole = whole

    def outer_tracer(self, depth: int) -> Traced | None:
        """The innermost tracer that it depends on (or is) of a trace outside of `depth`; None if there is none."""
        tracer: Traced | None = self
        while tracer is not None and tracer.depth >= depth:
            tracer = tracer.outer
        return tracer

    def replace(self, **changes: Any) -> Traced:
        """A copy with other attributes.

        Unless they are given, a new `dtype` clears `exact` and `mixed`, and a new `rank` `axes` and `whole`.
        """
        if "dtype" in changes:
            changes.setdefault("exact", "")
            changes.setdefault("mixed", ())
        if "rank" in changes:
            changes.setdefault("axes", 0)
            changes.setdefault("whole", None)
        copy = self.copy()
        for name, value in changes.items():
            setattr(copy, name, value)
        return copy

    def copy(self) -> Traced:
        """A copy that the caller may change, as long as nothing else refers to it."""
        copy = Traced(
            self.flow,
            self.depth,
            dtype=self.dtype,
            rank=self.rank,
            concrete=self.concrete,
            tree=self.tree,
            container=self.container,
            from_shape=self.from_shape,
            param=self.param,
            weak=self.weak,
            lead=self.lead,
            outer=self.outer,
            exact=self.exact,
            axes=self.axes,
            whole=self.whole,
        )
        copy.least, copy.mixed = self.least, self.mixed
        return copy

    def with_step(self, module: Module, span: Span, note: str) -> Traced:
        """The tracer after one more step of its flow."""
        flow = self.flow.then(module, span, note)
        if flow is self.flow:
            return self
        copy = self.copy()
        copy.flow = flow
        return copy

    def element_tracer(self, **changes: Any) -> Traced:
        """A tracer for a part of it: neither a parameter itself, nor known to be a container."""
        copy = self.replace(**{"axes": 0, "whole": None, **changes})
        copy.param, copy.container = "", False
        return copy
