"""The store: every change of an abstract object goes through it, so that branches can be undone and joined.

Both branches of an `if` run, one after the other, on the same objects. Each runs under a *log*, which notes the old
value of everything that the branch writes. When the branch ends, its changes are taken down and undone, so that the
next one starts from the same state. At the end the changes of all branches whose end can be reached are joined:

    store.branch([lambda: interp.run(node.body), lambda: interp.run(node.orelse)])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from jitlint.analysis.values import (
    NEVER,
    BoundMethod,
    Class,
    Descriptor,
    Dict,
    External,
    ExternalInstance,
    Frame,
    Function,
    HeapObject,
    Instance,
    ModuleValue,
    Partial,
    Transformed,
    Value,
    newest_serial,
)
from jitlint.analysis.values.containers import storable
from jitlint.analysis.values.joins import alternatives, join
from jitlint.analysis.values.objects import object_writes

Location = tuple[int, Any]
"""A field: the identity of an object's `fields`, and the key in them."""

Change = tuple[HeapObject, Any, Any]
"""The object, the key, and a value."""

Changes = dict[Location, Change]
"""The changes by location. In a log, the value is the old one; in what `rollback` and `since` give, the new one."""

Join = Callable[[Value, Value], Value]
"""Joins two values that a field has after two branches."""


_CODE: Final = (
    *(Function, Partial, BoundMethod, Transformed, Descriptor, External),
    *(Class, Instance, ExternalInstance, ModuleValue),
)
"""What an attribute holds that is no data."""


def is_data(value: Value) -> bool:
    """Whether an attribute holds data."""
    return not any(isinstance(part, _CODE) for part in alternatives(value))


class Missing:
    """The value of a key that an object does not have."""


class Deed:
    """What the store remembers of something that code has done. Joined with a path that has not, it is in doubt."""

    __slots__ = ()

    @property
    def sure(self) -> bool:
        """Whether it was done on every path."""
        raise NotImplementedError

    def in_doubt(self) -> Deed:
        """The deed, if it was done on some paths only."""
        raise NotImplementedError

    def joined(self, deeds: list[Deed], everywhere: bool) -> Deed:
        """The deed after several paths.

        Args:
            deeds: what it is on those that have one, this one first.
            everywhere: whether all paths have one.
        """
        return self if everywhere and all(deed.sure for deed in deeds) else self.in_doubt()


MISSING: Final[Any] = Missing()
NO_SERIAL: Final = 1 << 62
"""A serial that no object has: larger than all."""


