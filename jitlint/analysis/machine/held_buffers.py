"""Variables that hold what was donated: on paths that bind them anew they do not, on the others they still do.

Joining two paths makes one value of what a variable holds on each, so that values do not tell. What a variable has held
since it was donated is therefore noted by its name. buffers.py has the records of the values themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from jitlint.analysis.machine.buffers import has_identity
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.store import Deed
from jitlint.analysis.values import Dict, Frame, Instance, Tuple, Value


@dataclass(frozen=True, slots=True)
class Held(Deed):
    """What a variable has held since it was donated: `best = state` still names it when `state` is bound anew."""

    value: Value | None
    """What was donated, each array of it in doubt (`AssumptionKind.STILL_HELD`); None if it is bound anew since."""
    on_some_paths: bool = False
    """Whether other paths bind it anew."""

    @property
    def sure(self) -> bool:
        return not self.on_some_paths

    def in_doubt(self) -> Held:
        return self

    def joined(self, deeds: list[Deed], everywhere: bool) -> Held:
        held = [deed for deed in deeds if isinstance(deed, Held) and deed.value is not None]
        if not held or len(held) == len(deeds):
            return held[0] if held else self
        return Held(held[0].value, on_some_paths=True)


@dataclass(frozen=True, slots=True)
class Alias(Deed):
    """On some path, two variables hold the same object since one of them was bound: `best = state`."""

    @property
    def sure(self) -> bool:
        return True

    def in_doubt(self) -> Alias:
        return self


_ALIAS = Alias()

_MANY: Final = 100
"""So many variables are those of a large module: each that is bound would be compared with all others."""


def note_held(interp: Interpreter, value: Value, donated: Value) -> None:
    """Notes the variables of the running function that hold a value that a call donates.

    Args:
        donated: the value with arrays of their own, which are noted as donated and still held.
    """
    frame, buffers = interp.frame.home, interp.world.buffers
    names = [name for name, held in frame.fields.items() if held is value]
    for name in names:
        interp.store.set(buffers, (frame.serial, name), Held(donated))
    for other in frame.fields:
        if other not in names and any((frame.serial, name, other) in buffers.fields for name in names):
            interp.store.set(buffers, (frame.serial, other), Held(donated, on_some_paths=True))


def note_bound(interp: Interpreter, frame: Frame, name: str, value: Value) -> None:
    """Notes that a variable is bound anew: it does not hold what was donated any more, and shares what others hold."""
    buffers = interp.world.buffers
    if (frame.serial, name) in buffers.fields:
        interp.store.set(buffers, (frame.serial, name), Held(None))
    if len(frame.fields) > _MANY:
        return
    kept = isinstance(value, (Dict, Instance, Tuple)) or has_identity(value)
    for other, held in frame.fields.items():
        for pair in ((frame.serial, name, other), (frame.serial, other, name)):
            if kept and held is value and other != name:
                interp.store.set(buffers, pair, _ALIAS)
            elif pair in buffers.fields:
                interp.store.remove(buffers, pair)


def still_held(interp: Interpreter, name: str) -> Value | None:
    """What a variable of the running function holds on the paths that donated it and did not bind it anew.

    None if there are no such, or no others: then what it holds tells for itself.
    """
    held = interp.world.buffers.fields.get((interp.frame.home.serial, name))
    return held.value if isinstance(held, Held) and held.on_some_paths else None
