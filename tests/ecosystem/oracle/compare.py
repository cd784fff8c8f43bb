"""What jitlint says of a suite's code, held against what was seen while it ran."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.ecosystem.oracle.suites import Suite, is_test
from tests.ecosystem.oracle.watched import Failure, File, Watched
from tests.ecosystem.outcomes import lint
from tests.mutants import predicted
from tests.mutants.agreement import TRACED, Answer, is_traced
from tests.mutants.observed import Line
from tests.mutants.stages import Read, reads

Finding = Mapping[str, Any]

POSSIBLE = "possible"
"""The confidence of findings that are shown on request only."""

VERDICTS = ("true", "false", "static", "eager", "unreached")


class Flagged(NamedTuple):
    """An error, also one that is only possible, and what became of its place.

    `true`: tracing failed there. `false`: it ran with traced values and did not fail. `static`: it ran while JAX
    traced, with no traced value in it. `eager`: it ran, never traced. `unreached`: it did not run.
    """

    finding: Finding
    verdict: str


class Failed(NamedTuple):
    """A place of the package where tracing failed and that nothing in the package expected, and the finding there."""

    failure: Failure
    finding: Finding | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A suite's variables, findings and failures, each with what decides it."""

    suite: Suite
    watched: Watched
    answers: Sequence[Answer]
    flagged: Sequence[Flagged]
    failed: Sequence[Failed]

    @property
    def shown(self) -> list[Flagged]:
        """The errors that a run with default settings shows."""
        return [flagged for flagged in self.flagged if flagged.finding["confidence"] != POSSIBLE]

    @property
    def missed(self) -> list[Failure]:
        return [failed.failure for failed in self.failed if failed.finding is None]


def compare(suite: Suite, watched: Watched, cache: Path) -> Comparison:
    """Lints and analyzes a suite's package together with its tests, and compares."""
    paths = suite.files(cache)
    findings = lint(suite.tree(cache), *paths).findings
    errors = [finding for finding in findings if finding["severity"] == "error"]
    shown = [finding for finding in errors if finding["confidence"] != POSSIBLE]
    return Comparison(
        suite,
        watched,
        tuple(_answers(suite, paths, watched["files"])),
        tuple(Flagged(finding, _verdict(finding, watched)) for finding in errors),
        tuple(_failed(watched["failures"], shown)),
    )


def _answers(suite: Suite, paths: Mapping[str, Path], files: Mapping[str, File]) -> Iterator[Answer]:
    said = predicted.traced_stages(list(paths.values()))
    for short, file in files.items():
        text = paths[short].read_text("utf-8")
        lines = text.split("\n")
        for read in reads(ast.parse(text), _numbered(file), paths[short]):
            words = said.get((read["path"], read["line"], read["column"]), {"unknown"})
            traced, word = word_of(words, read)
            yield Answer(suite.name, short, lines[read["line"] - 1].strip(), read, traced, word)


def word_of(words: Collection[str], read: Read) -> tuple[bool, str]:
    """A case that ran, traced or not, and what the analyzer says of it: the one on which they agree if there is one."""
    static = not TRACED.issuperset(read["stages"])
    if is_traced(read) and ("traced" in words or not (static and "static" in words)):
        return True, next(word for word in ("traced", "unknown", "static") if word in words or word == "static")
    return False, next(word for word in ("static", "unknown", "traced") if word in words or word == "traced")


def _numbered(file: File) -> dict[int, Line]:
    return {int(number): line for number, line in file["lines"].items()}


def _verdict(finding: Finding, watched: Watched) -> str:
    lines = range(finding["line"], finding["end_line"] + 1)
    file = watched["files"].get(finding["path"], File(lines={}, eager=[]))
    if any(each["path"] == finding["path"] and each["line"] in lines for each in watched["failures"]):
        return "true"
    inside = [file["lines"][str(line)] for line in lines if str(line) in file["lines"]]
    if any(not TRACED.isdisjoint(variable["stages"]) for line in inside for variable in line["variables"].values()):
        return "false"
    if inside:
        return "static"
    return "eager" if any(line in file["eager"] for line in lines) else "unreached"


def _failed(failures: Sequence[Failure], errors: Sequence[Finding]) -> Iterator[Failed]:
    """The package's places, each once, that failed where only a test could catch it."""
    seen: set[tuple[str, int]] = set()
    for failure in failures:
        place = (failure["path"], failure["line"])
        if not is_test(failure["path"]) and is_test(failure["left"]) and place not in seen:
            seen.add(place)
            yield Failed(failure, next((finding for finding in errors if _covers(finding, failure)), None))


def _covers(finding: Finding, failure: Failure) -> bool:
    """Whether a finding, or a step of its flow, stands where tracing failed or in a line that led there."""
    places = [(failure["path"], failure["line"]), *((path, line) for path, line in failure["callers"])]
    if any(path == finding["path"] and finding["line"] <= line <= finding["end_line"] for path, line in places):
        return True
    return any((step["path"], step["line"]) == places[0] for step in finding["flow"])


def origin(tree: ast.Module, read: Read) -> str:
    """How the variable got its value, in a few words: what disagreements are counted by."""
    scope = _function(tree, read["line"])
    if scope is None:
        return "module"
    arguments = scope.args
    for parameter in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if parameter.arg == read["name"]:
            return "self" if parameter.arg in ("self", "cls") else "parameter"
    if read["name"] in {each.arg for each in (arguments.vararg, arguments.kwarg) if each}:
        return "parameter"
    if isinstance(scope, ast.Lambda):
        return "closure"
    found = [node for node in ast.walk(scope) if _binds(node, read["name"]) and node.lineno <= read["line"]]  # type: ignore[attr-defined]
    return _source(max(found, key=lambda node: node.lineno)) if found else "closure"  # type: ignore[attr-defined]


def _function(tree: ast.Module, line: int) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    around = [
        node for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]  # fmt: skip
    return max(around, key=lambda node: node.lineno, default=None)


def _binds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Assign(targets=targets):
            return any(_names(target, name) for target in targets)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target) | ast.NamedExpr(target=target):
            return _names(target, name)
        case ast.For(target=target):
            return _names(target, name)
        case ast.With(items=items):
            return any(item.optional_vars is not None and _names(item.optional_vars, name) for item in items)
        case ast.FunctionDef() | ast.ClassDef():
            return node.name == name
    return False


def _names(target: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(target))


def _source(node: ast.AST) -> str:
    match node:
        case ast.For():
            return "loop variable"
        case ast.With():
            return "with"
        case ast.FunctionDef() | ast.ClassDef():
            return "definition"
        case ast.Assign(value=ast.Call(func=called)):
            return f"{ast.unparse(called)[-40:]}(…)"
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return f"{type(value).__name__.lower()}"
    return type(node).__name__.lower()
