"""Proves a fix: what the edited program computes under jit is what the original computes without."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from ..process.budget import Clock, Interrupted
from ..user_code.originals import NotExchangeableError, Originals
from .compare import compared_arrays, hosted
from .programs import Program

_EXAMPLES = 3
"""So many runs have all examples of a batch alike: without jit, `vmap` can decide only by what they agree on."""


@dataclass(frozen=True)
class Proof:
    """What comparing has shown.

    Attributes:
        outcome: "equal", "differs", "fails" (the edited program raises where the original does not), "not-run" (the
            original runs with none of the inputs) or "time".
        why: in words, what differs or fails.
        runs: with how many inputs both were run.
        both: how many of the replaced conditions were seen both true and false.
        conditions: how many of them were seen.
    """

    outcome: str
    why: str
    runs: int
    both: int
    conditions: int


def prove(program: Program, originals: Originals, clock: Clock, seconds: float) -> Proof:
    """Compares a program with the original on its inputs, and on others like them.

    Args:
        program: the edited program, which traces cleanly.
        originals: the functions before the edit.
        clock: stops it.
        seconds: how long all runs together may take.
    """
    done = _Runs()
    try:
        with clock.limit(seconds):
            _compare(program, originals, done)
    except Interrupted:
        done.outcome = done.outcome or ("" if done.count else "time")
    except NotExchangeableError as error:
        done.outcome, done.why = "not-run", str(error)
    outcome = done.outcome or ("equal" if done.count else "not-run")
    return Proof(outcome, done.why, done.count, *originals.sides)


@dataclass
class _Runs:
    outcome: str = ""
    why: str = ""
    count: int = 0


def _compare(program: Program, originals: Originals, done: _Runs) -> None:
    for leaf in _variants():
        compiled, eager = program.varied(leaf)
        try:
            with originals.in_place(), _without_jit():
                expected = hosted(eager())
        except NotExchangeableError:
            raise
        except Exception as error:  # noqa: BLE001  these inputs say nothing: the original refuses them
            done.why = done.why or _first_line(error)
            continue
        try:
            got = hosted(compiled())
        except Exception as error:  # noqa: BLE001  whatever it raises is the fix's fault
            done.outcome, done.why = "fails", _first_line(error)
            return
        done.count += 1
        if found := compared_arrays(expected, got):
            done.outcome, done.why = "differs", found
            return
        both, conditions = originals.sides
        if both == conditions and done.count > 1:
            break
    if done.count:
        done.why = ""


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]


def _variants() -> Iterator[Callable[[Any], Any]]:
    """Changes of inputs' leaves, so that conditions come out both ways."""
    yield lambda leaf: leaf
    for factor in (-1.0, 0.0, 1e-3, 1e3, -1e3):
        yield lambda leaf, factor=factor: _scaled(leaf, factor)  # type: ignore[misc]
    yield _opposite
    for step in (1, -1, 3):
        yield lambda leaf, step=step: _stepped(leaf, step)  # type: ignore[misc]
    for example in range(_EXAMPLES):
        for factor in (1.0, -1.0):
            yield lambda leaf, at=example, factor=factor: _scaled(_alike(leaf, at), factor)  # type: ignore[misc]


def _kind(leaf: Any) -> str:
    """The kind of a number's or an array's dtype, in NumPy's letters; "" of anything else."""
    if isinstance(leaf, (bool, int, float)):
        return {bool: "b", int: "i"}.get(type(leaf), "f")
    dtype = getattr(leaf, "dtype", None)
    if dtype is None or jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        return ""
    return "f" if jax.dtypes.issubdtype(dtype, np.floating) else np.dtype(dtype).kind


def _scaled(leaf: Any, factor: float) -> Any:
    if _kind(leaf) != "f":
        return leaf
    return leaf * factor if isinstance(leaf, float) else (leaf * factor).astype(leaf.dtype)


def _opposite(leaf: Any) -> Any:
    if _kind(leaf) != "b":
        return leaf
    return not leaf if isinstance(leaf, bool) else ~leaf


def _stepped(leaf: Any, step: int) -> Any:
    """A whole number a step further; a plain int may be a size, and stays."""
    return leaf + step if _kind(leaf) == "i" and not isinstance(leaf, int) else leaf


def _alike(leaf: Any, at: int) -> Any:
    """An array of which each part along the first axis is like one of them."""
    if not _kind(leaf) or not getattr(leaf, "ndim", 0) or not leaf.shape[0]:
        return leaf
    index = np.full(leaf.shape[0], min(at, leaf.shape[0] - 1))
    return leaf[index]


@contextlib.contextmanager
def _without_jit() -> Iterator[None]:
    """Runs Python without jit, and lets conditions see the values behind the tracers of `vmap` and `grad`."""
    tracer: Any = jax.core.Tracer
    given = tracer.__bool__

    def decided(self: Any) -> bool:
        values = np.unique(np.asarray(_value(self)).astype(bool)) if _value(self) is not None else np.empty(0)
        return bool(values[0]) if values.size == 1 else bool(given(self))

    with jax.disable_jit():
        tracer.__bool__ = decided
        try:
            yield
        finally:
            tracer.__bool__ = given


def _value(tracer: Any) -> Any:
    """The array that a tracer stands for; None if it has no value yet."""
    while isinstance(tracer, jax.core.Tracer):
        tracer = getattr(tracer, "val", None) if hasattr(tracer, "val") else getattr(tracer, "primal", None)
    return tracer
