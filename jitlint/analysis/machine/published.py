"""A library that is itself the project: what its modules define stands for the public names that the models know.

Inside `jax`, `from jax._src.api import jit` is `jax.jit`. Python tells us so: the public module `jax` imports it from
there. What the models know of such a name is better than what following its source would find, or says what the source
does not: what a function gives whose result cannot be followed.
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
"""Imports from module to module until a name's definition is reached."""

Published = Mapping[str, Mapping[str, str]]
"""By module and name in it: the public name."""

Source = tuple[Module, str]
"""A module and a name in it."""


def published(project: Project, models: Models) -> Published:
    """The names that the models know, where the project's own modules define or pass them on."""
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
            known = models.canonical(f"{public}.{name}")
            if name[:1] != "_" and models.describes(known):
                _record(found, module, name, known)
                if source is not None:
                    _follow(bindings, found, *source, known)
    return found


def _public_modules(models: Models) -> set[str]:
    names = [*models.transforms, *models.classes, *models.functions, *models.aliases]
    return {name.rpartition(".")[0] for name in names if not any(part[:1] == "_" for part in name.split("."))}


def _bindings(project: Project, module: Module) -> Mapping[str, Source | None]:
    """The names that a module's top binds, and where they are imported from, if that is in the project too."""
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
    """The same of a module that may never be interpreted, so that no tree of it is worth its price."""
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


def _record(found: dict[str, dict[str, str]], module: Module, name: str, known: str) -> None:
    found.setdefault(module.name, {}).setdefault(name, known)


def _follow(
    bindings: Callable[[Module], Mapping[str, Source | None]],
    found: dict[str, dict[str, str]],
    module: Module,
    name: str,
    known: str,
) -> None:
    """Records a name along the imports that lead to its definition."""
    for _ in range(MAX_CHAIN):
        _record(found, module, name, known)
        source = bindings(module).get(name)
        if source is None:
            return
        module, name = source
