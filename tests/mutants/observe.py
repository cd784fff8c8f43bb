"""What a program's variables hold while it is traced: each line's locals, by a trace function. Runs in a worker."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import jax

from tests.mutants.observed import Leaf, Line, Variable

MAX_LEAVES = 4
MAX_DEPTH = 3
MAX_PARTS = 64


class _Seen(NamedTuple):
    function: str
    start: int
    variables: dict[str, tuple[set[str], list[Leaf], bool]]


class Locals:
    """What the variables of one file's lines held, each time that a line was about to run."""

    def __init__(self) -> None:
        self._lines: dict[int, _Seen] = {}

    def see(self, frame: types.FrameType, names: Iterable[str]) -> None:
        """Records variables of a frame at its line. Of a line that is in several functions, the first one counts."""
        code, values = frame.f_code, frame.f_locals
        seen = self._lines.setdefault(frame.f_lineno, _Seen(code.co_qualname, code.co_firstlineno, {}))
        if seen.function == code.co_qualname:
            for name in names:
                if name in values:
                    leaves = list(_first_leaves(values[name]))
                    own = name not in code.co_freevars
                    stages, _, _ = seen.variables.setdefault(name, (set(), leaves, own))
                    stages.add(stage(values[name], bool(leaves)))

    def lines(self) -> dict[int, Line]:
        """What was seen, by line number."""
        return {
            number: Line(
                function=seen.function,
                start=seen.start,
                variables={
                    name: Variable(stages=sorted(stages), leaves=leaves, own=own)
                    for name, (stages, leaves, own) in seen.variables.items()
                },
            )
            for number, seen in sorted(self._lines.items())
        }


class Observer:
    """A `sys.settrace` function that records the locals of each line of one file, from its line `driver` on."""

    def __init__(self, path: str, driver: int) -> None:
        self._path = path
        self._driver = driver
        self._started = False
        self._locals = Locals()

    def __call__(self, frame: types.FrameType, event: str, argument: object) -> Any:
        if frame.f_code.co_filename != self._path:
            return None
        if frame.f_code.co_name == "<module>":
            return self._module
        return self._line if self._started else None

    def _module(self, frame: types.FrameType, event: str, argument: object) -> Any:
        self._started = self._started or frame.f_lineno >= self._driver
        return self._module

    def _line(self, frame: types.FrameType, event: str, argument: object) -> Any:
        if event == "line":
            self._locals.see(frame, tuple(frame.f_locals))
        return self._line

    def lines(self) -> dict[int, Line]:
        """What was seen, by line number."""
        return self._locals.lines()


def stage(value: object, holds_tracer: bool) -> str:
    """One word for a value: tracer, contains (a tracer somewhere inside), array (concrete) or static."""
    if isinstance(value, jax.core.Tracer):
        return "tracer"
    if holds_tracer:
        return "contains"
    return "array" if isinstance(value, jax.Array) else "static"


def _first_leaves(value: object) -> Iterator[Leaf]:
    for at, leaf in enumerate(_leaves(value, "", 0)):
        if at == MAX_LEAVES:
            return
        yield leaf


def _leaves(value: object, access: str, depth: int) -> Iterator[Leaf]:
    if isinstance(value, jax.core.Tracer):
        yield Leaf(access=access, shape=list(getattr(value, "shape", ())), dtype=str(getattr(value, "dtype", "")))
    elif depth < MAX_DEPTH:
        for step, inner in _parts(value):
            yield from _leaves(inner, access + step, depth + 1)


def _parts(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        yield from ((f".{name}", getattr(value, name)) for name in value._fields)
    elif isinstance(value, list | tuple):
        yield from ((f"[{at}]", inner) for at, inner in enumerate(value[:8]))
    elif isinstance(value, Mapping):
        yield from ((f"[{key!r}]", inner) for key, inner in list(value.items())[:8] if isinstance(key, str | int))
    elif isinstance(value, types.FunctionType | types.MethodType | types.ModuleType | type):
        return
    elif dataclasses.is_dataclass(value) and not hasattr(value, "__dict__"):
        yield from ((f".{field.name}", getattr(value, field.name, None)) for field in dataclasses.fields(value))
    else:
        yield from ((f".{name}", inner) for name, inner in list(getattr(value, "__dict__", {}).items())[:MAX_PARTS])
