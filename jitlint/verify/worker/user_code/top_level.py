"""Runs a user's module statement by statement, so that a statement that raises costs only itself.

Only the statements that the probes need run (see `slices`), unless a full import was asked for or the module hides
which names it binds.
"""

from __future__ import annotations
import __future__

import ast
import importlib
import inspect
import linecache
import sys
import types
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeGuard

from .probes import Probe, expression_at
from .slices import Slicer, Wanted, callers, definitions

_DEFINITIONS = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Assign,
    ast.AnnAssign,
    ast.If,
    ast.Try,
)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(frozen=True)
class Statement:
    """One statement of a module's top level, ready to run.

    Attributes:
        line: where it begins.
        run: runs it.
        acts: whether it does more than define things, so that it may take long.
        binds: the names that it binds.
    """

    line: int
    run: Callable[[], Any]
    acts: bool
    binds: frozenset[str]


def prepare(name: str, file: str, text: str) -> types.ModuleType:
    """Puts an empty module into `sys.modules` and imports its packages; the module's statements then run in it."""
    parent = name.rpartition(".")[0]
    folder = Path(file).parent
    is_package = Path(file).name == "__init__.py"
    package = name if is_package else parent
    if parent:
        _import_package(parent, folder.parent if is_package else folder)
    elif not is_package and (levels := _levels(text)):
        package = ".".join(folder.parts[-levels:])
        sys.path.append(str(folder.parents[levels - 1]))
        _import_package(package, folder)
    module = types.ModuleType(name)
    module.__file__ = file
    linecache.cache[file] = (
        len(text),
        None,
        text.splitlines(keepends=True),
        file,
    )  # the file of a notebook holds other text
    module.__package__ = package
    if is_package:
        module.__path__ = [str(Path(file).parent)]
    sys.modules[name] = module
    if parent:
        setattr(sys.modules[parent], name.rpartition(".")[2], module)
    return module


def _levels(text: str) -> int:
    """How many folders up a module's relative imports reach: a script with any is meant to run as `python -m pkg.x`."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return 0
    return max((node.level for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)), default=0)


def _import_package(name: str, folder: Path) -> None:
    """Imports a package. If its own file fails, an empty package stands in: modules inside may need nothing of it."""
    outer = name.rpartition(".")[0]
    if outer:
        _import_package(outer, folder.parent)
    try:
        importlib.import_module(name)
    except Exception:  # noqa: BLE001  whatever the package's file raises
        package = types.ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package


class TopLevel:
    """The top level of a module.

    Args:
        module: where it runs.
        text: the module's source.
        full: whether all of it runs, whatever the probes need.

    Raises:
        SyntaxError, ValueError: the text is no Python.
    """

    def __init__(self, module: types.ModuleType, text: str, *, full: bool) -> None:
        self._module = module
        self._file, self._text = str(module.__file__), text
        tree = ast.parse(text, self._file)
        self._flags = compiler_flags(tree)
        self._tree = ast.Module([node for node in tree.body if not is_main_guard(node)], [])
        slicer = Slicer(self._tree, self._flags)
        self._slicer = None if full or slicer.is_dynamic() else slicer
        self._names: frozenset[str] = frozenset()
        self._done: set[tuple[int, int]] = set()

    @property
    def is_full(self) -> bool:
        """Whether all of the top level runs."""
        return self._slicer is None

    def statements(
        self, probes: Iterable[Probe], *, also: Collection[str], evidence: bool, definitions_only: bool
    ) -> list[Statement]:
        """Returns the statements that probes need, in the order in which they must run.

        Args:
            probes: what to look into.
            also: names that are needed besides.
            evidence: whether calls that reach the probes' functions run too, even where the analyzer did not begin.
            definitions_only: whether to leave out statements that only act (calls, loops), since the module hangs.
        """
        body: list[ast.stmt] = self._tree.body
        if self._slicer is not None:
            wants = wanted(probes, self._module, self._text, self._tree, evidence=evidence)
            if wants is None:
                self._slicer = None
            else:
                wants = replace(wants, names=wants.names.union(also))
                body = self._slicer.needed(wants)
                self._names = wants.names & set(self._slicer.names)
                self._module.__getattr__ = self._provide  # type: ignore[method-assign]
        if definitions_only:
            body = [node for node in body if isinstance(node, _DEFINITIONS)]
        return [self._statement(node) for node in body]

    @property
    def lacks(self) -> bool:
        """Whether a needed name is still unbound although the text binds it, so that a full run is worth a try."""
        return self._slicer is not None and not self._names <= vars(self._module).keys()

    def _provide(self, name: str) -> Any:
        """Runs the statements that bind a name when somebody asks for it; serves as the module's `__getattr__`."""
        if self._slicer is not None and name in self._slicer.names:
            for node in self._slicer.needed(Wanted(arguments=frozenset((name,)))):
                if (node.lineno, node.col_offset) not in self._done:
                    self._statement(node).run()
        try:
            return vars(self._module)[name]
        except KeyError:
            raise AttributeError(f"module {self._module.__name__!r} has no attribute {name!r}") from None

    def _statement(self, node: ast.stmt) -> Statement:
        self._done.add((node.lineno, node.col_offset))
        code = compile(ast.Module([node], []), self._file, "exec", flags=self._flags, dont_inherit=True)
        acts = not isinstance(node, _DEFINITIONS) or any(isinstance(part, _LOOPS) for part in ast.walk(node))
        acts = acts and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        return Statement(node.lineno, lambda: _execute(code, vars(self._module)), acts, frozenset(bound_names(node)))


