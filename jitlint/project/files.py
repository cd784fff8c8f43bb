"""Which files there are: paths as given become files with Python in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jitlint.source.reading import SETTINGS_BYTES, read_file, reason

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NOTEBOOK = ".ipynb"
_MARKDOWN = frozenset({".md", ".markdown", ".qmd", ".rmd"})
_SEARCHED = (".py", NOTEBOOK)
"""The endings of the files that a folder is searched for."""
_NEVER = frozenset({"__pycache__", "node_modules"})
_BUILT = frozenset({"build", "dist"})


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files found, each once and in order, and the paths that could not be read, each with the reason."""

    files: tuple[Path, ...]
    errors: tuple[tuple[str, str], ...]


Exclude = Callable[[Path, bool], bool]
"""Whether a path is left out; the flag says whether it is a folder."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns in the style of .gitignore, relative to a folder."""

    folder: Path
    spec: GitIgnoreSpec

    @classmethod
    def of(cls, folder: Path, lines: Iterable[str]) -> Patterns:
        """The patterns of a list.

        Raises:
            PatternError: one of them is none, or there are too many.
        """
        # Start-up time: pathspec takes as long to import as all else here, and not every project has patterns.
        from jitlint.project.gitignore import spec

        return cls(folder, spec(tuple(lines)))

    def verdict(self, path: Path, *, folder: bool = False) -> bool | None:
        """What the last pattern that matches says: True to leave the path out, False (`!pattern`) to take it.

        None if no pattern matches.
        """
        try:
            relative = path.relative_to(self.folder).as_posix()
        except ValueError:
            return None
        return self.spec.check_file(relative + "/" if folder else relative).include


def display_path(path: Path, directory: Path) -> str:
    """A path as reports show it: relative to the working directory if it is inside, with `/`."""
    absolute = Path(os.path.abspath(directory / path))
    return (absolute.relative_to(directory) if absolute.is_relative_to(directory) else absolute).as_posix()


def real_path(path: Path) -> Path:
    """An absolute path without links; a circle of links stays as it is (`Path.resolve` would raise)."""
    return Path(os.path.realpath(path))


_SETTINGS = ("pyproject.toml", "jitlint.toml")
_MARKERS = (*_SETTINGS, "setup.py", "setup.cfg", ".git")
INSTALLED = frozenset({"site-packages", "dist-packages"})


def project_of(file: Path) -> Path:
    """The project that a file belongs to: the nearest folder above it with a pyproject.toml, .git or the like.

    Without such a folder, and for installed packages, it is the outermost package; for a lone file, the file itself.
    """
    found = file
    for folder in Path(os.path.abspath(file)).parents:
        if folder.name in INSTALLED:
            break
        if any((folder / marker).exists() for marker in _MARKERS):
            return folder
        if (folder / "__init__.py").is_file():
            found = folder
    return found


def project_folder(start: Path) -> Path:
    """The folder whose settings and cache a path uses: the nearest one from it upward with a pyproject.toml or
    jitlint.toml; if there is none, the path itself or, for a file, its folder."""
    real = real_path(start)
    own = real if real.is_dir() else real.parent
    return next((folder for folder in (own, *own.parents) if has_settings(folder)), own)


def has_settings(folder: Path) -> bool:
    """Whether a folder holds a file that can hold settings."""
    return any((folder / name).is_file() for name in _SETTINGS)


def name_of(path: Path) -> tuple[str, Path]:
    """The dotted name of a file's module, and the folder that it counts from: the first above it outside of a package.

    A folder without an `__init__.py` below a package is a part of the package, as it is for Python. A document's name
    (`intro-md`) is not an identifier, so that no import finds it.
    """
    if is_document(path):
        return path.name.replace(".", "-"), path.parent
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file() or (folder.parent / "__init__.py").is_file():
        parts.append(folder.name)
        if folder.parent == folder:
            break
        folder = folder.parent
    return ".".join(reversed(parts)) or path.parent.name, folder


def is_document(path: Path) -> bool:
    """Whether a file is a notebook or Markdown, so that its program has to be extracted."""
    suffix = path.suffix.lower()
    return suffix == NOTEBOOK or suffix in _MARKDOWN


