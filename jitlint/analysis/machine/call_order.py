"""What a run shows of the order in which compiled functions are called and what they have read is changed.

A function reads stale state only if it was traced before the change, and is called after it without being traced anew.
So evidence is a run in which both can be seen: `step(x)`, then `rate = 0.5`, then `step(x)` again. If a run ends before
the second call, another run may make it, as long as the function and the state outlive the first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Hashable, Iterable, Iterator
from typing import Final, NamedTuple

from jitlint.analysis.machine.state import Branch, StateProof, exclusive
from jitlint.analysis.values import Const, Value
from jitlint.events.assumption import Assumption, AssumptionKind, merged
from jitlint.source.places import Place

GLOBALS: Final = ("global",)
"""The owner of all modules' variables."""


State = tuple[Hashable, ...]
"""The identity of a piece of state: the `key` of its reads and writes."""


_SAME: Final = Assumption(AssumptionKind.SAME_OBJECT, "it is the same object")
_AGAIN: Final = Assumption(AssumptionKind.CALLED_AGAIN, "the function is called again")


class Compiled(NamedTuple):
    """A function as a compile cache knows it: what it was traced for."""

    function: int
    """The identity of the function: a cache knows a plain function whenever it is transformed again."""
    receivers: tuple[int, ...]
    """The serials of the instances that it is bound to or gets as arguments."""
    body: int
    """The identity of the code that is traced."""
    lasting: bool
    """Whether it was there before the root ran, so that it can be called again after that."""


class Change(NamedTuple):
    """State is changed outside of any trace."""

    key: State
    """The identity of the state."""
    holder: int
    """The serial of the instance that holds it; 0 if that may be any of its class."""
    place: Place
    """Where it is changed."""
    branches: tuple[Branch, ...]
    """The branches around the change."""
    assumptions: tuple[Assumption, ...]
    """What the running code rests on."""


class _Changed(NamedTuple):
    """Some state was changed since a compiled function read it."""

    assumptions: tuple[Assumption, ...]
    """What that rests on."""
    for_a_while: bool
    """Whether the running function puts the old value back later."""


class _Read(NamedTuple):
    """A compiled function has read some state."""

    compiled: Compiled
    key: State
    holder: int

    def holder_for(self, other: Compiled) -> int | None:
        """The instance of which another function with the same body reads the state; None if that is not known."""
        mine, others = self.compiled.receivers, other.receivers
        if self.holder in mine and len(mine) == len(others):
            return others[mine.index(self.holder)]
        return self.holder if not self.holder or self.compiled.function == other.function else None


class _Set(NamedTuple):
    """State that has a value for a while."""

    value: Value
    reads: frozenset[_Read]
    """What had been read before it was set."""
    stays: Assumption
    """What a change rests on that is still there when the former value is."""


