"""Runs in which options are open: what their defaults are, the code does not know then (machine/options.py)."""

from __future__ import annotations

from types import TracebackType

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.state_log import StateLog
from jitlint.analysis.values import Option, Site


class OpenOptions:
    """A context in which options are open, so that roots run the ways that the defaults of these rule out.

    Of what runs in it, the events alone stay: each rests on an assumption that names the options.
    """

    def __init__(self, interp: Interpreter, open_at: tuple[tuple[Site, Option], ...]) -> None:
        """
        Args:
            interp: runs the code.
            open_at: the options, and where they decide what runs.
        """
        self._interp = interp
        self._open_at = open_at

    def __enter__(self) -> None:
        interp = self._interp
        unit, world = interp.unit, interp.world
        self._kept = (unit.state, unit.reveals, unit.incomplete, unit.first_uses, unit.captured, unit.held_functions)
        self._called, unit.called = unit.called, {}
        unit.state, unit.reveals = StateLog(dict(unit.state.known)), unit.reveals.silent()
        unit.incomplete, unit.first_uses = dict(unit.incomplete), dict(unit.first_uses)
        unit.captured, unit.held_functions = dict(unit.captured), dict(unit.held_functions)
        self._made = (len(world.classes), len(world.functions), len(world.transformed))
        interp.root_run.open_at = self._open_at
        interp.root_run.open_options = frozenset(option for _, option in self._open_at)
        interp.store.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        interp = self._interp
        unit, world = interp.unit, interp.world
        interp.store.rollback()
        interp.root_run.open_options, interp.root_run.open_at = frozenset(), ()
        classes, functions, transformed = self._made
        del world.classes[classes:]
        del world.functions[functions:]
        del world.transformed[transformed:]
        world.guesses.forget()
        unit.state, unit.reveals, unit.incomplete, unit.first_uses, unit.captured, unit.held_functions = self._kept
        unit.called = self._called
