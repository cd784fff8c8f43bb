"""The project's modules: their names, their IR, and what an import in one of them means."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from jitlint import ir
from jitlint.project.cache import Cache, digest, tool, unpack
from jitlint.project.files import INSTALLED, name_of
from jitlint.project.outline import Outline, Problem, outline
from jitlint.project.trees import packed
from jitlint.source.defects import Defects
from jitlint.source.places import LineTable, Place, Span
from jitlint.source.progress import PARSING, note
from jitlint.source.text import SourceError, SourceFile, read_source

_COMMENT = re.compile(r"[ \t]*#[^\n\"']*$", re.MULTILINE)
_SNIPPET_READ = 100
"""How many characters of the source are read for each that a snippet may have."""

_LAYOUT = re.compile(r"(?<=[(\[{])\s+|,?\s+(?=[)\]}])")
"""Layout of a call over several lines: the space within its brackets, and the comma after its last argument."""


class Module:
    """One Python file of the project. `given` ones are linted; others are read because a given one imports them.

    `name` is the dotted name, `root` the folder that it counts from.
    """

    def __init__(self, source: SourceFile, name: str, root: Path, given: bool) -> None:
        self.source = source
        self.name = name
        self.root = root
        self.given = given
        self.is_package = source.path.name == "__init__.py"
        self._digest: str | None = None
        self._lines: LineTable | None = None

    @property
    def digest(self) -> str:
        """The digest of the file's text."""
        if self._digest is None:
            self._digest = digest(self.source.text)
        return self._digest

    @property
    def lines(self) -> LineTable:
        if self._lines is None:
            self._lines = LineTable(self.source.text)
        return self._lines

    def place(self, span: Span) -> Place:
        """A span of this file as reports show it."""
        return self.lines.place(self.source.display, span)

    def snippet(self, span: Span, limit: int = 40) -> str:
        """The span's text on one line, shortened to `limit` characters."""
        end = min(span.end, span.start + _SNIPPET_READ * limit)  # a span may be very long, and is asked for often
        text = self.source.text[span.start : end]
        if "\n" in text:
            text = _LAYOUT.sub("", _COMMENT.sub("", text))
        text = " ".join(text.split())
        return text if len(text) <= limit and end == span.end else text[: limit - 1] + "…"

    @property
    def package(self) -> str:
        """The dotted name that relative imports count from."""
        return self.name if self.is_package else self.name.rpartition(".")[0]


def _folders_by_name(holding: Collection[Path]) -> dict[str, list[Path]]:
    """Folders that hold files, and those around them up to the one that all have in common, by their names."""
    found: dict[str, list[Path]] = {}
    for anchor in {folder.anchor for folder in holding}:  # that of relative paths is ""
        some = [folder for folder in holding if folder.anchor == anchor]
        above = set(Path(os.path.commonpath(some)).parents)
        for folder in sorted({folder for one in some for folder in (one, *one.parents)} - above):
            found.setdefault(folder.name, []).append(folder)
    return found


