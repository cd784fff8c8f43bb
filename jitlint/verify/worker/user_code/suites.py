"""Calls a project's tests as pytest would: with the values of their marks, and with fixtures."""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import tempfile
import types
import unittest
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

_CASES = 3
"""So many of a test's parametrized cases are run."""

_CONFTESTS = 4
"""So many folders up from a test's file, `conftest.py` is looked for."""


class Fixtures:
    """The fixtures that a test module can ask for: its own, those of `conftest.py`, and a few of pytest's.

    Args:
        module: the loaded module.
    """

    def __init__(self, module: types.ModuleType) -> None:
        self._known = dict(vars(module))
        self._kept: dict[str, Any] = {}
        for folder in [*Path(str(module.__file__)).parents][:_CONFTESTS]:
            if (folder / "conftest.py").is_file():
                self._known = {**_of_file(folder / "conftest.py"), **self._known}

    def of(self, test: Callable[..., object], given: Mapping[str, Any]) -> dict[str, Any] | None:
        """The arguments of a test or fixture, those that its marks give among them; None if one is unknown.

        Raises:
            Exception: whatever fixtures raise.
        """
        arguments = dict(given)
        for name in _needed(test):
            if name in arguments:
                continue
            if not self.provides(name):
                return None
            arguments[name] = self._made(name)
        return arguments

    def provides(self, name: str) -> bool:
        """Whether a name stands for a fixture that can be made."""
        return name in _BUILT_IN or _marker(self._known.get(name)) is not None

    def _made(self, name: str) -> Any:
        if name in self._kept:
            return self._kept[name]
        if name in _BUILT_IN:
            return _BUILT_IN[name]()
        fixture = self._known[name]
        marker = _marker(fixture)
        request = types.SimpleNamespace(param=next(iter(getattr(marker, "params", None) or [None])))
        function = _function_of(fixture)
        arguments = self.of(function, {"request": request} if "request" in _needed(function) else {})
        if arguments is None:
            raise LookupError(f"the fixture `{name}` asks for what pytest alone can give")
        made = function(**arguments)
        value = next(made) if inspect.isgeneratorfunction(function) else made
        if getattr(marker, "scope", "function") != "function":
            self._kept[name] = value
        return value


def calls(module: types.ModuleType, name: str, fixtures: Fixtures) -> Iterator[Callable[[], object]]:
    """The calls of a test, or of all tests of a class; none for what only pytest can call.

    Args:
        module: the loaded module.
        name: the name of the function or class in it.
        fixtures: what the module's tests can ask for.
    """
    found = getattr(module, name, None)
    if isinstance(found, type) and issubclass(found, unittest.TestCase):
        yield from (found(test).debug for test in dir(found) if test.startswith("test"))
    elif isinstance(found, type) and name.startswith("Test"):
        for test in (test for test in vars(found) if test.startswith("test")):
            yield from _of_function(getattr(found(), test), fixtures)
    elif isinstance(found, types.FunctionType):
        yield from _of_function(found, fixtures)


def _of_function(test: Callable[..., object], fixtures: Fixtures) -> Iterator[Callable[[], object]]:
    for given in _cases(test):
        if all(name in given or fixtures.provides(name) for name in _needed(test)):

            def call(given: Mapping[str, Any] = given) -> object:
                arguments = fixtures.of(test, given)
                return None if arguments is None else test(**arguments)

            yield call


def _cases(test: Callable[..., object]) -> Iterator[Mapping[str, Any]]:
    """What a test's marks give in its first cases; of several marks all values come early, not all pairs of them."""
    rows: list[list[Mapping[str, Any]]] = []
    for mark in getattr(test, "pytestmark", ()):
        if mark.name in ("skip", "xfail") or mark.kwargs.get("indirect"):
            return
        if mark.name == "parametrize" and len(mark.args) > 1:
            rows.append([_row(mark.args[0], value) for value in mark.args[1]])
    if not all(rows):
        return
    for at in range(min(_CASES, max(map(len, rows), default=1))):
        yield dict(itertools.chain(*(row[at % len(row)].items() for row in rows)))


def _row(names: str | Sequence[str], value: Any) -> Mapping[str, Any]:
    """One set of a mark's values, by the names that the mark gives them."""
    split = [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else list(names)
    values = getattr(value, "values", None)
    if isinstance(values, tuple):  # a `pytest.param`
        return dict(zip(split, values, strict=False))
    return {split[0]: value} if len(split) == 1 else dict(zip(split, value, strict=False))


def _needed(function: Callable[..., object]) -> list[str]:
    """The parameters that a function cannot do without."""
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return [one.name for one in parameters if one.default is one.empty and one.kind not in kinds]


def _marker(value: object) -> Any:
    """What `pytest.fixture` noted on a function; its name depends on pytest's version."""
    for name in ("_fixture_function_marker", "_pytestfixturefunction"):
        if (marker := getattr(value, name, None)) is not None:
            return marker
    return None


def _function_of(fixture: Any) -> Callable[..., Any]:
    """The function under `pytest.fixture`."""
    inner = getattr(fixture, "_fixture_function", None)
    wrapped = getattr(fixture, "__pytest_wrapped__", None)
    function: Callable[..., Any] = inner or getattr(wrapped, "obj", fixture)
    return function


def _of_file(file: Path) -> dict[str, Any]:
    """What a `conftest.py` defines; nothing if it cannot be loaded."""
    spec = importlib.util.spec_from_file_location("conftest", file)
    if spec is None or spec.loader is None:
        return {}
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception:  # noqa: BLE001  it is the user's
        return {}
    return vars(module)


def _monkeypatch() -> Any:
    return importlib.import_module("pytest").MonkeyPatch()


_BUILT_IN: Mapping[str, Callable[[], Any]] = {
    "tmp_path": lambda: Path(tempfile.mkdtemp()),
    "monkeypatch": _monkeypatch,
}
"""Fixtures of pytest itself."""
