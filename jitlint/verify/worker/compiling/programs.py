"""Programs: functions with inputs, ready to be traced, compiled and run. A reached entry point becomes one."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import jit  # as it is before user code replaces it

from ..inputs.known_inputs import GUESSED
from ..inputs.specs import Array, Given, Key, Omitted, Plain, Spec, leaves
from ..inputs.targets import Call, Inputs, Target
from ..judging.replay import Replay
from ..user_code.uses import Use
from ..watching.watch import Capture

SEARCH, CALL_SITE = "search", "call site"

Change = Callable[[list[Any]], list[Any]]
"""Makes other leaves of a function's inputs, of the same shapes."""


@dataclass(frozen=True)
class Program:
    """A function with its inputs.

    Attributes:
        label: its name for people.
        inputs: the inputs for people.
        source: the origin of the inputs, as in `Described`.
        trace: traces it, like `jax.jit(f).trace(…)`. This and the next three make arguments of their own.
        compiled: runs it under jit.
        eager: runs it without jit.
        shaken: runs it without jit, on inputs changed in their last bits.
        varied: for a change of the inputs' leaves, what runs it under jit and without, with that change.
        known: whether the inputs are what the user's own code passes.
        plain: whether every input is an array and used as one: then a failing tracer is not the made-up inputs' fault.
        arrays: whether there is an array among the inputs, or none is needed.
        python: whether Python values were made up where arrays may be meant.
        runs: whether it can run, and not only be traced.
    """

    label: str
    inputs: list[str]
    source: str
    trace: Callable[[], Any]
    compiled: Callable[[], Any]
    eager: Callable[[], Any]
    shaken: Callable[[], Any]
    varied: Callable[[Change], tuple[Callable[[], Any], Callable[[], Any]]]
    known: bool = False
    plain: bool = False
    arrays: bool = True
    python: bool = False
    runs: bool = True


def of_inputs(target: Target, inputs: Inputs, source: str) -> Program:
    """The program of a target with found inputs."""
    specs = [part for _, spec in inputs for _, part in leaves(spec)]
    uses = {parameter.name: parameter.use for parameter in target.parameters}
    plain = target.owner is None and all(_is_sure(spec, uses[name]) for name, spec in inputs)
    arrays = not inputs or any(isinstance(spec, (Array, Key, Given)) or _is_number(spec) for spec in specs)
    described = target.describe(inputs)
    made = _program(target, lambda it, execute: it.thunk(inputs, execute=execute), described, source)
    known = source not in GUESSED
    python = not known and any(isinstance(spec, Plain) for spec in specs)
    return dataclasses.replace(made, known=known, plain=plain, arrays=arrays, python=python)


def of_call(target: Target, call: Call, *, known: bool) -> Program:
    """The program of a call in the user's code; `known` says that its arguments have the same values here as there."""
    made = _program(target, lambda it, execute: it.given_thunk(call, execute=execute), [call.text], CALL_SITE)
    return dataclasses.replace(made, known=known)


def _program(
    target: Target, thunk: Callable[[Target, bool], Callable[[], Any]], inputs: list[str], source: str
) -> Program:
    eager = getattr(target.function, "__wrapped__", target.function) if target.wrap is None else target.function

    def changed(function: Callable[..., Any], change: Change, wrap: Any = None) -> Callable[[], Any]:
        return thunk(dataclasses.replace(target, function=_with_leaves(function, change), wrap=wrap), True)

    def variant(function: Callable[..., Any], leaf: Callable[[Any], Any], wrap: Any = None) -> Callable[[], Any]:
        return changed(function, lambda leaves: list(map(leaf, leaves)), wrap)

    return Program(
        target.label,
        inputs,
        source,
        thunk(target, False),
        variant(target.function, _copied, target.wrap),
        variant(eager, _copied),
        variant(eager, _shaken),
        lambda change: (changed(target.function, _of_copies(change), target.wrap), changed(eager, _of_copies(change))),
        runs=target.stage is None,
    )


