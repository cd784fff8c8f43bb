"""The store: every change of an abstract object goes through it, so that branches can be undone and joined.

Branches run one after the other on the same objects. Each runs under a log of what it changed; its changes are then
captured and undone, and at the end the changes of all branches that go on are joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from jitlint.analysis.values import HeapObject, Value, newest_serial
from jitlint.analysis.values.joins import join

Location = tuple[int, Any]
Change = tuple[HeapObject, Any, Any]

Changes = dict[Location, Change]
"""Per location: the object, the key, and the value (in a log: the old one; in captured changes: the new one)."""


class Missing:
    """The value of a key that is not there."""


MISSING: Final[Any] = Missing()
NO_SERIAL: Final = 1 << 62


class Store:
    """A stack of logs over the fields of all heap objects.

    A log does not hold objects younger than itself: no other branch knows them. `oldest` is the age of the oldest
    object written to since it was last set: a call that writes only to what it made itself has no effect.
    `branches` are the choices around what runs, and which alternative of each it is.
    """

    def __init__(self) -> None:
        self._logs: list[Changes] = []
        self._starts: list[int] = []
        self.oldest_written = NO_SERIAL
        self._choices = 0
        self.branches: list[tuple[int, int]] = []

    @property
    def mark(self) -> int:
        """How many logs are open."""
        return len(self._logs)

    def set(self, target: HeapObject, key: Any, value: Any) -> None:
        """Writes one field of an object."""
        if target.serial < self.oldest_written:
            self.oldest_written = target.serial
        self.narrow(target, key, value)

    def narrow(self, target: HeapObject, key: Any, value: Any) -> None:
        """Knows more of what a field holds, which is no effect of the code that runs."""
        fields = target.fields
        serial = target.serial
        if self._logs and serial <= self._starts[-1]:
            log = self._logs[-1]
            location = (id(fields), key)
            if location not in log:
                log[location] = (target, key, fields.get(key, MISSING))
        fields[key] = value

    def open(self) -> None:
        """Begins a log."""
        self._logs.append({})
        self._starts.append(newest_serial())

    def commit(self) -> None:
        """Ends the latest log and keeps its changes."""
        log = self._logs.pop()
        self._starts.pop()
        if self._logs:
            outer, start = self._logs[-1], self._starts[-1]
            for location, entry in log.items():
                if entry[0].serial <= start:
                    outer.setdefault(location, entry)

    def commit_to(self, mark: int) -> None:
        """Ends logs until `mark` are open, keeping their changes."""
        while len(self._logs) > mark:
            self.commit()

    def rollback(self) -> Changes:
        """Ends the latest log, undoes its changes, and gives them."""
        log = self._logs.pop()
        self._starts.pop()
        changes: Changes = {}
        for location, (target, key, old) in log.items():
            fields = target.fields
            changes[location] = (target, key, fields.get(key, MISSING))
            if old is MISSING:
                fields.pop(key, None)
            else:
                fields[key] = old
        return changes

    def since(self, mark: int) -> Changes:
        """What differs now from when `mark` logs were open, without undoing it."""
        changes: Changes = {}
        for log in self._logs[mark:]:
            for location, (target, key, _) in log.items():
                if location not in changes:
                    changes[location] = (target, key, target.fields.get(key, MISSING))
        return changes

    def old_since(self, mark: int) -> Changes:
        """What those locations held when `mark` logs were open."""
        old: Changes = {}
        for log in reversed(self._logs[mark:]):
            old.update(log)
        return old

    def merge(self, alternatives: list[Changes]) -> None:
        """Makes the state the join of the states after each of the alternatives."""
        if len(alternatives) == 1:
            for target, key, value in alternatives[0].values():
                self._put(target, key, value)
            return
        locations: dict[Location, tuple[HeapObject, Any]] = {}
        for changes in alternatives:
            for location, (target, key, _) in changes.items():
                locations[location] = (target, key)
        for location, (target, key) in locations.items():
            present = target.fields.get(key, MISSING)
            values = [changes[location][2] if location in changes else present for changes in alternatives]
            self._put(target, key, join_fields(values))

    def branch(self, runs: Iterable[Callable[[], bool]]) -> bool:
        """Runs each alternative from the same state. Each says whether it goes on; the states of those are joined.

        Returns whether any goes on; if none does, the state is as before.
        """
        live = []
        self._choices += 1
        choice = self._choices
        for alternative, run in enumerate(runs):
            self.open()
            self.branches.append((choice, alternative))
            try:
                goes_on = run()
            finally:
                self.branches.pop()
            changes = self.rollback()
            if goes_on:
                live.append(changes)
        if any(live):
            self.merge(live)
        return bool(live)

    def _put(self, target: HeapObject, key: Any, value: Any) -> None:
        fields = target.fields
        if self._logs and target.serial <= self._starts[-1]:
            self._logs[-1].setdefault((id(fields), key), (target, key, fields.get(key, MISSING)))
        if value is MISSING:
            fields.pop(key, None)
        else:
            fields[key] = value


def join_fields(values: list[Any]) -> Any:
    """The join of what a field holds after several branches: values, dicts of entries, or flags."""
    first = values[0]
    if len(values) == 2 and values[1] is first:
        return first
    values = [value for value in values if value is not MISSING]
    if not values:
        return MISSING
    first = values[0]
    if all(value is first for value in values):
        return first
    if isinstance(first, Value):
        result: Any = first
        for value in values[1:]:
            result = join(result, value)
        return result
    if all(isinstance(value, dict) for value in values):
        keys = dict.fromkeys(key for value in values for key in value)
        return {key: join_fields([value.get(key, MISSING) for value in values]) for key in keys}
    if all(isinstance(value, bool) for value in values):
        return any(values)
    return first
