"""What a transform gives the functions that it calls: tracers, arrays, or what was passed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from tools.ask_jax.files import Row
from tools.ask_jax.uses import NUMBER, USES, Use

_RAISED = (jax.errors.TracerBoolConversionError, jax.errors.ConcretizationTypeError)


class Recorder:
    """Makes functions that note what they are called with, the first time."""

    def __init__(self) -> None:
        self.calls: dict[str, str] = {}
        self.constants: dict[str, str] = {}

    def __call__(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function`, noted as `name`."""

        def noted(*args: Any, **kwargs: Any) -> Any:
            self._note(name, args, kwargs)
            return function(*args, **kwargs)

        return noted

    def _note(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if name not in self.calls:
            words = [*map(_word, args), *(f"{key}={_word(value)}" for key, value in kwargs.items())]
            self.calls[name] = f"{name}({', '.join(words)})"
            self.constants[name] = "staged" if isinstance(jax.numpy.arange(3), jax.core.Tracer) else "computed"


def _word(value: Any) -> str:
    """What an argument is, seen from inside."""
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_word, value))})"
    if isinstance(value, jax.core.Tracer):
        if "Ref" in type(value.aval).__name__:
            return "ref"
        try:
            bool((value == value).all())
        except _RAISED:
            return "traced"
        return "concrete"
    if isinstance(value, jax.Array):
        return "array"
    if isinstance(value, (np.ndarray, np.generic)):
        return "host"
    if value is NUMBER:
        return "passed"
    if callable(value):
        return "function"
    return "pytree" if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(value)) else "static"


def ask_transforms(module: str) -> dict[str, Row]:
    """All facts about the transforms of a module, by name."""
    return {name: ask_transform(use) for name, use in USES.get(module, {}).items()}


def ask_transform(use: Use) -> Row:
    """What the functions get that a transform is given, without options and with each of them."""
    calls, constants = _seen(use.call)
    row = {"calls": calls, "constants": constants}
    for option, call in use.options.items():
        row[option] = _seen(call)[0]
    return row


def _seen(call: Callable[[Recorder], Any]) -> tuple[str, str]:
    """The calls that a use of the transform makes, and whether JAX operations on constants are staged in them."""
    recorder = Recorder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jax.block_until_ready(jax.tree.leaves(call(recorder)))
        jax.effects_barrier()
    found = recorder.constants
    words = set(found.values())
    constants = words.pop() if len(words) == 1 else ", ".join(f"{name}: {word}" for name, word in sorted(found.items()))
    return ", ".join(recorder.calls[name] for name in sorted(recorder.calls)), constants