def of_capture(name: str, capture: Capture, source: str) -> Program:
    """The program of a function that JAX traced while something else ran.

    Raises:
        Exception: the user's pytree classes raise when they are flattened.
    """
    replay = Replay(capture)

    def trace() -> Any:
        return jit(replay.fresh()).trace(*replay.arrays)

    def compiled() -> Any:
        return jit(replay.fresh())(*replay.arrays)

    def eager() -> Any:
        return replay.fresh()(*replay.arrays)

    def shaken() -> Any:
        return replay.fresh()(*map(_shaken, replay.arrays))

    def varied(change: Change) -> tuple[Callable[[], Any], Callable[[], Any]]:
        return (lambda: jit(replay.fresh())(*change(replay.arrays))), (lambda: replay.fresh()(*change(replay.arrays)))

    known = source not in GUESSED
    return Program(name, replay.described, source, trace, compiled, eager, shaken, varied, known)


def _with_leaves(function: Callable[..., Any], change: Change) -> Callable[..., Any]:
    """The function, with a change made to the leaves of its arguments."""

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
        args, kwargs = jax.tree_util.tree_unflatten(tree, change(leaves))
        return function(*args, **kwargs)

    return call


def _copied(leaf: Any) -> Any:
    """A copy of a leaf that a call may donate or change."""
    return leaf.copy() if isinstance(leaf, (jax.Array, np.ndarray)) else leaf


def _of_copies(change: Change) -> Change:
    return lambda leaves: change(list(map(_copied, leaves)))


def _shaken(leaf: Any) -> Any:
    """A leaf with its last bits changed, up for some elements and down for others."""
    if isinstance(leaf, float):
        return leaf * (1 + 2.0**-21)
    if not is_array(leaf) or not jax.numpy.issubdtype(leaf.dtype, jax.numpy.floating):
        return _copied(leaf)
    signs = np.where(np.arange(leaf.size).reshape(leaf.shape) % 2, 1, -1)
    step = 4 * float(jax.numpy.finfo(leaf.dtype).eps)
    return (leaf * (1 + step * signs)).astype(leaf.dtype)


class Jitted:
    """Puts a function under jit as the user of a library would: arrays are traced, all other arguments fixed.

    Without any array, floating-point numbers become arrays, unless the function needs their values.

    Args:
        function: the function.
        results: gets the function's result at each trace, in place of the last one.
    """

    def __init__(self, function: Callable[..., Any], results: list[Any]) -> None:
        self._function = function
        self._results = results

    def trace(self, *args: Any, **kwargs: Any) -> Any:
        return self._tried(args, kwargs, lambda jitted, traced: jitted.trace(traced))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._tried(args, kwargs, lambda jitted, traced: jitted(traced))

    def _tried(self, args: tuple[Any, ...], kwargs: dict[str, Any], act: Callable[[Any, list[Any]], Any]) -> Any:
        parts, tree = jax.tree_util.tree_flatten((args, kwargs))
        arrays = [at for at, part in enumerate(parts) if is_array(part)]
        numbers = [at for at, part in enumerate(parts) if isinstance(part, (float, complex))]
        if numbers and not arrays:
            try:
                return act(self._jitted(parts, tree, numbers), [parts[at] for at in numbers])
            except (TypeError, ValueError):  # tracers raise TypeErrors
                pass
        return act(self._jitted(parts, tree, arrays), [parts[at] for at in arrays])

    def _jitted(self, parts: list[Any], tree: Any, traced: list[int]) -> Any:
        def function(values: list[Any]) -> Any:
            whole = list(parts)
            for at, value in zip(traced, values, strict=True):
                whole[at] = value
            given, named = jax.tree_util.tree_unflatten(tree, whole)
            self._results[:] = [self._function(*given, **named)]
            return arrays_of(self._results[0])

        function.__name__ = getattr(self._function, "__name__", "function")
        return jit(function)


def _is_sure(spec: Spec, use: Use) -> bool:
    """Whether a made-up input is surely right in kind: an array that the code uses as one, or a key."""
    if isinstance(spec, Array):
        return bool(use.array_attributes)
    return isinstance(spec, Omitted) or (isinstance(spec, Key) and use.key)


def _is_number(spec: Spec) -> bool:
    return isinstance(spec, Plain) and isinstance(spec.value, (int, float, complex))


def is_array(value: Any) -> bool:
    """Whether a value is an array of JAX or NumPy (a tracer too)."""
    return isinstance(value, (jax.Array, np.ndarray, np.generic))


def arrays_of(value: Any) -> list[Any]:
    """The arrays and numbers in a result, in order."""
    parts = jax.tree_util.tree_leaves(value)
    return [part for part in parts if is_array(part) or isinstance(part, (bool, int, float, complex))]
