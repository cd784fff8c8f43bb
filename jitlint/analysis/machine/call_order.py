"""What a run shows of the order in which compiled functions are called and what they have read is changed.

A function reads stale state only if it was traced before the change, and is called after it without being traced anew.
So evidence is a run in which both can be seen: `step(x)`, then `rate = 0.5`, then `step(x)` again. If a run ends before
the second call, another run may make it, as long as the function and the state outlive the first.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, NamedTuple

from jitlint.analysis.machine.state import Branch, StateProof, exclusive
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


class CallOrder:
    """Follows the calls of compiled functions, and the changes of what they have read, through the run of one root."""

    def __init__(self) -> None:
        self.proofs: dict[Hashable, StateProof] = {}
        """What was seen in any root, by state, holder and place of the change."""
        self._reads_of_bodies: dict[int, dict[_Read, None]] = {}
        """What was read while a body was traced, for whichever function: a call that is remembered does not run it."""
        self._reads: dict[State, dict[_Read, tuple[Branch, ...]]] = {}
        """What was read so far in this root, by state, with the branches that led there."""
        self._changed: dict[Compiled, dict[tuple[State, int, Place], tuple[Assumption, ...]]] = {}
        """What was changed since a compiled function read it, and what that rests on."""
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
        self._assumed.clear()
        self._oldest = newest
        self._repeats = repeats

    def called(self, compiled: Compiled, branches: tuple[Branch, ...]) -> None:
        """A compiled function is called: what was changed since it was traced is stale."""
        for (key, holder, place), assumptions in self._changed.pop(compiled, {}).items():
            self.proofs[key, holder, place] = StateProof(key, holder, place, True, assumptions)
        for read in self._reads_of_bodies.get(compiled.body, ()):
            of = read.holder_for(compiled)
            if of is not None:
                self._reads.setdefault(read.key, {}).setdefault(_Read(compiled, read.key, of), branches)

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
        self._reads.setdefault(key, {}).setdefault(read, branches)

    def changed(
        self, key: State, holder: int, place: Place, branches: tuple[Branch, ...], assumptions: tuple[Assumption, ...]
    ) -> None:
        """State is changed outside of any trace.

        Args:
            key: the identity of the state.
            holder: the serial of the instance that holds it; 0 if that may be any of its class.
            place: where it is changed.
            branches: the branches around the change.
            assumptions: what the running code rests on.
        """
        owner = key[:3] if key[0] == "attribute" else key[:1]
        for compiled, (assumption, taken) in self._assumed.get(owner, {}).items():
            if not exclusive(taken, branches):
                self._changed.setdefault(compiled, {})[key, 0, place] = (assumption,)
        for read, taken in self._reads.get(key, {}).items():
            if (holder and read.holder and holder != read.holder) or exclusive(taken, branches):
                continue
            same = assumptions if holder == read.holder else merged(assumptions, [_SAME])
            self._changed.setdefault(read.compiled, {})[key, read.holder, place] = same
            if self._repeats and read.compiled.lasting and self._is_older(key, read.holder):
                self.proofs.setdefault(
                    (key, read.holder, place),
                    StateProof(key, read.holder, place, False, merged(same, [_AGAIN])),
                )

    def _is_older(self, key: State, holder: int) -> bool:
        """Whether state was there before the root ran."""
        serial = key[3] if key[0] == "closure" else holder
        return isinstance(serial, int) and serial <= self._oldest
