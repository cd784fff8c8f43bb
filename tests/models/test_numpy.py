"""The model of NumPy against NumPy itself: which functions take a tracer."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jitlint.models.loading import models

_REFUSALS = (
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.ConcretizationTypeError,
)
_WRONG_WITHOUT_ERROR = {"numpy.array_equal", "numpy.array_equiv"}
"""They take the error for an answer, and say that a tracer equals nothing: reported all the same."""
_NO_COMPUTATION = {
    "numpy.info",
    "numpy.printoptions",
    "numpy.bmat",
    "numpy.test",
    "numpy.linalg.test",
    "numpy.fft.test",
}


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in (np, np.linalg, np.fft):
        for name in sorted(dir(module)):
            found = getattr(module, name)
            full = f"{module.__name__}.{name}"
            if callable(found) and not isinstance(found, type) and name[0] != "_" and full not in _NO_COMPUTATION:
                yield full, found


def outcomes(function: Callable[..., Any]) -> set[str]:
    """What becomes of calls with one, and with two tracers: "taken", "refused" or something else."""
    found = set()
    for count in (1, 2):

        def call(x: jax.Array, count: int = count) -> jax.Array:
            try:
                function(*[x] * count)
                found.add("taken")
            except _REFUSALS:
                found.add("refused")
            except Exception:  # noqa: BLE001  other arguments are wanted
                found.add("failed")
            return x

        with warnings.catch_warnings(action="ignore"), contextlib.redirect_stdout(io.StringIO()):
            jax.eval_shape(call, jnp.ones((3, 3)))
    return found


@pytest.mark.slow
def test_the_model_says_which_functions_refuse_tracers() -> None:
    known = models()
    taken, refused = [], []
    for name, function in functions():
        model = known.function(name)
        assert model is not None, name
        found = outcomes(function)
        if "taken" in found and model.result == "host" and not model.handler and name not in _WRONG_WITHOUT_ERROR:
            taken.append(name)
        if "refused" in found and "taken" not in found and model.result != "host":
            refused.append(name)
    # Of these only the second argument is refused.
    assert (taken, refused) == ([], ["numpy.repeat", "numpy.reshape"])
