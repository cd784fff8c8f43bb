"""Code lenses: beside each function with findings, what JAX says of them, or that it can be asked."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from jitlint.findings.finding import STATUSES, Finding
from jitlint.lsp.verifying import function_at


class Lens(NamedTuple):
    """What stands above a line, counted from 1; a click on it verifies the function there."""

    line: int
    title: str


def lenses(text: str, findings: Iterable[Finding]) -> Iterator[Lens]:
    """The lenses of a text, given its findings; none if it cannot be parsed."""
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
        yield Lens(line, _title(group))


def _title(findings: list[Finding]) -> str:
    counts = Counter(finding.verdict.status for finding in findings if finding.verdict)
    if counts:
        return f"JAX says: {', '.join(f'{counts[status]} {status}' for status in STATUSES if counts[status])}"
    return f"Verify {len(findings)} finding{'' if len(findings) == 1 else 's'} with JAX"
