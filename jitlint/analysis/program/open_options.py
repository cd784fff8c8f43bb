"""Runs in which options are open: what their defaults are, the code does not know then (machine/options.py)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.state_log import StateLog
from jitlint.analysis.values import Const, Option, Site


@contextlib.contextmanager
def open_options(
    interp: Interpreter,
    open_at: tuple[tuple[Site, Option], ...] = (),
    command_line: int | None = None,
    given: Mapping[Option, Const] | None = None,
) -> Iterator[None]:
    """A context in which options are open, so that roots run the ways that the defaults of these rule out.

    Of what runs in it, the events stay, and the proofs that state was stale: each rests on an assumption that names
    the options.

    Args:
        interp: runs the code.
        open_at: the options, and where they decide what runs.
        command_line: the one that programs get; None for all that a user may type, at once.
        given: options that have one other value each.
    """
    unit, world = interp.unit, interp.world
    kept = (unit.state, unit.reveals, unit.incomplete, unit.first_uses, unit.captured, unit.held_functions)
    called, unit.called = unit.called, {}
    call_counts = unit.call_counts
    if command_line is not None or given:  # what was called in many ways before may be called in further ones
        unit.call_counts = {}
    unit.state, unit.reveals = StateLog(dict(unit.state.known)), unit.reveals.silent()
    unit.incomplete, unit.first_uses = dict(unit.incomplete), dict(unit.first_uses)
    unit.captured, unit.held_functions = dict(unit.captured), dict(unit.held_functions)
    classes, functions, transformed = len(world.classes), len(world.functions), len(world.transformed)
    interp.root_run.open_at = open_at
    interp.root_run.open_options = frozenset(option for _, option in open_at)
    interp.root_run.opened.clear()
    interp.root_run.command_line, interp.root_run.given = command_line, dict(given or {})
    interp.store.open()
    for noted in (world.buffers, world.shares):  # the call that runs again came before some of what has run since
        for key in tuple(noted.fields):
            interp.store.remove(noted, key)
    try:
        yield
    finally:
        interp.store.rollback()
        interp.root_run.open_options, interp.root_run.open_at = frozenset(), ()
        interp.root_run.command_line, interp.root_run.given = None, {}
        del world.classes[classes:]
        del world.functions[functions:]
        del world.transformed[transformed:]
        world.guesses.forget()
        opened = unit.state
        unit.state, unit.reveals, unit.incomplete, unit.first_uses, unit.captured, unit.held_functions = kept
        unit.state.adopt(opened)
        unit.called, unit.call_counts = called, call_counts
