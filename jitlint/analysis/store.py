"""The store: every change of an abstract object goes through it, so that branches can be undone and joined.

Branches run one after the other on the same objects. Each runs under a log of what it changed; its changes are then
captured and undone, and at the end the changes of all branches that go on are joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jitlint.analysis.joins import join
from jitlint.analysis.values import NEVER, HeapObject, Value

Location = tuple[int, Any]
Changes = dict[Location, tuple[dict[Any, Any], Any, Any]]
"""Per location: the fields, the key, and the value (in a log: the old one; in captured changes: the new one)."""


class Missing:
    """The value of a key that is not there."""


MISSING: Any = Missing()


NO_SERIAL = 1 << 62


class Store:
    """A stack of logs over the fields of all heap objects. `oldest` is the age of the oldest object written to since it
    was last set: a call that writes only to what it made itself has no effect."""

    def __init__(self) -> None:
        self._logs: list[Changes] = []
        self.oldest = NO_SERIAL

    @property
    def mark(self) -> int:
        """How many logs are open."""
        return len(self._logs)

    def set(self, target: HeapObject, key: Any, value: Any) -> None:
        """Writes one field of an object."""
        fields = target.fields
        if target.serial < self.oldest:
            self.oldest = target.serial
        if self._logs:
            log = self._logs[-1]
            location = (id(fields), key)
            if location not in log:
                log[location] = (fields, key, fields.get(key, MISSING))
        fields[key] = value

    def remove(self, target: HeapObject, key: Any) -> None:
        """Removes one field of an object, if it is there."""
        if key in target.fields:
            self.set(target, key, NEVER)
            del target.fields[key]

    def open(self) -> None:
        """Begins a log."""
        self._logs.append({})

    def commit(self) -> None:
        """Ends the latest log and keeps its changes."""
        log = self._logs.pop()
        if self._logs:
            outer = self._logs[-1]
            for location, entry in log.items():
                outer.setdefault(location, entry)

    def commit_to(self, mark: int) -> None:
        """Ends logs until `mark` are open, keeping their changes."""
        while len(self._logs) > mark:
            self.commit()

    @staticmethod
    def next_serial() -> int:
        """The age that the next object will have, or a little less."""
        return HeapObject({}, 0, (), None).serial

    def rollback(self) -> Changes:
        """Ends the latest log, undoes its changes, and gives them."""
        log = self._logs.pop()
        changes: Changes = {}
        for location, (fields, key, old) in log.items():
            changes[location] = (fields, key, fields.get(key, MISSING))
            if old is MISSING:
                fields.pop(key, None)
            else:
                fields[key] = old
        return changes

    def since(self, mark: int) -> Changes:
        """What differs now from when `mark` logs were open, without undoing it."""
        changes: Changes = {}
        for log in self._logs[mark:]:
            for location, (fields, key, _) in log.items():
                if location not in changes:
                    changes[location] = (fields, key, fields.get(key, MISSING))
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
            for fields, key, value in alternatives[0].values():
                self._put(fields, key, value)
            return
        locations: dict[Location, tuple[dict[Any, Any], Any]] = {}
        for changes in alternatives:
            for location, (fields, key, _) in changes.items():
                locations[location] = (fields, key)
        for location, (fields, key) in locations.items():
            present = fields.get(key, MISSING)
            self._put(fields, key, join_fields(_values(alternatives, location, present)))

    def branch(self, runs: Iterable[Callable[[], bool]]) -> bool:
        """Runs each alternative from the same state. Each says whether it goes on; the states of those are joined.

        Returns whether any goes on; if none does, the state is as before.
        """
        live = []
        for run in runs:
            self.open()
            goes_on = run()
            changes = self.rollback()
            if goes_on:
                live.append(changes)
        if live:
            self.merge(live)
        return bool(live)

    def _put(self, fields: dict[Any, Any], key: Any, value: Any) -> None:
        if self._logs:
            self._logs[-1].setdefault((id(fields), key), (fields, key, fields.get(key, MISSING)))
        if value is MISSING:
            fields.pop(key, None)
        else:
            fields[key] = value


def _values(alternatives: list[Changes], location: Location, present: Any) -> list[Any]:
    return [changes[location][2] if location in changes else present for changes in alternatives]


def join_fields(values: list[Any]) -> Any:
    """The join of what a field holds after several branches: values, dicts of entries, or flags."""
    values = [value for value in values if value is not MISSING]
    if not values:
        return MISSING
    first = values[0]
    if all(value is first for value in values):
        return first
    if all(isinstance(value, Value) for value in values):
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
