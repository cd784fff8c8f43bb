"""Code lenses: above functions with findings, what JAX says of them, or that it can be asked; above recorded ones, how
often they were compiled."""

from __future__ import annotations

import ast
import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from jitlint.config import Configuration
from jitlint.findings.finding import STATUSES, Finding
from jitlint.lsp.verifying import first_line, function_at
from jitlint.project.files import project_folder
from jitlint.verify.record import signatures
from jitlint.verify.recorder import store


class Lens(NamedTuple):
    """What stands above a line, counted from 1; a click on one that `verifies` verifies the function there."""

    line: int
    title: str
    verifies: bool


def lenses(text: str, findings: Iterable[Finding], compiled: Mapping[str, int]) -> Iterator[Lens]:
    """The lenses of a text; none if it cannot be parsed.

    Args:
        text: the document's text.
        findings: what was found in it.
        compiled: how often functions were compiled, as `compiled_counts` gives it.
    """
    with warnings.catch_warnings(action="ignore"):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
    of_function: dict[int, list[Finding]] = {}
    for finding in findings:
        first, _ = function_at(tree, finding.event.place.line, text)
        of_function.setdefault(first, []).append(finding)
    for line, group in sorted(of_function.items()):
        yield Lens(line, _title(group), True)
    for name, node in _functions(tree.body, ""):
        if count := compiled.get(name):
            yield Lens(first_line(node), f"compiled {count} time{'' if count == 1 else 's'} when recorded", False)


def compiled_counts(folder: Path, file: str) -> dict[str, int]:
    """How often functions of a file were compiled when the project was last recorded, by qualified name.

    Args:
        folder: of the project.
        file: the file's path.
    """
    root = project_folder(folder)
    recorded = Configuration().of(folder).verify.recorded or root / store.FILE
    try:
        functions = signatures(recorded)
    except store.StoreError:  # verifying says what is wrong with it
        return {}
    real = os.path.realpath(file)
    return {
        name.partition(":")[2]: entry["compiled"]
        for name, entry in functions.items()
        if isinstance(entry.get("compiled"), int) and os.path.realpath(root / entry["file"]) == real
    }


def _functions(body: Iterable[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The functions and methods in a body, by qualified name."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + node.name, node
            yield from _functions(node.body, f"{prefix}{node.name}.<locals>.")
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{prefix}{node.name}.")


def _title(findings: list[Finding]) -> str:
    counts = Counter(finding.verdict.status for finding in findings if finding.verdict)
    if counts:
        return f"JAX says: {', '.join(f'{counts[status]} {status}' for status in STATUSES if counts[status])}"
    return f"Verify {len(findings)} finding{'' if len(findings) == 1 else 's'} with JAX"
