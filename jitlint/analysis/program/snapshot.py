"""What the module tops leave behind: every unit starts from it, and is undone when it ends."""

from __future__ import annotations

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import newest_serial


class Snapshot:
    """The interpreter's state between two units. The store undoes what a unit has done to objects of the tops."""

    def __init__(self, interp: Interpreter) -> None:
        world = interp.world
        self._tops = interp.unit
        self._classes = len(world.classes)
        self._functions = len(world.functions)
        self._called = [made.called for made in world.transformed]
        self._newest = newest_serial()

    def enter(self, interp: Interpreter) -> None:
        """Begins a unit: nothing is remembered of other units."""
        interp.store.open()
        interp.unit = self._tops.after_tops()

    def leave(self, interp: Interpreter) -> None:
        """Ends a unit: what it has made goes."""
        world = interp.world
        interp.store.rollback()
        self._release(interp)
        del world.classes[self._classes :]
        del world.functions[self._functions :]
        del world.transformed[len(self._called) :]
        for made, called in zip(world.transformed, self._called, strict=True):
            made.called = called
        world.guesses.forget()

    def _release(self, interp: Interpreter) -> None:
        """Empties the scopes that the unit's functions close over: cycles of references go without a collection."""
        for function in interp.world.functions[self._functions :]:
            if function.closure.serial > self._newest:
                function.closure.fields.clear()
        for cls in interp.world.classes[self._classes :]:
            cls.fields.clear()
