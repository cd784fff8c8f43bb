"""What the calls of the user's programs do with the places of silent events: trace them anew, or reuse a trace."""

from __future__ import annotations

import types
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax

from ..inside_jax import tracers
from ..user_code.probes import Probe
from . import slots
from .scopes import Scope


@dataclass
class PlaceCalls:
    """What programs did with one place.

    Attributes:
        states: the state that the place reads, as it was in each call that traced it.
        reused: how many calls used an earlier trace of it.
        stale: for how many of these the state was another than in that trace.
        in_loop: whether it was executed in the body of a loop of JAX, which runs more often than it is traced.
        with_jit: how often it was executed.
        without_jit: how often it was executed where the program had disabled jit.
    """

    states: list[object] = field(default_factory=list)
    reused: int = 0
    stale: int = 0
    in_loop: bool = False
    with_jit: int = 0
    without_jit: int = 0

    @property
    def never_reused(self) -> bool:
        """Whether there were several calls, and each was traced anew."""
        return len(self.states) > 1 and not self.reused and not self.in_loop

    @property
    def never_stale(self) -> bool:
        """Whether the state changed, but no call used an older one."""
        return not self.stale and any(state != self.states[0] for state in self.states)


class ProgramCalls:
    """The calls of a job's programs.

    Args:
        probes: the places.

    Attributes:
        places: what is known, by the probe's id.
    """

    def __init__(self, probes: Collection[Probe]) -> None:
        self._probes = {probe.id: probe for probe in probes}
        self.places = {probe.id: PlaceCalls() for probe in probes}
        self._traced: dict[int, Scope] = {}
        self._known: dict[int, tuple[object, dict[int, tuple[Scope, object]]]] = {}

    def begin(self) -> None:
        """Notes that a program begins: for its user, it is in a process of its own, where nothing has been traced."""
        self._traced, self._known = {}, {}

    def note_place(self, probe: int, scope: Scope, frame: types.FrameType) -> None:
        """Notes that a frame executes a place."""
        place = self.places[probe]
        if jax.config.jax_disable_jit:
            place.without_jit += 1
        else:
            place.with_jit += 1
        if tracers.staging():
            self._traced[probe] = scope
            place.in_loop = place.in_loop or _is_in_loop(frame)

    def note_call(self, program: object) -> bool:
        """Notes that a call came to its end. Returns whether its program holds any of the places.

        Args:
            program: the jaxpr that it used.
        """
        if self._traced:
            states = {probe: (scope, self._state(probe, scope)) for probe, scope in self._traced.items()}
            for probe, (_, state) in states.items():
                self.places[probe].states.append(state)
            self._known[id(program)] = program, states
            self._traced = {}
        elif id(program) in self._known:
            for probe, (scope, state) in self._known[id(program)][1].items():
                self.places[probe].reused += 1
                self.places[probe].stale += self._state(probe, scope) != state
        return id(program) in self._known

    def _state(self, probe: int, scope: Scope) -> Any:
        expression = self._probes[probe].expression
        return None if expression is None else slots.comparable(expression, scope)


def _is_in_loop(frame: types.FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.endswith(_LOOPS):
            return True
        frame = frame.f_back
    return False


_LOOPS = str(Path("jax", "_src", "lax", "control_flow", "loops.py"))
"""JAX's file of `scan`, `while_loop` and `fori_loop`."""
