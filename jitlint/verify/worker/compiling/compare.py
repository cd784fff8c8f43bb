"""Compares a function's results with and without jit, up to what rounding in another order explains."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from ..process.budget import Clock, Interrupted
from .programs import Program, arrays_of

_TOLERANCES = {"float64": 1e-6, "complex128": 1e-6, "float32": 1e-3, "complex64": 1e-3}
_COARSE = 5e-2
"""The tolerance for dtypes of 16 bits and fewer."""
_AMPLIFIED = 10
"""A difference counts unless changing the inputs' last bits changes the eager result by a tenth of it."""


def eager_and_compiled(program: Program, clock: Clock, seconds: float) -> tuple[str, str]:
    """Compares an eager run with a compiled one.

    Args:
        program: what is run.
        clock: stops it.
        seconds: how long all runs together may take.

    Returns:
        "equal", "differs", or why it was not compared: "time", "failed", "random" (two eager runs differ), "rounding"
        (the result depends on the last bits of the inputs) or "types" (Python values were made up where arrays may be
        meant, and jit turns them into arrays); and in words what differs or failed.
    """
    try:
        with clock.limit(seconds):
            return _compared(program)
    except Interrupted:
        return "time", ""
    except Exception as error:  # noqa: BLE001  user code may raise anything
        return "failed", f"{type(error).__name__}: {error}".splitlines()[0][:200]


def _compared(program: Program) -> tuple[str, str]:
    eager, compiled = hosted(program.eager()), hosted(program.compiled())
    if _shapes(eager) != _shapes(compiled):
        return "types" if program.python else "differs", f"shapes {_shapes(eager)} and {_shapes(compiled)}"
    tolerances = [_tolerance(*pair) for pair in zip(eager, compiled, strict=True)]
    found = difference(eager, compiled, tolerances)
    if not found:
        return "equal", ""
    again, shaken = hosted(program.eager()), hosted(program.shaken())
    if difference(eager, again, [0.0] * len(eager)):
        return "random", ""
    if difference(eager, shaken, [tolerance / _AMPLIFIED for tolerance in tolerances]):
        return "rounding", found
    return "types" if program.python else "differs", found


def _shapes(parts: list[Any]) -> str:
    return ", ".join(str(part.shape) for part in parts)


def hosted(result: Any) -> list[Any]:
    """The arrays and numbers of a result as NumPy arrays."""
    found = []
    for part in arrays_of(result):
        if isinstance(part, jax.Array) and jax.dtypes.issubdtype(part.dtype, jax.dtypes.prng_key):
            part = jax.random.key_data(part)
        found.append(np.asarray(part))
    return found


def compared_arrays(one: list[Any], other: list[Any]) -> str:
    """Says where two results differ by more than rounding explains, "" if nowhere. A number is like an array of it."""
    if _shapes(one) != _shapes(other):
        return f"shapes {_shapes(one)} and {_shapes(other)}"
    return difference(one, other, [_tolerance(*pair) for pair in zip(one, other, strict=True)])


def difference(one: list[Any], other: list[Any], tolerances: list[float]) -> str:
    """Says where two results differ, "" if nowhere.

    Args:
        one, other: the leaves of the results.
        tolerances: for each leaf, relative to its largest value; 0 compares all bits.
    """
    if _shapes(one) != _shapes(other):
        return f"shapes {_shapes(one)} and {_shapes(other)}"
    for at, (left, right, tolerance) in enumerate(zip(one, other, tolerances, strict=True)):
        unequal = ~_close(left, right, tolerance)
        if unequal.any():
            where = f"output {at}: " if len(one) > 1 else ""
            first = tuple(int(i) for i in np.argwhere(unequal)[0])
            return f"{where}{left[first]} and {right[first]}" + (f" at {list(first)}" if first else "")
    return ""


def _tolerance(left: Any, right: Any) -> float:
    """The tolerance of the coarser dtype, relative to the largest value; whole numbers must be equal."""
    names = [array.dtype.name for array in (left, right) if array.dtype.kind not in "biu"]
    return max((_TOLERANCES.get(name, _COARSE) for name in names), default=0.0)


def _close(left: Any, right: Any, tolerance: float) -> Any:
    if left.dtype.kind not in "biufcV" or right.dtype.kind not in "biufcV":
        return left == right
    wide = "complex128" if "c" in (left.dtype.kind, right.dtype.kind) else "float64"
    if tolerance == 0.0 and left.dtype.kind in "biu" and right.dtype.kind in "biu":
        return left == right
    one, other = left.astype(wide), right.astype(wide)
    finite = np.abs(one[np.isfinite(one)])
    largest = float(finite.max()) if finite.size else 0.0
    with np.errstate(invalid="ignore"):
        near = np.abs(one - other) <= tolerance * max(largest, 1e-6)
    return near | (one == other) | (np.isnan(one) & np.isnan(other))
