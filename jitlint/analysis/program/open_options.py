"""Runs in which options are open: what their defaults are, the code does not know then (machine/options.py)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.state_log import StateLog
from jitlint.analysis.values import Option


@contextlib.contextmanager
def open_options(interp: Interpreter, options: frozenset[Option]) -> Iterator[None]:
    """A context in which options are open, so that roots run the ways that the defaults of these rule out.

    Of what runs in it, the events alone stay: each is likely at most, and names the options.
    """
    unit, world = interp.unit, interp.world
    kept = (unit.state, unit.reveals, unit.incomplete, unit.first_uses, unit.captured, unit.held_functions)
    called, unit.called = unit.called, {}
    unit.state, unit.reveals = StateLog(dict(unit.state.known)), unit.reveals.silent()
    unit.incomplete, unit.first_uses = dict(unit.incomplete), dict(unit.first_uses)
    unit.captured, unit.held_functions = dict(unit.captured), dict(unit.held_functions)
    classes, functions, transformed = len(world.classes), len(world.functions), len(world.transformed)
    interp.root_run.open_options = options
    interp.store.open()
    try:
        with interp.doubting(_guess(options)):
            yield
    finally:
        interp.store.rollback()
        interp.root_run.open_options = frozenset()
        del world.classes[classes:]
        del world.functions[functions:]
        del world.transformed[transformed:]
        world.guesses.forget()
        unit.state, unit.reveals, unit.incomplete, unit.first_uses, unit.captured, unit.held_functions = kept
        unit.called = called


def _guess(options: frozenset[Option]) -> str:
    """What the runs assume, in words."""
    names = sorted({option.name for option in options})
    verb = "is" if len(names) == 1 else "are"
    return f"{' and '.join(f'`{name}`' for name in names)} {verb} given another value than the default"
