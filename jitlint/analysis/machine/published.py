"""Finds the public names of a library's own functions and classes, where that library is the project.

In JAX's own source, `jax._src.api.jit` is `jax.jit`: the public module `jax` imports it from there. Where the models
know such a name, the interpreter uses the model instead of the source, or beside it: the model says what the source
does not show, as the result of a primitive.
"""

from __future__ import annotations

import ast
import functools
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from jitlint import ir
from jitlint.models.library import Models
from jitlint.project.modules import Module, Project

MAX_CHAIN = 4
"""Imports that are followed, from module to module, to a name's definition."""

Published = Mapping[str, Mapping[str, str]]
"""Public names, by the name of a module and the name in it: {"jax._src.api": {"jit": "jax.jit"}}."""

Source = tuple[Module, str]
"""A module and a name in it."""


def published(project: Project, models: Models) -> Published:
    """The public names that the models know, for the project's modules that define them or pass them on."""
    found: dict[str, dict[str, str]] = {}
    bindings = functools.cache(functools.partial(_bindings, project))
    libraries = {m.name.partition(".")[0]: m for m in project.given if m.name.partition(".")[0] in models.roots}
    if not libraries:
        return found
    for public in sorted(_public_modules(models)):
        importer = libraries.get(public.partition(".")[0])
        module = project.resolve(importer, public) if importer is not None else None
        if module is None:
            continue
        for name, source in bindings(module).items():
            public_name = models.canonical(f"{public}.{name}")
            if name[:1] != "_" and models.tells_of(public_name):
                _record(found, module, name, public_name)
                if source is not None:
                    _follow(bindings, found, *source, public_name)
    return found


def _public_modules(models: Models) -> set[str]:
    """The public modules in which names lie that the models know."""
    names = [*models.transforms, *models.classes, *models.functions, *models.aliases]
    return {name.rpartition(".")[0] for name in names if not any(part[:1] == "_" for part in name.split("."))}


def _bindings(project: Project, module: Module) -> Mapping[str, Source | None]:
    """The names that a module's top level binds, and where each is imported from, if that is in the project, too."""
    names: dict[str, Source | None] = {}
    for name, source in _bound_by_tree(project, module) if module.given else _bound_by_text(module):
        names[name] = None
        if source is not None:
            origin = project.resolve(module, project.absolute(module, source.module, source.level))
            names[name] = (origin, source.name) if origin is not None else None
    return names


class _Imported(NamedTuple):
    """`from ..module import name`."""

    module: str
    level: int
    name: str


def _bound_by_tree(project: Project, module: Module) -> Iterator[tuple[str, _Imported | None]]:
    """The names that a module's top level binds, with their import statements, from its IR."""
    tree = project.tree(module)
    for statement in tree.body if tree is not None else ():
        if isinstance(statement, ir.FunctionDef):
            yield statement.function.name, None
        elif isinstance(statement, ir.ClassDef):
            yield statement.name, None
        elif isinstance(statement, ir.Assign):
            yield from ((target.name, None) for target in statement.targets if isinstance(target, ir.Name))
        elif isinstance(statement, ir.ImportFrom):
            for imported, bound in statement.names:
                yield bound, _Imported(statement.module, statement.level, imported)


def _bound_by_text(module: Module) -> Iterator[tuple[str, _Imported | None]]:
    """The same by Python's own parser: to lower a module that may never be interpreted would cost more."""
    with warnings.catch_warnings(action="ignore"):
        try:
            body = ast.parse(module.source.text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield statement.name, None
        elif isinstance(statement, ast.Assign):
            yield from ((target.id, None) for target in statement.targets if isinstance(target, ast.Name))
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                yield alias.asname or alias.name, _Imported(statement.module or "", statement.level, alias.name)


def _record(found: dict[str, dict[str, str]], module: Module, name: str, public_name: str) -> None:
    """Enters a public name, unless the module's name has one already."""
    found.setdefault(module.name, {}).setdefault(name, public_name)


def _follow(
    bindings: Callable[[Module], Mapping[str, Source | None]],
    found: dict[str, dict[str, str]],
    module: Module,
    name: str,
    public_name: str,
) -> None:
    """Enters a public name for each module on the way from import to import to the definition."""
    for _ in range(MAX_CHAIN):
        _record(found, module, name, public_name)
        source = bindings(module).get(name)
        if source is None:
            return
        module, name = source