class Project:
    """The given modules, and those that they import, which are read when they are needed.

    `probed` are the files and folders that were looked for besides the given ones: a digest for each that exists, None
    for the others. A cached result is good as long as they have not changed.
    """

    def __init__(self, sources: Iterable[SourceFile], cache: Cache) -> None:
        self.cache = cache
        self.probed: dict[Path, str | None] = {}
        self._modules: dict[tuple[Path, str], Module] = {}
        self._missing: set[tuple[Path, str]] = set()
        self._folders: dict[tuple[Path, str], bool] = {}
        self._resolved: dict[tuple[Module, str], Module | None] = {}
        self._trees: dict[Module, ir.Module | Problem | None] = {}
        self._outlines: dict[Module, Outline | None] = {}
        self._imported: dict[Module, list[Module]] = {}
        self._unpacked: dict[int, tuple[ir.Stmt, ...]] = {}
        self.errors: list[tuple[str, Problem]] = []
        self.defects = Defects()
        self.lower_elsewhere: Callable[[Module], None] | None = None
        """Has another process lower a module, and calls `take_outline`. If it is None, this process lowers."""
        for source in sources:
            name, root = name_of(source.path)
            self._modules[root, name] = Module(source, name, root, given=True)
        self._by_path: dict[Path, Module] = {module.source.path: module for module in self._modules.values()}
        self.roots = tuple(sorted({root for root, _ in self._modules}))
        self._packages = {(root, name.partition(".")[0]) for root, name in self._modules}
        self._folders_called = _folders_by_name({module.source.path.parent for module in self.given})

    @property
    def given(self) -> list[Module]:
        return list(self._by_path.values())

    def resolve(self, importer: Module, name: str) -> Module | None:
        """The module that `import name` in `importer` means; None if it is not part of the project."""
        asked = (importer, name)
        if asked not in self._resolved:
            found = (self._modules.get((root, name)) or self._load(root, name) for root in (importer.root, *self.roots))
            known = next((module for module in found if module is not None), None)
            self._resolved[asked] = known or self._in_plain_folders(importer, name)
        return self._resolved[asked]

    def _in_plain_folders(self, importer: Module, name: str) -> Module | None:
        """The given module that a dotted name means if it starts with a folder without an `__init__.py`.

        Python takes such folders for packages, too. Of several of that name, the nearest to the importer counts.
        """
        first, *rest = name.split(".")
        if not rest:
            return None
        around = set(importer.source.path.parents)
        for folder in sorted(self._folders_called.get(first, ()), key=lambda f: -len(around.intersection(f.parents))):
            base = folder.joinpath(*rest)
            for path in (base / "__init__.py", base.with_name(f"{base.name}.py")):
                if path in self._by_path:
                    return self._by_path[path]
        return None

    def imported(self, module: Module) -> list[Module]:
        """The project's modules that a module imports, at its top level or within functions."""
        if module not in self._imported:
            self._imported[module] = list(self._named_in(module))
        return self._imported[module]

    def _named_in(self, module: Module) -> Iterator[Module]:
        known = self.outline(module)
        for statement in known.imports if known is not None else ():
            package = self.absolute(module, statement.module, statement.level)
            for name in (package, *(f"{package}.{name}" for name in statement.names)):
                found = self.resolve(module, name)
                if found is not None:
                    yield found

    def absolute(self, importer: Module, name: str, level: int) -> str:
        """The absolute dotted name of a `from` import with `level` dots."""
        if not level:
            return name
        base = importer.package.split(".") if importer.package else []
        base = base[: len(base) - (level - 1)] if level > 1 else base
        return ".".join([*base, name] if name else base)

    def tree(self, module: Module) -> ir.Module | None:
        """The module's IR; None if it cannot be parsed, which becomes one of the `errors`."""
        if module not in self._trees:
            tree = self.cache.get(f"tree-{self._identity(module)}") or self._lowered(module)
            self._trees[module] = tree
            if isinstance(tree, Problem) and module.given:
                self.errors.append((module.source.display, tree))
        tree = self._trees[module]
        return tree if isinstance(tree, ir.Module) else None

    def body(self, function: ir.Function) -> tuple[ir.Stmt, ...]:
        """The statements of a function's body, which a tree from the cache holds pickled."""
        body = function.body
        if not isinstance(body, ir.Packed):
            return body
        if id(function) not in self._unpacked:
            self._unpacked[id(function)] = unpack(body.data)
        return self._unpacked[id(function)]

    def is_outlined(self, module: Module) -> bool:
        """Whether the module's outline is in the cache."""
        return self.cache.has(f"outline-{self._identity(module)}")

    def outline(self, module: Module) -> Outline | None:
        """The module's outline; None if it cannot be parsed, which becomes one of the `errors`."""
        if module not in self._outlines:
            known = self.cache.get(f"outline-{self._identity(module)}")
            if isinstance(known, Outline):
                self.take_outline(module, known)
            elif self.lower_elsewhere is None or self.is_lowered(module):
                self.take_outline(module, self._outline(module))
            else:
                self.lower_elsewhere(module)
        return self._outlines[module]

    def take_outline(self, module: Module, known: Outline | None) -> None:
        """Takes the outline of a module that another process has lowered."""
        self._outlines[module] = known

    def _outline(self, module: Module) -> Outline | None:
        tree = self.tree(module)
        known = outline(module.source.text, tree) if tree is not None else None
        if known is not None:
            self.cache.put(f"outline-{self._identity(module)}", known)
        return known

    def is_lowered(self, module: Module) -> bool:
        """Whether the module's tree, or the problem that there is instead, is known or in the cache."""
        return module in self._trees or self.cache.has(f"tree-{self._identity(module)}")

    def give_up(self, module: Module) -> None:
        """Does without a module that cannot be lowered."""
        self._trees[module] = self._outlines[module] = None

    def known(self, path: Path, root: Path, name: str) -> Module | None:
        """A module as another process of the run knows it: the given one at a path, or else the one with a name."""
        return self._by_path.get(path) or self._modules.get((root, name)) or self._load(root, name)

    def _identity(self, module: Module) -> str:
        return digest(tool(), module.digest)

    def _lowered(self, module: Module) -> ir.Module | Problem | None:
        from jitlint.syntax import SyntaxProblem, lower  # start-up time: unneeded where trees are cached

        before = note(PARSING, module.source.display)
        found: ir.Module | Problem | None = None
        with self.defects.contained(module.source.display, PARSING):
            try:
                found = lower(module.source.text)
            except SyntaxProblem as problem:
                found = Problem(problem.line, problem.column, problem.message)
            with contextlib.suppress(RecursionError):  # too deep to be cached: the next run lowers it again
                self.cache.put(f"tree-{self._identity(module)}", packed(found))
        note(*before)
        return found

    def _is_ours(self, root: Path, name: str) -> bool:
        """Whether a module that was not given belongs to the project: it lies in the package of a given module, or
        beside a given script, as a file or in a package."""
        return (root, name.partition(".")[0]) in self._packages or root.name not in INSTALLED

    def _is_folder(self, root: Path, package: str) -> bool:
        """Whether a package has a folder below a root: if not, no file of it is looked for (`typing`, `jax`)."""
        key = (root, package)
        if key not in self._folders:
            folder = root.joinpath(*package.split("."))
            self._folders[key] = folder.is_dir()
            if not self._folders[key]:
                self.probed[folder] = None
        return self._folders[key]

    def _load(self, root: Path, name: str) -> Module | None:
        key = (root, name)
        if key in self._missing or not name:
            return None
        if not self._is_folder(root, name.rpartition(".")[0]) or not self._is_ours(root, name):
            self._missing.add(key)
            return None
        base = root.joinpath(*name.split("."))
        for path in (base / "__init__.py", base.with_name(base.name + ".py")):
            if path in self._by_path:
                return self._modules.setdefault(key, self._by_path[path])
            self.probed[path] = None
            if not path.is_file():
                continue
            try:
                source = read_source(path, str(path))
            except SourceError:
                break
            module = self._modules[key] = Module(source, name, root, given=False)
            self.probed[path] = module.digest
            return module
        self._missing.add(key)
        return None
