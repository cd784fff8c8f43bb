"""Inputs that are known before anything runs: recorded, declared in a comment, or declared in the configuration.

Workers get them as `{"origin", "file", "qualname", "arguments": {parameter: form}}`; recorded ones have the other parts
of their signature too (see the recorder).
"""

from __future__ import annotations

import ast
import builtins
import difflib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jitlint.findings.finding import FileError
from jitlint.project.files import display_path
from jitlint.rules.tool.bad_configuration import BadConfiguration
from jitlint.source.pragmas import declarations
from jitlint.source.text import SourceFile
from jitlint.verify.declared import DeclarationError, arguments, names
from jitlint.verify.record import signatures
from jitlint.verify.recorder import store
from jitlint.verify.recorder.forms import module_name

Known = Mapping[str, Any]
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class KnownInputs:
    """Known inputs in the order in which they are tried, and the errors in others."""

    inputs: tuple[Known, ...]
    errors: tuple[FileError, ...] = ()


def recorded(sources: Sequence[SourceFile], file: Path, root: Path) -> KnownInputs:
    """Returns the recorded inputs of functions in `sources`.

    Args:
        sources: the project's files.
        file: where `jitlint record` wrote.
        root: the folder that the recorded paths are relative to.
    """
    try:
        functions = signatures(file)
    except store.StoreError as error:
        return KnownInputs((), (FileError(display_path(file, Path.cwd()), str(error), BadConfiguration.code),))
    real = {os.path.realpath(source.path): os.path.abspath(source.path) for source in sources}
    found = []
    for name, entry in functions.items():
        path = real.get(os.path.realpath(root / entry["file"]))
        if path is not None:
            mine = {"origin": "recorded", "file": path, "qualname": name.partition(":")[2]}
            found += [{**signature, **mine} for signature in reversed(entry["signatures"])]
    return KnownInputs(tuple(found))


def declared(sources: Sequence[SourceFile], configured: Mapping[str, str], table: str) -> KnownInputs:
    """Returns the inputs declared in comments, then those of the configuration.

    Args:
        sources: the project's files.
        configured: the configuration's declarations by "module:qualname".
        table: the configuration's path, for errors.
    """
    found: list[Known] = []
    errors: list[FileError] = []
    by_module = {module_name(Path(os.path.abspath(source.path))): source for source in sources}
    for source in sources:
        if (comments := list(declarations(source.text))) and (module := _Module.of(source)) is not None:
            for line, text in comments:
                try:
                    found.append(module.declared(module.function_at(line), text))
                except DeclarationError as error:
                    cell, written, _ = source.position(line)
                    code = BadConfiguration.code
                    errors.append(FileError(source.display, str(error), code, line=written, cell=cell))
    for name, text in configured.items():
        path, _, qualname = name.partition(":")
        try:
            arguments(text)
            if path in by_module and (module := _Module.of(by_module[path])) is not None:
                found.append(module.declared(qualname, text))
        except DeclarationError as error:
            message = f"`{name}` in [tool.jitlint.verify.inputs]: {error}"
            errors.append(FileError(table, message, BadConfiguration.code))
    return KnownInputs(tuple(found), tuple(errors))


@dataclass(frozen=True, slots=True)
class _Module:
    """A file's functions by qualified name, and the names of its top level (None if there is a star import)."""

    source: SourceFile
    functions: Mapping[str, _Function]
    names: frozenset[str] | None

    @classmethod
    def of(cls, source: SourceFile) -> _Module | None:
        try:
            tree = ast.parse(source.text)
        except (SyntaxError, ValueError):
            return None  # the analyzer reports it
        return cls(source, dict(_functions(tree, "")), _names(tree))

    def function_at(self, line: int) -> str:
        """The function that a comment belongs to: it stands in the function's header or directly above it."""
        lines = self.source.text.split("\n")
        below = line
        while lines[below - 1].lstrip().startswith("#") and below < len(lines):
            below += 1
        for name, node in self.functions.items():
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if below == first or first <= line <= max(node.lineno, node.body[0].lineno - 1):
                return name
        raise DeclarationError("there is no function here; put the comment on its `def` or on the line above")

    def declared(self, qualname: str, text: str) -> Known:
        """The declared inputs of a function."""
        given = arguments(text)
        node = self.functions.get(qualname)
        if node is None:
            raise DeclarationError(f"there is no function `{qualname}`{_nearest(qualname, self.functions)}")
        own = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        parameters = [argument.arg for argument in own if argument is not None]
        for name in given:
            if name not in parameters:
                raise DeclarationError(f"`{qualname}` has no parameter `{name}`{_nearest(name, parameters)}")
        for name in sorted(names(list(given.values()))):
            if self.names is not None and name not in self.names:
                raise DeclarationError(f"there is no `{name}` in the module{_nearest(name, self.names)}")
        return {
            "origin": "declared",
            "file": os.path.abspath(self.source.path),
            "qualname": qualname,
            "arguments": given,
        }


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, _Function]]:
    for child in ast.iter_child_nodes(node):
        inner = prefix
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + child.name, child
            inner = f"{prefix}{child.name}.<locals>."
        elif isinstance(child, ast.ClassDef):
            inner = f"{prefix}{child.name}."
        yield from _functions(child, inner)


def _names(tree: ast.Module) -> frozenset[str] | None:
    """The names that a module's top level binds, and the builtins; None if there is a star import."""
    found = set(dir(builtins))
    for node in _top(tree):
        match node:
            case ast.Import() | ast.ImportFrom():
                found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found.add(node.name)
            case ast.Name(ctx=ast.Store()):
                found.add(node.id)
    return None if "*" in found else frozenset(found)


def _top(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield from _top(child)


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, sorted(known), n=1)
    return f"; did you mean `{near[0]}`?" if near else ""