class Store:
    """A stack of logs over the fields of all heap objects."""

    def __init__(self) -> None:
        self._logs: list[Changes] = []
        """The open logs. Objects younger than a log are not in it: no other branch knows them."""
        self._starts: list[int] = []
        """For each open log, the serial of the youngest object when it was opened."""
        self.oldest_written = NO_SERIAL
        """The serial of the oldest object that was written to since this was last set.

        A call that writes only to objects that it made itself has no effect, so that its result can be remembered.
        """
        self._choices = 0
        """How many choices `branch` has run."""
        self.branches: list[tuple[int, int]] = []
        """The branches around the running code: the number of the choice, and of the alternative that runs."""

    @property
    def mark(self) -> int:
        """How many logs are open: a point in time, for `since`, `old_since` and `commit_to`."""
        return len(self._logs)

    def set(self, target: HeapObject, key: Any, value: Any) -> None:
        """Writes a field of an object: an effect of the code that runs."""
        if target.serial < self.oldest_written:
            self.oldest_written = target.serial
        if key == "entries" and isinstance(target, Dict) and target.unsure:
            entries = target.entries
            left = [name for name in target.unsure if name in value and value[name] is entries[name]]
            self.narrow(target, "unsure", frozenset(left))
        self.narrow(target, key, value)
        if isinstance(target, Dict) and target.owner is not None:
            self._set_attributes(target.owner, key, value)

    def _set_attributes(self, owner: HeapObject, key: str, value: Any) -> None:
        """What is written to the dict `owner.__dict__`, by any method of dicts, are attributes of the object."""
        if key == "entries":
            for name, attribute in value.items():
                if isinstance(name, str) and owner.fields.get(name) is not attribute:
                    self.set(owner, name, attribute)
            gone = [name for name in owner.fields if name not in value] if isinstance(owner, Instance) else []
            for name in gone:
                self.set(owner, name, NEVER)
        elif key == "rest" and value is not NEVER:
            self.set_unknown(owner, value)

    def set_unknown(self, target: HeapObject, value: Value) -> None:
        """Writes an attribute whose name is not known: any that holds data may hold the value from here on.

        Functions and objects stay: what code goes through by name are numbers, arrays and options.
        """
        if isinstance(target, Instance):
            target.has_more = True
        for name, old in list(target.fields.items()):
            if isinstance(old, Value) and old is not NEVER and is_data(old):
                self.set(target, name, join(old, value))

    def narrow(self, target: HeapObject, key: Any, value: Any) -> None:
        """Writes a field because more is known of what it holds (after a test), which is no effect of the code."""
        if not isinstance(target, Frame):
            object_writes[0] += 1
        fields = target.fields
        serial = target.serial
        if self._logs and serial <= self._starts[-1]:
            log = self._logs[-1]
            location = (id(fields), key)
            if location not in log:
                log[location] = (target, key, fields.get(key, MISSING))
        fields[key] = storable(target, key, value)

    def remove(self, target: HeapObject, key: Any) -> None:
        """Removes a field of an object, if it is there: an effect of the code that runs."""
        if key in target.fields:
            self.set(target, key, NEVER)  # which notes the old value
            del target.fields[key]

    def open(self) -> None:
        """Opens a log."""
        self._logs.append({})
        self._starts.append(newest_serial())

    def commit(self) -> None:
        """Closes the latest log without undoing its changes: they count as changes of the log around it."""
        log = self._logs.pop()
        self._starts.pop()
        if self._logs:
            outer, start = self._logs[-1], self._starts[-1]
            for location, entry in log.items():
                if entry[0].serial <= start:
                    outer.setdefault(location, entry)

    def commit_to(self, mark: int) -> None:
        """Closes logs until `mark` are open, without undoing their changes."""
        while len(self._logs) > mark:
            self.commit()

    def rollback(self) -> Changes:
        """Closes the latest log and undoes its changes. Returns them."""
        log = self._logs.pop()
        self._starts.pop()
        changes: Changes = {}
        for location, (target, key, old) in log.items():
            if not isinstance(target, Frame):
                object_writes[0] += 1
            fields = target.fields
            changes[location] = (target, key, fields.get(key, MISSING))
            if old is MISSING:
                fields.pop(key, None)
            else:
                fields[key] = old
        return changes

    def since(self, mark: int) -> Changes:
        """The changes since `mark` logs were open, with the new values. Undoes nothing."""
        changes: Changes = {}
        for log in self._logs[mark:]:
            for location, (target, key, _) in log.items():
                if location not in changes:
                    changes[location] = (target, key, target.fields.get(key, MISSING))
        return changes

    def old_since(self, mark: int) -> Changes:
        """The same changes with the old values: what the fields held when `mark` logs were open."""
        old: Changes = {}
        for log in reversed(self._logs[mark:]):
            old.update(log)
        return old

    def merge(self, alternatives: list[Changes], join_values: Join = join) -> None:
        """Makes the state the join of the states that the alternatives lead to. `join_values` joins two values."""
        if len(alternatives) == 1:
            for target, key, value in alternatives[0].values():
                self._put(target, key, value)
            return
        locations: dict[Location, tuple[HeapObject, Any]] = {}
        for changes in alternatives:
            for location, (target, key, _) in changes.items():
                locations[location] = (target, key)
        unsure: list[tuple[Dict, frozenset[Any]]] = []
        for location, (target, key) in locations.items():
            present = target.fields.get(key, MISSING)
            values = [changes[location][2] if location in changes else present for changes in alternatives]
            joined = join_fields(values, join_values)
            if key == "entries" and isinstance(target, Dict):
                unsure.append(
                    (target, frozenset(name for name in joined if not all(name in value for value in values)))
                )
            self._put(target, key, joined)
        for target, names in unsure:
            if names:
                self._put(target, "unsure", target.unsure | names)

    def branch(self, runs: Iterable[Callable[[], bool]], join_values: Join = join) -> bool:
        """Runs each alternative from the same state, and joins the states that they lead to.

        Args:
            runs: the alternatives. Each returns whether its end can be reached; if not, its state is left out.
            join_values: joins two values that a field has after different alternatives.

        Returns:
            Whether the end of any alternative can be reached. If none can, the state is as before.
        """
        ended: list[Changes] = []
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
                ended.append(changes)
        if any(ended):
            self.merge(ended, join_values)
        return bool(ended)

    def _put(self, target: HeapObject, key: Any, value: Any) -> None:
        """Writes or removes a field when branches are joined: their own writes have set `oldest_written` already."""
        if not isinstance(target, Frame):
            object_writes[0] += 1
        fields = target.fields
        if self._logs and target.serial <= self._starts[-1]:
            self._logs[-1].setdefault((id(fields), key), (target, key, fields.get(key, MISSING)))
        if value is MISSING:
            fields.pop(key, None)
        else:
            fields[key] = storable(target, key, value)


def join_fields(values: list[Any], join_values: Join = join) -> Any:
    """The join of what a field holds after several branches: values, deeds, the entries of a dict, names, or flags."""
    first = values[0]
    if len(values) == 2 and values[1] is first:
        return first
    present = [value for value in values if value is not MISSING]
    if not present:
        return MISSING
    first = present[0]
    if isinstance(first, Deed):
        return first.joined(present, len(present) == len(values))
    values = present
    if all(value is first for value in values):
        return first
    if isinstance(first, Value):
        result: Any = first
        for value in values[1:]:
            result = join_values(result, value)
        return result
    if all(isinstance(value, dict) for value in values):
        keys = dict.fromkeys(key for value in values for key in value)
        return {key: join_fields([value.get(key, MISSING) for value in values], join_values) for key in keys}
    if all(isinstance(value, bool) for value in values):
        return any(values)
    if all(isinstance(value, frozenset) for value in values):
        return first.union(*values)
    return first
