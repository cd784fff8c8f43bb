"""Branches on the same objects: undone, kept, joined."""

from __future__ import annotations

import pytest

from jitlint.analysis.machine.store import Deed, Store
from jitlint.analysis.values import FLOAT, NEVER, NONE, TRUE, Const, Dict, Union, Value


def thing(**fields: Value) -> Dict:
    made = Dict({}, NEVER, 0, (), None)
    made.fields.update(fields)
    return made


def test_rolling_back_restores_what_was_there() -> None:
    store, target = Store(), thing(a=TRUE)
    store.open()
    store.set(target, "a", NONE)
    store.set(target, "a", FLOAT)
    store.set(target, "b", NONE)
    changes = store.rollback()
    assert target.fields["a"] is TRUE
    assert "b" not in target.fields
    assert {key: value for _, key, value in changes.values()} == {"a": FLOAT, "b": NONE}


def test_committed_changes_are_undone_with_the_log_around() -> None:
    store, target = Store(), thing(a=TRUE)
    store.open()
    store.open()
    store.set(target, "a", NONE)
    store.commit()
    assert target.fields["a"] is NONE
    store.rollback()
    assert target.fields["a"] is TRUE


def test_branches_are_joined_with_each_other() -> None:
    store, target = Store(), thing(a=TRUE)

    def write(value: Value) -> bool:
        assert target.fields["a"] is TRUE
        store.set(target, "a", value)
        return True

    assert store.branch([lambda: write(NONE), lambda: write(FLOAT)])
    joined = target.fields["a"]
    assert isinstance(joined, Union)
    assert set(joined.alternatives) == {NONE, FLOAT}


def test_a_branch_that_writes_nothing_keeps_what_was_there() -> None:
    store, target = Store(), thing(a=TRUE)

    def write() -> bool:
        store.set(target, "a", NONE)
        return True

    store.branch([write, lambda: True])
    joined = target.fields["a"]
    assert isinstance(joined, Union)
    assert set(joined.alternatives) == {TRUE, NONE}


def test_a_branch_that_does_not_go_on_leaves_no_trace() -> None:
    store, target = Store(), thing(a=TRUE)

    def leave() -> bool:
        store.set(target, "a", NONE)
        return False

    def write() -> bool:
        store.set(target, "a", FLOAT)
        return True

    assert store.branch([leave, write])
    assert target.fields["a"] is FLOAT
    assert not store.branch([leave, leave])
    assert target.fields["a"] is FLOAT


def test_fields_of_one_branch_only_survive() -> None:
    store, target = Store(), thing()

    def write() -> bool:
        store.set(target, "new", TRUE)
        return True

    store.branch([write, lambda: True])
    assert target.fields["new"] is TRUE


def test_objects_made_in_a_branch_are_not_logged() -> None:
    store = Store()
    store.open()
    young = thing(a=TRUE)
    store.set(young, "a", NONE)
    assert store.rollback() == {}
    assert young.fields["a"] is NONE


def test_nested_branches_join_into_the_outer_one() -> None:
    store, target = Store(), thing(a=TRUE)

    def write(value: Value) -> bool:
        store.set(target, "a", value)
        return True

    def inner() -> bool:
        return store.branch([lambda: write(Const("x")), lambda: write(Const("y"))])

    store.branch([inner, lambda: write(NONE)])
    joined = target.fields["a"]
    assert isinstance(joined, Union)
    assert {getattr(part, "value", part) for part in joined.alternatives} == {"x", "y", None}
    assert store.mark == 0


def test_what_changed_since_a_mark() -> None:
    store, target = Store(), thing(a=TRUE, b=TRUE)
    store.open()
    mark = store.mark
    store.set(target, "b", NONE)
    store.open()
    store.set(target, "a", NONE)
    store.open()
    store.set(target, "a", FLOAT)
    assert [(key, value) for _, key, value in store.since(mark).values()] == [("a", FLOAT)]
    assert [(key, value) for _, key, value in store.old_since(mark).values()] == [("a", TRUE)]
    store.commit_to(0)
    assert target.fields["a"] is FLOAT


def test_the_oldest_object_written_to_is_known() -> None:
    store, old = Store(), thing(a=TRUE)
    young = thing(a=TRUE)
    store.set(young, "a", NONE)
    assert store.oldest_written == young.serial
    store.set(old, "a", NONE)
    assert store.oldest_written == old.serial


def test_a_field_that_is_removed_comes_back_when_the_branch_is_undone() -> None:
    store, target = Store(), thing(a=TRUE)
    store.open()
    store.remove(target, "a")
    store.remove(target, "never there")
    assert "a" not in target.fields
    changes = store.rollback()
    assert target.fields["a"] is TRUE
    store.merge([changes])
    assert "a" not in target.fields


class Done(Deed):
    """A deed that knows whether it is in doubt."""

    def __init__(self, *, sure: bool = True) -> None:
        self._sure = sure

    @property
    def sure(self) -> bool:
        return self._sure

    def in_doubt(self) -> Done:
        return Done(sure=False)


@pytest.mark.patching  # its class cannot inherit from a compiled one
def test_a_deed_of_all_branches_is_sure_and_one_of_some_is_in_doubt() -> None:
    store, target = Store(), thing()
    deed = Done()

    def do(name: str) -> bool:
        store.set(target, name, deed)
        return True

    def do_both() -> bool:
        return do("both") and do("one")

    store.branch([do_both, lambda: do("both")])
    assert target.fields["both"].sure
    assert not target.fields["one"].sure
