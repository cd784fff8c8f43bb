"""What a program passes to the project's functions, and the values that have names there: inputs that are no guess."""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..inputs import copies
from ..inside_jax import tracers

_CALLS = 3
"""So many calls of a function are kept."""

_VALUES = 3
"""So many values of a name are kept."""

_FRAMES = 5000
"""After so many calls of the user's functions nothing is harvested any more."""


class Harvest:
    """What was seen of the user's functions while programs ran.

    Args:
        files: the user's files.

    Attributes:
        calls: the arguments of each function's first calls, by name.
        names: the values of each name, from calls and from local variables.
    """

    def __init__(self, files: Collection[str]) -> None:
        self._files = frozenset(files)
        self.calls: dict[types.CodeType, list[Mapping[str, Any]]] = {}
        self.names: dict[str, list[Any]] = {}
        self._frames = 0
        self._room = copies.Room()

    def enter(self, frame: types.FrameType) -> None:
        """Keeps the arguments of a call that begins; where tracers are among them, what stands for these."""
        self._frames += 1
        known = self.calls.setdefault(frame.f_code, [])
        if len(known) < _CALLS and self._frames < _FRAMES and frame.f_code.co_name != "<module>":
            found = self._kept(tracers.own_arguments(frame))
            known.append(found)
            self._note(found)

    def leave(self, frame: types.FrameType) -> None:
        """Keeps the local variables of a call that ends."""
        if self._frames < _FRAMES and not tracers.staging():
            new = {name: value for name, value in frame.f_locals.items() if len(self.names.get(name, ())) < _VALUES}
            self._note(self._kept(new))

    def is_own(self, cls: type) -> bool:
        """Whether a class is the user's."""
        return getattr(sys.modules.get(cls.__module__), "__file__", None) in self._files

    def instances(self, cls: type) -> Iterator[Any]:
        """Values of a class. Protocols may refuse `isinstance`."""
        yield from (value for values in self.names.values() for value in values if cls in type(value).__mro__)

    def _note(self, found: Mapping[str, Any]) -> None:
        for name, value in found.items():
            values = self.names.setdefault(name, [])
            if len(values) < _VALUES and not isinstance(value, types.ModuleType):
                values.append(value)

    def _kept(self, values: Mapping[str, Any]) -> dict[str, Any]:
        found = {}
        for name, value in values.items():
            with contextlib.suppress(Exception):  # the user's pytrees may raise anything when they are taken apart
                found[name] = copies.stored(value, self.is_own, self._room)
        return found
