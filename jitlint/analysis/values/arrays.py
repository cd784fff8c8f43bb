"""Arrays: of NumPy, of JAX, and tracers; and what differs from one round of a loop to the next."""

from __future__ import annotations

from typing import Any, NamedTuple

from jitlint.analysis.values.base import Static, Unknown, Value
from jitlint.analysis.values.flow import Flow
from jitlint.project.modules import Module
from jitlint.source.places import Span


class Rounds(NamedTuple):
    """What takes another value in each round of a loop: which loop, and an expression of its counter in words."""

    loop: int
    formula: str


class LoopCounter(Static):
    """An int that differs in each round of a loop: an element of a range or of an enumeration, or computed of one."""

    __slots__ = ("rounds",)

    def __init__(self, rounds: Rounds) -> None:
        super().__init__("int")
        self.rounds = rounds


class ResizedInLoop(Unknown):
    """A sequence or array of unknown kind, of another length in each round of a loop."""

    __slots__ = ("rounds",)

    def __init__(self, rounds: Rounds) -> None:
        self.rounds = rounds

    def with_new_identity(self) -> Value:
        return ResizedInLoop(self.rounds)


Lead = tuple[object, int]
"""The length of a leading axis: a symbol (None: nothing; Rounds: another one in each round) plus a number."""


class Array(Value):
    """What is known of any array.

    `dtype` is bool, int, float, complex, key, str, "number" (any but bool) or None; `rank` its rank or None. `weak` if
    it came of Python numbers alone, so that its dtype gives way; `lead` the length of its leading axis, if comparable;
    `exact` its dtype's own name ("float16") where it was cast to it, else ""; `least` a number of elements that it has
    at least.
    """

    __slots__ = ("dtype", "rank", "weak", "lead", "exact", "least")

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
        self.rank = rank
        self.weak = weak
        self.lead = lead
        self.exact = exact
        self.least = least

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.dtype}, {self.rank})"


class HostArray(Array):
    """A NumPy array or scalar."""

    __slots__ = ()


class JaxArray(Array):
    """A JAX array that has its value."""

    __slots__ = ()

    def with_new_identity(self) -> Value:
        return JaxArray(self.dtype, self.rank, self.weak, self.lead, self.exact, self.least)


class Traced(Array):
    """A tracer, or a pytree of tracers.

    `depth` is the depth of the trace that it belongs to. `concrete` tracers (eager differentiation) still have their
    value. `tree` ones may be any pytree: structure unknown, leaves traced; `container` ones among them are no array.
    `from_shape` ones were computed by JAX from static values alone. `param` is the name of the transformed function's
    parameter that it is, unchanged. `outer` is a tracer of an enclosing trace on which it depends: what it is outside
    of its own.
    """

    __slots__ = ("depth", "concrete", "tree", "container", "from_shape", "flow", "param", "outer")

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
    ) -> None:
        super().__init__(dtype, rank, weak, lead, exact)
        self.flow = flow
        self.depth = depth
        self.concrete = concrete
        self.tree = tree
        self.container = container
        self.from_shape = from_shape
        self.param = param
        self.outer = outer

    def outer_tracer(self, depth: int) -> Traced | None:
        """What it depends on below a trace depth; None if nothing there."""
        found: Traced | None = self
        while found is not None and found.depth >= depth:
            found = found.outer
        return found

    def replace(self, **changes: Any) -> Traced:
        """A copy with other attributes. With another dtype, the exact one is not known."""
        if "dtype" in changes:
            changes.setdefault("exact", "")
        copy = self.copy()
        for name, value in changes.items():
            setattr(copy, name, value)
        return copy

    def copy(self) -> Traced:
        """A copy, to be changed before anything else knows it."""
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
        )
        copy.least = self.least
        return copy

    def with_step(self, module: Module, span: Span, note: str) -> Traced:
        """What it is after one step more of its flow."""
        flow = self.flow.then(module, span, note)
        if flow is self.flow:
            return self
        copy = self.copy()
        copy.flow = flow
        return copy

    def element_tracer(self, **changes: Any) -> Traced:
        """What is in it."""
        copy = self.replace(**changes)
        copy.param, copy.container = "", False
        return copy
