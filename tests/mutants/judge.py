"""Runs a mutant with JAX and says whether it fails, and where. Runs in a worker."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import sys
import traceback
import types
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import numpy as np

from tests.mutants.failures import FAILURES
from tests.mutants.judgement import Judgement
from tests.mutants.limits import limited
from tests.mutants.observe import Observer
from tests.mutants.observed import Line

logging.disable(logging.CRITICAL)
SECONDS = 20
COMPILATION = "/jax/core/compile/jaxpr_to_mlir_module_duration"


def survey(path: str, name: str, driver: int) -> dict[int, Line]:
    """Runs an unchanged copy of a module with its driver, which starts at line `driver`; gives what its lines held."""
    observer = Observer(path, driver)
    with limited(SECONDS), _module(path, name) as (_, run), _tracing(observer):
        run()
    return observer.lines()


def judge(path: str, name: str, changed: tuple[int, int], second: int, silent: str) -> Judgement:
    """Runs a mutant whose lines `changed` (first and last) are new and whose second call stands on line `second`.

    `silent` names how a mutant that raises nothing may still be wrong: once (its effect happens in the first call
    only), stale (the second call ignores what changed), recompiles, or "" if it can't be.
    """
    hits = _Hits(path, changed, second)
    compilations: Counter[str] = Counter()
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, _seconds, **about: compilations.update(
            [str(about.get("fun_name"))] if event == COMPILATION else []
        )
    )
    try:
        with limited(SECONDS), _module(path, name) as (module, run):
            with _tracing(hits):
                run()
            wrong = _wrong(silent, hits, compilations, module, second)
    except TimeoutError as error:
        return Judgement(status="broken", line=0, error=str(error))
    except Exception as error:  # noqa: BLE001 - whatever the mutant raises is the result
        return _failure(error, path)
    finally:
        jax.monitoring.clear_event_listeners()
    if wrong:
        return Judgement(status="wrong", line=changed[0], error=wrong)
    status = "accepted" if hits.first else "unreached"
    return Judgement(status=status, line=0, error="")


class _Hits:
    """A `sys.settrace` function that counts how often the changed lines run before and from line `second` on."""

    def __init__(self, path: str, changed: tuple[int, int], second: int) -> None:
        self._path = path
        self._changed = range(changed[0], changed[1] + 1)
        self._second = second
        self._late = False
        self.first = 0
        self.later = 0

    def __call__(self, frame: types.FrameType, event: str, argument: object) -> Any:
        return self._line if frame.f_code.co_filename == self._path else None

    def _line(self, frame: types.FrameType, event: str, argument: object) -> Any:
        if event == "line":
            if frame.f_code.co_name == "<module>" and frame.f_lineno >= self._second:
                self._late = True
            if frame.f_lineno in self._changed:
                self.later += self._late
                self.first += not self._late
        return self._line


def _wrong(silent: str, hits: _Hits, compilations: Counter[str], module: types.ModuleType, second: int) -> str:
    """How a mutant that raised nothing is wrong, or ""."""
    match silent:
        case "once" if hits.first and not hits.later:
            return "runs while tracing only"
        case "recompiles" if compilations and max(compilations.values()) >= 3:
            return "compiles in each iteration"
        case "stale" if hits.first and not _same(module.second, _fresh(module, second)):
            return "the second call gives what the first one saw"
    return ""


def _fresh(module: types.ModuleType, second: int) -> object:
    """What the second call gives with nothing remembered."""
    jax.clear_caches()
    statement = Path(str(module.__file__)).read_text(encoding="utf-8").splitlines()[second - 1]
    return eval(statement.partition("=")[2].strip(), vars(module))


def _same(one: object, other: object) -> bool:
    left, right = jax.tree.leaves(one), jax.tree.leaves(other)
    return len(left) == len(right) and all(
        np.array_equal(np.asarray(a), np.asarray(b), equal_nan=np.asarray(a).dtype.kind in "fc")
        for a, b in zip(left, right, strict=True)
    )


def _failure(error: Exception, path: str) -> Judgement:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    text = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"[:200]
    tracing = lines and FAILURES.search(f"{type(error).__name__}: {error}")
    return Judgement(status="fails" if tracing else "broken", line=(lines[-1] or 0) if lines else 0, error=text)


@contextmanager
def _module(path: str, name: str) -> Iterator[tuple[types.ModuleType, Any]]:
    """A module as if the file stood in the package of its dotted name, and what runs it."""
    importlib.import_module(name.rpartition(".")[0])
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader = spec.loader
    try:
        yield module, lambda: loader.exec_module(module)
    finally:
        del sys.modules[name]


@contextmanager
def _tracing(function: Any) -> Iterator[None]:
    sys.settrace(function)
    try:
        yield
    finally:
        sys.settrace(None)
