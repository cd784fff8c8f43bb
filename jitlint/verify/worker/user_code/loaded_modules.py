"""The user's loaded modules, and how functions are found in them by name."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Iterator, Mapping
from typing import Any

Candidate = tuple[str, Any, type | None]
"""A possible target: its label, the value, and the class whose method or property it is (None for functions)."""


class Modules:
    """The loaded modules, by name and by file."""

    def __init__(self, modules: Mapping[str, types.ModuleType]) -> None:
        self._modules = modules
        self._by_file = {getattr(m, "__file__", ""): m for m in modules.values()}

    def __contains__(self, name: str) -> bool:
        return name in self._modules

    def __iter__(self) -> Iterator[types.ModuleType]:
        return iter(self._modules.values())

    def named(self, name: str) -> types.ModuleType | None:
        """The module of this name, None if it is not loaded."""
        return self._modules.get(name)

    def of_file(self, file: str) -> types.ModuleType | None:
        """The module that was loaded from a file, None if none was."""
        return self._by_file.get(file)

    def attribute(self, module: str, qualname: str) -> Candidate | None:
        """The value of a dotted name in a module; for a property, the function that computes it."""
        value: Any = self._modules.get(module)
        owner = None
        if value is None or not qualname:
            return None
        for part in qualname.split("."):
            owner = value if isinstance(value, type) else None
            value = inspect.getattr_static(value, part, None) if owner is not None else getattr(value, part, None)
            if value is None:
                return None
        if isinstance(value, (staticmethod, classmethod)):
            return qualname, getattr(owner, qualname.rpartition(".")[2]), None
        if isinstance(value, property):
            return qualname, value.fget, owner
        if isinstance(value, functools.cached_property):
            return qualname, value.func, owner
        return qualname, value, owner

    def symbol(self, module: types.ModuleType, symbol: str) -> Candidate | None:
        """The module-level function or method around a place."""
        name = module.__name__
        inner = symbol.removeprefix(name).lstrip(".").split(".<locals>")[0]
        return self.attribute(name, inner)
