"""What the module tops leave behind: every unit starts from it, and its own traces are removed when it is done."""

from __future__ import annotations

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.state_log import StateLog
from jitlint.analysis.values import newest

_COLLECTIONS = ("captured", "checkified", "children", "instances", "lent", "missed", "visited")
"""Attributes of the interpreter that are filled while it runs."""


_LISTS = ("classes", "functions", "transformed")
"""Those that tell the order in which things were made."""


class Snapshot:
    """The interpreter's state between two units. What objects hold is put back by the store."""

    def __init__(self, interp: Interpreter) -> None:
        self._collections = {name: getattr(interp, name).copy() for name in _COLLECTIONS}
        self._lengths = {name: len(getattr(interp, name)) for name in _LISTS}
        self._called = [made.called for made in interp.transformed]
        self._reads = dict(interp.state.known)
        self._newest = newest()

    def enter(self, interp: Interpreter) -> None:
        """Begins a unit: nothing is remembered of others."""
        interp.store.open()
        for name, collection in self._collections.items():
            setattr(interp, name, collection.copy())
        interp.state = StateLog(dict(self._reads))
        interp.reveals = interp.reveals.fresh()
        for forgotten in (
            interp.call_numbers, interp.memo, interp.call_counts, interp.events, interp.starts, interp.called,
            interp.looked_at,
        ):  # fmt: skip
            forgotten.clear()

    def leave(self, interp: Interpreter) -> None:
        """Ends a unit: what it has done to objects of the tops is undone."""
        interp.store.rollback()
        self._release(interp)
        for name, length in self._lengths.items():
            del getattr(interp, name)[length:]
        for made, called in zip(interp.transformed, self._called, strict=True):
            made.called = called
        interp.guesses.forget()

    def _release(self, interp: Interpreter) -> None:
        """Empties the scopes that the unit has made and functions in them close over: both go without a collection."""
        for function in interp.functions[self._lengths["functions"] :]:
            if function.closure.serial > self._newest:
                function.closure.fields.clear()
        for cls in interp.classes[self._lengths["classes"] :]:
            cls.fields.clear()
