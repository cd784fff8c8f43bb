"""Runs a function that somebody gives with its arguments, in this process: traced, compiled, with and without jit."""

from __future__ import annotations

import copy
import sysconfig
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax

from .compare import compared_arrays, hosted

_LIBRARIES = (
    *{str(Path(path).resolve()) for path in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))},
    *{str(Path(path).resolve()) for path in (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"))},
    str(Path(__file__).resolve().parents[3]),
)


class Outcome(NamedTuple):
    """What became of it.

    `status` is `jittable`, `fails` or `differs`; `file` and `line` are where it fails, "" and 0 if that is not known.
    """

    status: str
    reason: str
    error: Exception | None = None
    file: str = ""
    line: int = 0


def run(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
    """Traces and compiles a function, runs it, and compares.

    Args:
        function: the function, or what a transform that compiles made of it.
        args: its arguments by position.
        kwargs: those by name.
    """
    jitted = function if hasattr(function, "lower") else jax.jit(function)
    try:
        compiled = hosted(jitted(*_copies(args), **_copies(kwargs)))
    except Exception as error:  # noqa: BLE001  user code may raise anything
        return _failed(error)
    try:
        with jax.disable_jit():
            eager, again = (hosted(function(*_copies(args), **_copies(kwargs))) for _ in range(2))
    except Exception as error:  # noqa: BLE001  as above
        return Outcome("jittable", f"not compared: without jit it raises {_first_line(error)}")
    if compared_arrays(eager, again):
        return Outcome("jittable", "not compared: two runs without jit differ")
    if found := compared_arrays(eager, compiled):
        return Outcome("differs", f"without and with jit: {found}")
    return Outcome("jittable", "gives the same with and without jit")


def _copies(values: Any) -> Any:
    """The arguments anew: jit may take the buffers of those that are donated, and code may change objects."""
    try:
        return copy.deepcopy(values)
    except Exception:  # noqa: BLE001  objects may refuse; then they are given as they are
        return values


def _failed(error: Exception) -> Outcome:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith((*_LIBRARIES, "<"))]
    file, line = (own[-1].filename, own[-1].lineno or 0) if own else ("", 0)
    return Outcome("fails", _first_line(error), error, file, line)


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".strip().split("\n")[0]