class CallOrder:
    """Follows the calls of compiled functions, and the changes of what they have read, through the run of one root."""

    def __init__(self) -> None:
        self.proofs: dict[Hashable, StateProof] = {}
        """What was seen in any root, by state, holder and place of the change."""
        self._reads_of_bodies: dict[int, dict[_Read, None]] = {}
        """What was read while a body was traced, for whichever function: a call that is remembered does not run it."""
        self._reads: dict[State, dict[_Read, tuple[Branch, ...]]] = {}
        """What was read so far in this root, by state, with the branches that led there."""
        self._changed: dict[Compiled, dict[tuple[State, int, Place], _Changed]] = {}
        """What was changed since a compiled function read it."""
        self._given: dict[Compiled, set[Hashable]] = {}
        """The arguments that a compiled function was called with so far, by their keys."""
        self._set: dict[tuple[State, int], _Set] = {}
        """State that has a value for a while."""
        self._seen: dict[_Read, Value | None] = {}
        """The value that a read saw which was set for a while."""
        self._left: list[Change] | None = None
        """What the context manager puts back that is being entered; None if none is."""
        self._assumed: dict[State, dict[Compiled, tuple[Assumption, tuple[Branch, ...]]]] = {}
        """Functions that are not known and may have read some state, by the owner of the state: what each rests on,
        and the branches that led to it."""
        self._oldest = 0
        """The serial of the youngest object that was there before the root ran."""
        self._repeats = False
        """Whether the root may run more than once, as a function does and a module's top level does not."""

    def begin(self, newest: int, *, repeats: bool) -> None:
        """A root begins: what ran before it has no known order with it.

        Args:
            newest: the serial of the youngest object so far.
            repeats: whether the root may run more than once.
        """
        self._reads.clear()
        self._changed.clear()
        self._given.clear()
        self._set.clear()
        self._seen.clear()
        self._assumed.clear()
        self._oldest = newest
        self._repeats = repeats

    def called(self, compiled: Compiled, branches: tuple[Branch, ...], given: Hashable = None) -> None:
        """A compiled function is called: what was changed since it was traced is stale.

        With arguments that it did not have before (`given` is their key, None if that is not known) it may be traced
        anew: under a value that is set for a while, that is what code wants.
        """
        before = self._given.setdefault(compiled, set())
        anew = given is not None and bool(before) and given not in before
        before.add(given)
        for (key, holder, place), change in self._changed.pop(compiled, {}).items():
            if not (anew and change.for_a_while):
                self.proofs[key, holder, place] = StateProof(key, holder, place, True, change.assumptions)
        for read in self._reads_of_bodies.get(compiled.body, ()):
            of = read.holder_for(compiled)
            if of is not None:
                self._note(_Read(compiled, read.key, of), branches)

    def may_be_called(self, function: int, owner: State, assumption: Assumption, branches: tuple[Branch, ...]) -> None:
        """Something is called that is not known: it may be a compiled function, and have read any state of an owner.

        Args:
            function: the identity of what is called.
            owner: the beginning of the keys of the state: `GLOBALS`, or a class's.
            assumption: what that rests on.
            branches: the branches around the call.
        """
        compiled = Compiled(function, (), 0, lasting=False)
        self.called(compiled, branches)
        self._assumed.setdefault(owner, {}).setdefault(compiled, (assumption, branches))

    def read(self, compiled: Compiled, key: State, holder: int, branches: tuple[Branch, ...]) -> None:
        """A compiled function reads state while it is traced."""
        read = _Read(compiled, key, holder)
        self._reads_of_bodies.setdefault(compiled.body, {})[read] = None
        self._note(read, branches)

    def _note(self, read: _Read, branches: tuple[Branch, ...]) -> None:
        """Notes a read, and the value that it sees if that is set for a while. What is traced is not read again."""
        self._reads.setdefault(read.key, {}).setdefault(read, branches)
        held = self._set.get((read.key, read.holder))
        self._seen.setdefault(read, None if held is None else held.value)

    def set_for_a_while(self, change: Change, value: Value, stays: Assumption) -> None:
        """State gets a value, and the running function puts the old one back later: `changed`, but for who saw that.

        Args:
            change: the change.
            value: the new value.
            stays: what a change rests on that is still there when the function has put the old value back.
        """
        reads = frozenset(self._reads.get(change.key, ()))
        self._set[change.key, change.holder] = _Set(value, reads, stays)
        same = [read for read in reads if _is_same(self._seen.get(read), value)]
        self._forget_changes(change.key, same)
        self._change(change, [read for read in reads if read not in same], stays)

    @contextlib.contextmanager
    def entering(self) -> Iterator[list[Change]]:
        """A context manager is entered. What its generator puts back, which runs at once, is put back at its end.

        Gives the arguments for `put_back`.
        """
        outer, self._left = self._left, []
        try:
            yield self._left
        finally:
            self._left = outer

    @property
    def is_entering(self) -> bool:
        """Whether a context manager is being entered."""
        return self._left is not None

    def put_back(self, change: Change) -> None:
        """State has its former value again: who saw that may be called again, and who saw the other one may not."""
        if self._left is not None:
            self._left.append(change)
            return
        held = self._set.pop((change.key, change.holder), None)
        if held is None:
            return
        self._forget_changes(change.key, held.reads)
        since = [read for read in self._reads.get(change.key, ()) if read not in held.reads]
        self._change(change, [read for read in since if self._seen.get(read) is held.value], held.stays)

    def _forget_changes(self, key: State, reads: Iterable[_Read]) -> None:
        """What some have read has the value again that they saw."""
        for read in reads:
            pending = self._changed.get(read.compiled, ())
            for changed in [each for each in pending if each[:2] == (key, read.holder)]:
                del self._changed[read.compiled][changed]

    def changed(self, change: Change) -> None:
        """State is changed outside of any trace."""
        self._change(change, self._reads.get(change.key, {}), None)

    def _change(self, change: Change, reads: Collection[_Read], stays: Assumption | None) -> None:
        """Notes a change of what some have read."""
        key, holder, place, branches, assumptions = change
        owner = key[:3] if key[0] == "attribute" else key[:1]
        for compiled, (assumption, taken) in self._assumed.get(owner, {}).items():
            if not exclusive(taken, branches):
                self._changed.setdefault(compiled, {})[key, 0, place] = _Changed((assumption,), stays is not None)
        for read in reads:
            taken = self._reads[key][read]
            if (holder and read.holder and holder != read.holder) or exclusive(taken, branches):
                continue
            same = assumptions if holder == read.holder else merged(assumptions, [_SAME])
            pending = self._changed.setdefault(read.compiled, {})
            pending[key, read.holder, place] = _Changed(same, stays is not None)
            if self._repeats and read.compiled.lasting and self._is_older(key, read.holder):
                self.proofs.setdefault(
                    (key, read.holder, place),
                    StateProof(key, read.holder, place, False, merged(same, [_AGAIN, *([stays] if stays else [])])),
                )

    def _is_older(self, key: State, holder: int) -> bool:
        """Whether state was there before the root ran."""
        serial = key[3] if key[0] == "closure" else holder
        return isinstance(serial, int) and serial <= self._oldest


def _is_same(seen: Value | None, value: Value) -> bool:
    """Whether two values are the same, or may be: one object, or equal constants."""
    if isinstance(seen, Const) and isinstance(value, Const):
        return (type(seen.value), seen.value) == (type(value.value), value.value)
    return seen is value
