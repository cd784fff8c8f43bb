"""Notes what transformed functions are traced with.

As soon as a module with a transform such as `jax.jit` is loaded, the transform is replaced by one that puts the user's
function into a thin wrapper first; its result is JAX's own object with all attributes. The wrapper runs when JAX
traces, once per signature, and sees static arguments as values and the rest as tracers, in the caller's structure.

A signature is `{"transform": "jax.jit", "mapped": 0, "arguments": {parameter: form}, "function": form}`: `mapped`
counts the `vmap`s between the transform and the function, `function` is there for one that was made inside another.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import inspect
import json
import os
import sys
import threading
import time
import types
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from . import forms, store

OUTPUT, ROOT = "JITLINT_RECORD_OUTPUT", "JITLINT_RECORD_ROOT"
"""Environment variables: the file to write, and the folder whose functions are recorded."""

_TRANSFORMS = {
    "jax": ("jit", "pmap"),
    "jax.experimental.pjit": ("pjit",),
    "equinox": ("filter_jit",),
    "flax.nnx": ("jit",),
}
_RECORDED = "__jitlint_recorded__"
_PAUSE = 1.0
"""Seconds between two writes while the program runs; the rest is written at its end."""
_LARGEST = 200_000
"""The most characters of one signature."""


def start() -> None:
    """Starts recording if the environment names a file to write to."""
    if OUTPUT in os.environ and ROOT in os.environ:
        begin(Path(os.environ[OUTPUT]), Path(os.environ[ROOT]))


def begin(file: Path, root: Path) -> Callable[[], None]:
    """Starts recording in this process.

    Args:
        file: the file to write to.
        root: the folder whose functions are recorded.

    Returns:
        A function that writes what is new; at the end of the process it is called in any case.
    """
    recorder = _Recorder(file, root.resolve())
    for name in _TRANSFORMS.keys() & sys.modules.keys():
        recorder.replace(sys.modules[name])
    sys.meta_path.insert(0, _Finder(recorder))
    atexit.register(recorder.write)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=recorder.forked)
    return recorder.write


class _Finder:
    """Replaces a module's transforms when it is loaded."""

    def __init__(self, recorder: _Recorder) -> None:
        self._recorder = recorder

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in _TRANSFORMS:
            return None
        for finder in sys.meta_path:
            if finder is not self and (spec := finder.find_spec(name, path, target)) is not None:
                self._follow(spec)
                return spec
        return None

    def _follow(self, spec: ModuleSpec) -> None:
        loader: Any = spec.loader
        execute = loader.exec_module

        def exec_module(module: types.ModuleType) -> None:
            del loader.exec_module
            execute(module)
            self._recorder.replace(module)

        loader.exec_module = exec_module


