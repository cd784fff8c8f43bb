"""The sizes that keep the sources readable, and imports inside functions."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

MOST_LINES = 500
MOST_FUNCTION_LINES = 60
MOST_FILES = 30
MOST_ATTRIBUTES = 12

_STORE = {"interp.store.open", "self.open", "store.open"}
"""Methods of the analyzer's store of objects, which is no file."""

_MAY_OPEN = {
    "jitlint/source/reading.py": "the door",
    "jitlint/analysis/machine/memory.py": "asks Linux how much memory this process holds",
    "jitlint/events/assumption.py": "reads jitlint's own data",
    "jitlint/models/generated.py": "reads jitlint's own data",
    "jitlint/models/loading.py": "reads jitlint's own data",
    "jitlint/verify/devices.py": "reads jitlint's own data",
    "jitlint/verify/cache.py": "reads jitlint's own code",
    "jitlint/commands/reporting.py": "writes the report",
    "jitlint/report/html/__init__.py": "reads jitlint's own data",
    "jitlint/project/cache_folder.py": "writes whole files",
    "jitlint/lsp/process.py": "opens /dev/null",
    "jitlint/verify/sandbox/landlock.py": "opens what it names to the system, and reads none of it",
    "jitlint/verify/sandbox/namespaces.py": "reads its own pipe",
    "jitlint/verify/sandbox/view.py": "opens what it mounts, and reads none of it",
    "jitlint/verify/recorder/store.py": "runs in the recorded program, which has no jitlint",
}
_WORKER = Path("jitlint/verify/worker")
"""Runs in the user's interpreter, which has no jitlint."""


@pytest.fixture(scope="module")
def trees(root: Path) -> dict[Path, tuple[list[str], ast.Module]]:
    """Each file of the package: its lines, and its tree."""
    texts = {path: path.read_text("utf-8") for path in sorted((root / "jitlint").rglob("*.py"))}
    return {path.relative_to(root): (text.splitlines(), ast.parse(text)) for path, text in texts.items()}


def test_files_are_short(trees: dict[Path, tuple[list[str], ast.Module]]) -> None:
    assert len(trees) > 400
    assert not {str(path): len(lines) for path, (lines, _) in trees.items() if len(lines) > MOST_LINES}


def test_a_handlers_name_has_one_type(trees: dict[Path, tuple[list[str], ast.Module]]) -> None:
    """Compiled code gives a variable the type of its first handler, and fails in the second one."""
    twice = [
        f"{path}:{function.lineno} {name}"
        for path, (_, tree) in trees.items()
        if path.parts[1] in ("analysis", "ir", "models", "project", "syntax")
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for name, types in _handled(function).items()
        if len(types) > 1 and str(path) not in _NOT_COMPILED
    ]
    assert not twice


_NOT_COMPILED = ("jitlint/models/installed.py", "jitlint/project/files.py", "jitlint/syntax/from_cst/parsing.py")


def _handled(function: ast.FunctionDef) -> dict[str, set[str]]:
    """The types of exceptions that a function handles under each name."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.ExceptHandler) and node.name is not None and node.type is not None:
            found.setdefault(node.name, set()).add(ast.unparse(node.type))
    return found


def test_folders_have_few_files(trees: dict[Path, tuple[list[str], ast.Module]]) -> None:
    counts = {folder: sum(path.parent == folder for path in trees) for folder in {path.parent for path in trees}}
    assert not {str(folder): count for folder, count in counts.items() if count > MOST_FILES}


def test_functions_are_short(trees: dict[Path, tuple[list[str], ast.Module]]) -> None:
    long = [
        f"{path}:{node.lineno} {node.name}"
        for path, (_, tree) in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (node.end_lineno or 0) - node.lineno >= MOST_FUNCTION_LINES
    ]
    assert not long


def test_the_interpreter_has_few_attributes_of_its_own(root: Path) -> None:
    text = (root / "jitlint/analysis/machine/interpreter.py").read_text("utf-8")
    (cls,) = (n for n in ast.parse(text).body if isinstance(n, ast.ClassDef) and n.name == "Interpreter")
    targets = [t for n in ast.walk(cls) if isinstance(n, (ast.Assign, ast.AnnAssign)) for t in _targets(n)]
    names = {t.attr for t in targets if isinstance(t, ast.Attribute) and ast.unparse(t.value) == "self"}
    assert {"frame", "trace", "world", "unit"} <= names
    assert len(names) <= MOST_ATTRIBUTES


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [part for t in targets for part in (t.elts if isinstance(t, ast.Tuple) else [t])]


def test_an_import_inside_a_function_says_what_it_saves(trees: dict[Path, tuple[list[str], ast.Module]]) -> None:
    bare = [
        f"{path}:{node.lineno}"
        for path, (lines, tree) in trees.items()
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for node in ast.walk(function)
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not _is_explained(lines, node)
    ]
    assert not bare


def _is_explained(lines: list[str], node: ast.Import | ast.ImportFrom) -> bool:
    """Whether a comment stands behind an import, behind one right before it, or above them."""
    first = node.lineno - 1
    while lines[first - 1].lstrip().startswith(("from ", "import ")):
        first -= 1
    return lines[first - 1].lstrip().startswith("#") or any("#" in line for line in lines[first : node.end_lineno])


def test_only_one_door_reads_files(trees: dict[Path, tuple[list[str], ast.Module]]) -> None:
    """`source/reading.py`: a name that comes from a linted project may stand for a pipe or a device."""
    opening = {path.as_posix() for path, (_, tree) in trees.items() if any(map(_opens, ast.walk(tree)))}
    assert {path for path in opening if not Path(path).is_relative_to(_WORKER)} == _MAY_OPEN.keys()


def _opens(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "open":
        return ast.unparse(node.func) not in _STORE
    return isinstance(node, ast.Attribute) and node.attr in ("fdopen", "open_file", "read_bytes", "read_text")


def test_files_that_the_architecture_names_exist(root: Path) -> None:
    """A name without a folder belongs to the folder of the last path on its line."""
    missing = []
    named = 0
    for line in (root / "docs/architecture.md").read_text("utf-8").splitlines():
        folders = [root, root / "jitlint"]
        for name in re.findall(r"`([\w./]+(?:\.py|\.md|\.toml|/))`", line):
            named += 1
            found = next((folder / name for folder in reversed(folders) if (folder / name).exists()), None)
            if found is None:
                missing.append(name)
            elif found.is_file():
                folders.append(found.parent)
    assert named > 60
    assert missing == []