def discover(paths: Sequence[str], exclude: Exclude | None = None) -> Discovery:
    """Finds the Python files and the notebooks under paths.

    A file that is given is always included. A folder is searched for `.py` and `.ipynb` files; left out are hidden and
    generated folders, virtual environments, links to folders, whatever `.gitignore` files ignore, and the paths for
    which `exclude` returns True.
    """
    found: dict[str, Path] = {}
    errors: list[tuple[str, str]] = []
    for given in paths:
        path = Path(given)
        try:
            is_folder = path.stat() and path.is_dir()
        except (OSError, ValueError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            errors.append((given, f"cannot look at the path: {why}"))
            continue
        walk = _Walk(exclude, errors)
        for file in walk.files(path) if is_folder else (path,):
            found.setdefault(os.path.abspath(file), file)
    return Discovery(tuple(found.values()), tuple(errors))


class _Entry(NamedTuple):
    """A file or a folder on the way: its path as given, the resolved one that patterns are matched against, and the
    .gitignore files that count for it."""

    path: Path
    real: Path
    is_folder: bool
    ignores: tuple[Patterns, ...]


@dataclass(frozen=True, slots=True)
class _Walk:
    exclude: Exclude | None
    errors: list[tuple[str, str]] = field(default_factory=list)

    def files(self, root: Path) -> Iterator[Path]:
        ignores = _outer_ignores(real_path(root), self.errors)
        # A folder that was given is searched even if the repository around it ignores it.
        if _ignored(ignores, real_path(root), folder=True):
            ignores = ()
        waiting = [_Entry(root, real_path(root), True, ignores)]
        while waiting:
            entry = waiting.pop()
            if entry.is_folder:
                waiting += reversed([*self._entries(entry)])
            else:
                yield entry.path

    def _entries(self, folder: _Entry) -> Iterator[_Entry]:
        """The files and folders in a folder that are not left out, in the order of their names."""
        try:
            entries = sorted(os.scandir(folder.path), key=lambda entry: entry.name)
        except OSError as error:
            self.errors.append((str(folder.path), f"cannot look into the folder: {reason(error)}"))
            return
        ignores = folder.ignores
        if any(entry.name == ".gitignore" for entry in entries):
            ignores = (*ignores, *_read_ignores(folder.real, self.errors, folder.path))
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            real = folder.real / entry.name
            if entry.name.startswith(".") or self._left_out(real, ignores, is_folder):
                continue
            if not _generated(real) if is_folder else entry.name.endswith(_SEARCHED) and not real.is_dir():
                yield _Entry(folder.path / entry.name, real, is_folder, ignores)

    def _left_out(self, path: Path, ignores: tuple[Patterns, ...], folder: bool) -> bool:
        excluded = self.exclude is not None and self.exclude(path, folder)
        return excluded or _ignored(ignores, path, folder=folder)


def _generated(folder: Path) -> bool:
    if folder.name in _NEVER or (folder / "pyvenv.cfg").is_file():
        return True
    return folder.name in _BUILT and not (folder / "__init__.py").is_file()


def _ignored(ignores: tuple[Patterns, ...], path: Path, *, folder: bool) -> bool:
    """Whether .gitignore files leave a path out: the innermost one with a pattern that matches decides."""
    verdicts = (patterns.verdict(path, folder=folder) for patterns in reversed(ignores))
    return next((verdict for verdict in verdicts if verdict is not None), False)


def _outer_ignores(root: Path, errors: list[tuple[str, str]]) -> tuple[Patterns, ...]:
    """The .gitignore files above a folder, outermost first, up to the repository that it lies in."""
    above: list[Path] = []
    for folder in (root, *root.parents):
        if folder != root:
            above.append(folder)
        if (folder / ".git").exists():
            return tuple(patterns for outer in reversed(above) for patterns in _read_ignores(outer, errors))
    return ()


def _read_ignores(real: Path, errors: list[tuple[str, str]], shown: Path | None = None) -> tuple[Patterns, ...]:
    """The patterns in a folder's .gitignore; if it cannot be used, that becomes an error, and nothing is ignored.

    Args:
        real: the folder's resolved path.
        errors: takes the error.
        shown: the folder's path as the error shows it, if that is another.
    """
    file = (shown or real) / ".gitignore"
    try:
        text = read_file(file, SETTINGS_BYTES).decode(errors="replace")
    except FileNotFoundError:
        return ()
    except OSError as error:
        errors.append((str(file), f"cannot read the file: {reason(error)}"))
        return ()
    from jitlint.project.gitignore import PatternError, spec_of_file  # start-up time, as in `Patterns.of`

    try:
        return (Patterns(real, spec_of_file(text)),)
    except PatternError as error:
        errors.append((str(file), str(error)))
        return ()