class _Recorder:
    def __init__(self, file: Path, root: Path) -> None:
        self._file = file
        self._root = root
        self._new: dict[str, dict[str, Any]] = {}
        self._seen: dict[str, set[str]] = {}
        self._written = 0.0
        self._pause = _PAUSE
        self._lock = threading.RLock()

    def replace(self, module: types.ModuleType) -> None:
        """Replaces the transforms of a module that is loaded."""
        for name in _TRANSFORMS[module.__name__]:
            if hasattr(module, name):
                setattr(module, name, self.recording(getattr(module, name), f"{module.__name__}.{name}"))
        _hide_frames()

    def recording(self, transform: Callable[..., Any], name: str) -> Callable[..., Any]:
        """A wrapper around a transform that records the functions it gets."""

        @functools.wraps(transform)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            if args:
                return transform(self._observed(args[0], name), *args[1:], **kwargs)
            for keyword in ("fun", "f"):
                if keyword in kwargs:
                    return transform(**{**kwargs, keyword: self._observed(kwargs[keyword], name)})
            decorator = transform(**kwargs)
            return lambda function: decorator(self._observed(function, name))

        return recorded

    def forked(self) -> None:
        """Prepares a forked child: it may end without notice, so it writes at once; the parent writes its own notes."""
        self._lock = threading.RLock()
        self._new = {}
        self._pause = 0.0

    def write(self) -> None:
        """Writes what is new."""
        with self._lock:
            new, self._new = self._new, {}
            self._written = time.monotonic()
            if new:
                # The command that records reports trouble with the file.
                with contextlib.suppress(store.StoreError, OSError):
                    store.merge(self._file, new)

    def _observed(self, function: Any, transform: str) -> Any:
        """A wrapper that notes the function's arguments; always the same one, since JAX's caches compare functions."""
        if isinstance(function, functools.partial):
            inner = self._observed(function.func, transform)
            if inner is function.func:
                return function
            return _made_once(
                function, transform, lambda: functools.partial(inner, *function.args, **function.keywords)
            )
        if isinstance(function, types.MethodType):
            inner = self._observed(function.__func__, transform)
            return function if inner is function.__func__ else types.MethodType(inner, function.__self__)
        if not isinstance(function, types.FunctionType) or not self._is_recorded(function):
            return function
        return _made_once(function, transform, lambda: self._wrapper(function, transform))

    def _wrapper(self, function: types.FunctionType, transform: str) -> Any:
        bottom, mapped = _bottom(function)

        @functools.wraps(function)
        def traced(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True  # pytest leaves the frame out, as jax does
            with contextlib.suppress(Exception):  # the program must go on, recorded or not
                self._note(bottom, mapped, transform, inspect.signature(function).bind(*args, **kwargs).arguments)
            return function(*args, **kwargs)

        return traced

    def _is_recorded(self, function: types.FunctionType) -> bool:
        """Whether a function is the user's, and no generator or coroutine."""
        bottom, _ = _bottom(function)
        if not isinstance(bottom, types.FunctionType) or function.__code__.co_filename == __file__:
            return False
        if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
            return False
        file = Path(bottom.__code__.co_filename)
        parts = set(file.parts)
        return file.is_absolute() and file.resolve().is_relative_to(self._root) and "site-packages" not in parts

    def _note(self, bottom: types.FunctionType, mapped: int, transform: str, arguments: dict[str, Any]) -> None:
        file = Path(bottom.__code__.co_filename).resolve()
        name = f"{forms.module_name(file)}:{bottom.__qualname__}"
        with self._lock:
            seen = self._seen.setdefault(name, set())
            if len(seen) >= store.LIMIT:
                return
        signature: dict[str, Any] = {
            "transform": transform,
            "mapped": mapped,
            "arguments": {parameter: forms.form(value) for parameter, value in arguments.items()},
        }
        if "<locals>" in bottom.__qualname__:
            signature["function"] = forms.form(bottom)
        text = json.dumps(signature)
        if len(text) > _LARGEST:
            return
        with self._lock:
            if text in seen:
                return
            seen.add(text)
            entry = self._new.setdefault(
                name,
                {
                    "file": os.path.relpath(file, self._root),
                    "line": bottom.__code__.co_firstlineno,
                    "signatures": [],
                },
            )
            entry["signatures"].append(json.loads(text))
            if time.monotonic() - self._written >= self._pause:
                self.write()


def _hide_frames() -> None:
    """Asks jax to hide our frames in tracebacks like its own. The function is private; without it they show."""
    for name in ("traceback_util", "source_info_util"):
        hide = getattr(getattr(sys.modules.get("jax._src"), name, None), "register_exclusion", None)
        if callable(hide):
            hide(__file__)


def _bottom(function: Any) -> tuple[Any, int]:
    """The function inside all wrappers, and how many of these are `vmap`s, by jax's private name for them."""
    mapped = 0
    for _ in range(50):
        code = getattr(function, "__code__", None)
        inner = getattr(function, "__wrapped__", None) or getattr(function, "__func__", None)
        if isinstance(function, functools.partial):
            inner = function.func
        elif code is not None and "fun" in code.co_freevars and f"{os.sep}jax{os.sep}" in code.co_filename:
            inner = function.__closure__[code.co_freevars.index("fun")].cell_contents
        if inner is None:
            break
        mapped += code is not None and code.co_name == "vmap_f"
        function = inner
    return function, mapped


def _made_once(function: Any, transform: str, make: Callable[[], Any]) -> Any:
    """Makes something for a function once, and stores it in the function, with which it goes away."""
    known = vars(function).get(_RECORDED)
    # `functools.wraps` copies it to other functions, for which it is wrong.
    if known is not None and known[0] is function and known[1] == transform:
        return known[2]
    made = make()
    vars(function)[_RECORDED] = (function, transform, made)
    return made
