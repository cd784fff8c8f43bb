"""Drivers: functions and tests that the user names because they run the code that is verified."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import types
import unittest
from pathlib import Path
from typing import Any

from ..messages import DriverRequest


class DriverError(Exception):
    """A driver cannot be called; the message says why and what to do."""


def run(driver: DriverRequest) -> Any:
    """Calls a driver.

    Args:
        driver: "module:function" or the id of a test, and the folder that modules and test files are looked for in.

    Raises:
        DriverError: it takes arguments, such as a test's fixtures.
        Exception: what the driver raises, or the import of its module.
    """
    folder, name = Path(driver.folder), driver.name
    for path in (str(folder / "src"), str(folder)):
        if path not in sys.path and Path(path).is_dir():
            sys.path.insert(0, path)
    if "::" in name:
        file, *parts = name.split("::")
        value: Any = _by_file((folder / file).resolve())
    else:
        module, _, qualname = name.partition(":")
        value, parts = importlib.import_module(module), qualname.split(".")
    for part in (part.partition("[")[0] for part in parts):
        if isinstance(value, type) and issubclass(value, unittest.TestCase):
            return value(part).debug()
        value = getattr(value() if isinstance(value, type) and "::" in name else value, part)
    return _called(value)


def _by_file(file: Path) -> types.ModuleType:
    """The module of a test file, which need not lie in a package."""
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == str(file):
            return module
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise DriverError(f"{file.name} is no Python file")
    if str(file.parent) not in sys.path:
        sys.path.insert(0, str(file.parent))
    module = sys.modules[file.stem] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[file.stem]
        raise
    return module


def _called(function: Any) -> Any:
    needed = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if needed:
        raise DriverError(f"it takes {', '.join(needed)}; name a function without arguments or fixtures")
    return function()
