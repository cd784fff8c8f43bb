"""Recipes: how a function or method of an installed package is called so that it traces, and the driver text for it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

IMPORTS = {
    "jax": "import jax",
    "jnp": "import jax.numpy as jnp",
    "np": "import numpy as np",
    "math": "import math",
    "random": "import random",
    "time": "import time",
    "logging": "import logging",
    "functools": "import functools",
    "collections": "import collections",
    "dataclasses": "import dataclasses",
    "operator": "import operator",
    "itertools": "import itertools",
    "os": "import os",
}
_MEANINGS = {name: line.removeprefix("import ").partition(" as ")[0] for name, line in IMPORTS.items()}


@dataclass(frozen=True, slots=True)
class Recipe:
    """A call that traces. `target` is the function that is jitted; `body` is empty, or the lines of a function named
    `target` that is defined first. `arguments` are expressions, `static` the positions of the static ones."""

    module: str
    target: str
    arguments: tuple[str, ...]
    static: tuple[int, ...] = ()
    body: tuple[str, ...] = ()

    @property
    def package(self) -> str:
        return self.module.partition(".")[0]

    @property
    def name(self) -> str:
        """What is called, for people."""
        return f"{self.module}:{self.body[-1].strip() if self.body else self.target}"

    def definition(self) -> list[str]:
        """The lines that define the target, if it is not the module's own."""
        return ["", "", *self.body, "", ""] if self.body else []

    def jit(self, function: str = "") -> str:
        """The expression that makes the jitted function."""
        static = f", static_argnums={self.static!r}" if self.static else ""
        return f"jax.jit({function or self.target}{static})"

    def call(self, function: str = "entry") -> str:
        return f"{function}({', '.join(self.arguments)})"

    def driver(self) -> list[str]:
        """The lines that jit the target and call it twice."""
        return [f"entry = {self.jit()}", f"first = {self.call()}", f"second = {self.call()}"]


class ImportConflictError(Exception):
    """The module binds a name that the added code needs for something else."""


def missing_imports(tree: ast.Module, text: str) -> list[str]:
    """Import lines for the names of IMPORTS that `text` uses and the module does not bind.

    Raises:
        ImportConflictError: the module binds one of them to something else.
    """
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    bound = _bound(tree)
    for name in sorted(used & IMPORTS.keys() & bound.keys()):
        if bound[name].replace("jax._src.", "jax.") != _MEANINGS[name]:
            raise ImportConflictError(f"{name} is {bound[name]}")
    return [IMPORTS[name] for name in IMPORTS if name in used and name not in bound]


def _bound(tree: ast.Module) -> Mapping[str, str]:
    """Names bound by the module's top level, with the dotted name of what an import binds, "" for anything else."""
    bound: dict[str, str] = {}
    for statement in tree.body:
        match statement:
            case ast.Import(names=names):
                for alias in names:
                    bound[alias.asname or alias.name.partition(".")[0]] = (
                        alias.name if alias.asname else alias.name.partition(".")[0]
                    )
            case ast.ImportFrom(module=module, names=names):
                bound.update({alias.asname or alias.name: f"{module}.{alias.name}" for alias in names})
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
                bound[name] = ""
            case _:
                bound.update(
                    {name.id: "" for name in ast.walk(statement) if isinstance(name, ast.Name) and _stored(name)}
                )
    return bound


def _stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)
