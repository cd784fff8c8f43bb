"""Repeats calls that stand in the project, with their own arguments."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from ..inputs.targets import Call, Target
from ..inside_jax.jitted import mapped_axes
from ..messages import CallProgram
from ..process.budget import Clock, Interrupted
from ..user_code import texts

_MOST = 4
"""How many calls are tried for one target."""


class CallSites:
    """The calls of a job's functions that the linter found, as small programs (see the linter's `call_sites.py`)."""

    def __init__(self, calls: Iterable[CallProgram], clock: Clock) -> None:
        self._clock = clock
        self._calls = list(calls)

    def of(self, target: Target) -> Iterator[Call]:
        """The calls of a target that can be repeated here."""
        bottom = texts.unwrapped(target.function)
        named = {str(getattr(bottom, "__name__", "")), target.label.rpartition(".")[2]}
        count = 0
        for call in self._calls:
            if call.name in named and count < _MOST and _is_of(call, target, bottom, self._clock):
                count += 1
                yield Call(call.text, partial(_arguments, call, target))


def _is_of(call: CallProgram, target: Target, bottom: Any, clock: Clock) -> bool:
    """Whether a call can be evaluated, and calls the target's function and not another one of the same name."""
    try:
        with clock.brief():
            names = _run(call, target)
            called = names["_function"]()
            names["_arguments"]()
    except (Exception, SystemExit, Interrupted):  # noqa: BLE001  it is the user's code, and may need what is not there
        return False
    same_axes = len(list(mapped_axes(called))) == len(list(mapped_axes(target.function)))
    return texts.unwrapped(called) is bottom and same_axes and (target.owner is None or hasattr(called, "__self__"))


def _arguments(call: CallProgram, target: Target) -> tuple[tuple[Any, ...], dict[str, Any]]:
    names = _run(call, target)
    positional, named = names["_arguments"]()
    if target.owner is not None:
        positional = (names["_function"]().__self__, *positional)
    return positional, named


def _run(call: CallProgram, target: Target) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "_call_site"}
    if call.names is not None:
        function = texts.unwrapped(target.function)
        module = sys.modules[function.__module__]
        names.update(function.__globals__)
        names.update({name: getattr(module, name) for name in call.names if hasattr(module, name)})
    exec(compile(call.program, "<call site>", "exec", dont_inherit=True), names)
    return names
