"""Proves a fix: what the edited program computes under jit is what the original computes without."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np

from ..process.budget import Clock, Interrupted
from ..user_code.originals import NotExchangeableError, Originals
from .compare import compared_arrays, hosted
from .programs import Change, Program

_LEAVES = 6
"""So many leaves are changed one by one."""

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
        conditions: how many of the replaced conditions ran.
        one_sided: the texts of those that were not seen both true and false.
    """

    outcome: str
    why: str
    runs: int
    conditions: int
    one_sided: list[str]


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
    return Proof(outcome, done.why, done.count, originals.conditions, originals.one_sided)


@dataclass
class _Runs:
    outcome: str = ""
    why: str = ""
    count: int = 0


def _compare(program: Program, originals: Originals, done: _Runs) -> None:
    for change in _variants():
        compiled, eager = program.varied(change)
        try:
            with originals.in_place(), _without_jit():
                expected = hosted(eager())
        except (NotExchangeableError, Interrupted):
            raise
        except _SpentError:
            continue
        except Exception as error:  # noqa: BLE001  these inputs say nothing: the original refuses them
            done.why = done.why or _first_line(error)
            continue
        try:
            got = hosted(compiled())
        except Exception as error:  # noqa: BLE001  whatever it raises is the fix's fault
            done.outcome, done.why = "fails", _first_line(error)
            return
        if _are_complex(expected) and not _are_complex(got):
            continue  # a root of a negative number: Python has it, arrays of real numbers do not
        done.count += 1
        if found := compared_arrays(expected, got):
            done.outcome, done.why = "differs", found
            return
        if not originals.one_sided and done.count > 1:
            break
    if done.count:
        done.why = ""


def _are_complex(results: list[Any]) -> bool:
    return any(result.dtype.kind == "c" for result in results)


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]


class _SpentError(Exception):
    """The inputs have no such leaf to change."""


def _variants() -> Iterator[Change]:
    """Changes of inputs, so that conditions come out both ways: of all leaves alike, then of one after the other."""
    yield lambda leaves: leaves
    for leaf in _LEAF_CHANGES:
        yield partial(_each, leaf)
    for example in range(_EXAMPLES):
        for factor in (1.0, -1.0):
            yield partial(_each, partial(_alike, at=example, factor=factor))
    for at in range(_LEAVES):
        for leaf in _LEAF_CHANGES:
            yield partial(_one, leaf, at)


def _each(change: Callable[[Any], Any], leaves: list[Any]) -> list[Any]:
    return list(map(change, leaves))


def _one(change: Callable[[Any], Any], at: int, leaves: list[Any]) -> list[Any]:
    """The leaves with one of them changed.

    Raises:
        _SpentError: there is none of that number, or it is the only one.
    """
    if at >= len(leaves) or len(leaves) == 1:
        raise _SpentError
    return [change(leaf) if number == at else leaf for number, leaf in enumerate(leaves)]


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


def _alike(leaf: Any, at: int, factor: float) -> Any:
    """An array of which each part along the first axis is like one of them, scaled."""
    if not _kind(leaf) or not getattr(leaf, "ndim", 0) or not leaf.shape[0]:
        return _scaled(leaf, factor)
    index = np.full(leaf.shape[0], min(at, leaf.shape[0] - 1))
    return _scaled(leaf[index], factor)


_LEAF_CHANGES: tuple[Callable[[Any], Any], ...] = (
    *(partial(_scaled, factor=factor) for factor in (-1.0, 0.0, 1e-3, 1e3, -1e3, 0.1, 3.0)),
    _opposite,
    *(partial(_stepped, step=step) for step in (1, -1, 3)),
)


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