def _execute(code: types.CodeType, names: dict[str, Any]) -> None:
    """Runs a statement; one with a top-level `await` in an event loop."""
    if code.co_flags & inspect.CO_COROUTINE:
        import asyncio  # takes time, and few modules need it

        asyncio.run(eval(code, names))
    else:
        exec(code, names)


def bound_names(node: ast.stmt) -> Iterator[str]:
    """The names that a statement binds in the module."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
        return
    for part in ast.walk(node):
        if isinstance(part, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in part.names)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def wanted(
    probes: Iterable[Probe], module: types.ModuleType, text: str, tree: ast.Module, *, evidence: bool
) -> Wanted | None:
    """What probes need of a module's top level; None if its text does not show it."""
    file = str(module.__file__)
    names: set[str] = set()
    reached: set[str] = set()
    lines: set[int] = set()
    for probe in probes:
        lead = set(probe.entry_function.rpartition(":")[2].split("."))
        if probe.site.file == file:
            lead.update(probe.symbol.removeprefix(f"{module.__name__}.").split("."))
            lead.update(_around(probe.site.line, tree))
        lead -= {"", "<locals>"}
        names |= lead | callers(tree, lead) | {probe.root_qualname.partition(".")[0]}
        if probe.entry_site is not None and probe.entry_site.file == file:
            entry = expression_at(probe.entry_site, text)
            names |= {part.id for part in ast.walk(entry) if isinstance(part, ast.Name)} if entry is not None else set()
        if not probe.root_qualname:
            if probe.site.file != file:
                return None
            lines.update(probe.lines)
        if evidence or not probe.root_qualname:
            reached |= lead
    return Wanted(frozenset(names), frozenset(reached), frozenset(lines))


def _around(line: int, tree: ast.Module) -> Iterator[str]:
    """The names of the functions and classes that hold a line."""
    for node in definitions(tree):
        if node.lineno <= line <= (node.end_lineno or line):
            yield node.name


def compiler_flags(tree: ast.Module) -> int:
    """The compiler's flags for a module: its `__future__` imports, and top-level `await`, which notebooks allow."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                flags |= getattr(__future__, alias.name).compiler_flag
    return flags


def is_main_guard(node: ast.stmt) -> TypeGuard[ast.If]:
    """Whether a statement is `if __name__ == "__main__":`, or asks for the name otherwise."""
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Compare)
        and isinstance(node.test.left, ast.Name)
        and node.test.left.id == "__name__"
    )
