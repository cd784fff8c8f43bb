"""The tables of a run: by package, by rule, by cause."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.ecosystem.oracle.compare import VERDICTS, Comparison, Failure, Flagged, origin
from tests.mutants.agreement import Answer, explain
from tests.mutants.agreement import table as variables

MOST = 12
"""How many causes of a kind are told."""

_PACKAGE = "{:<12}{:>7}{:>8}{:>8}{:>7}" + "{:>10}" * len(VERDICTS)
_FALSE = ("false", "static")
_DISAGREE = ("traced as static", "static as traced")


def packages(found: Sequence[Comparison]) -> str:
    """Tests and lines that ran, failures of tracing and those missed, errors flagged and what became of them."""
    rows: list[tuple[object, ...]] = [("package", "tests", "lines", "failed", "missed", *VERDICTS)]
    rows += [_row(one.suite.name, [one]) for one in found]
    return "\n".join(_PACKAGE.format(*row) for row in [*rows, _row("all", found)])


def _row(name: str, found: Sequence[Comparison]) -> tuple[object, ...]:
    verdicts = Counter(flagged.verdict for one in found for flagged in one.shown)
    return (
        name,
        sum(sum(one.watched["tests"].values()) for one in found),
        sum(len(file["lines"]) for one in found for file in one.watched["files"].values()),
        sum(len(one.failed) for one in found),
        sum(len(one.missed) for one in found),
        *(verdicts[verdict] for verdict in VERDICTS),
    )


def report(found: Sequence[Comparison]) -> str:
    """All tables."""
    answers = [answer for one in found for answer in one.answers]
    return "\n\n".join((packages(found), variables(answers), causes(found)))


def causes(found: Sequence[Comparison]) -> str:
    """What is false by rule, missed by error, disagreeing by how the variable got its value: the most frequent."""
    false = Counter(each.finding["code"] for one in found for each in one.shown if each.verdict in _FALSE)
    possible = Counter(
        f"{each.finding['code']} {_assumed(each)}"
        for one in found
        for each in one.flagged
        if each.verdict in _FALSE and each not in one.shown
    )
    missed = Counter(_error(failure) for one in found for failure in one.missed)
    parts = [
        _counted("false, by rule", false),
        _counted("false, and only possible, by rule and assumption", possible),
        _counted("missed, by error", missed),
    ]
    for what in (*_DISAGREE, "traced as unknown"):
        origins = Counter(word for one in found for word in _origins(one, what))
        parts.append(_counted(f"{what}, by how the first of a function got its value", origins))
    return "\n\n".join(parts)


def _assumed(flagged: Flagged) -> str:
    return ", ".join(sorted({assumption["name"] for assumption in flagged.finding.get("assumptions", ())}))


def _counted(title: str, counts: Counter[str]) -> str:
    return "\n".join((f"{title}: {counts.total()}", *(f"{n:6}  {what}" for what, n in counts.most_common(MOST))))


def _error(failure: Failure) -> str:
    name, _, message = failure["error"].partition(": ")
    return name if name not in ("TypeError", "ValueError", "AttributeError") else f"{name}: {message[:60]}"


def _origins(one: Comparison, what: str) -> Iterator[str]:
    """The first disagreement of each function: the ones behind it follow from it."""
    seen: set[tuple[str, str]] = set()
    trees: dict[str, ast.Module] = {}
    for answer in one.answers:
        path = answer.read["path"]
        if answer.what == what and (path, answer.read["function"]) not in seen:
            seen.add((path, answer.read["function"]))
            if path not in trees:
                trees[path] = ast.parse(Path(path).read_text("utf-8"))
            yield origin(trees[path], answer.read)


def details(one: Comparison) -> str:
    """What is false, missed and disagreeing in a package, place by place."""
    lines = [f"# {one.suite.name}"]
    for finding, verdict in one.flagged:
        if verdict not in ("true", "unreached"):
            place = f"{finding['path']}:{finding['line']}"
            lines.append(f"{verdict}: {place} {finding['code']} {finding['confidence']} {finding['message']}")
    for failure in one.missed:
        way = " < ".join(f"{path}:{line}" for path, line in failure["callers"][:4])
        lines.append(f"missed: {failure['path']}:{failure['line']} {failure['error']} < {way}")
    return "\n".join((*lines, explain(_wrong(one.answers))))


def _wrong(answers: Iterable[Answer]) -> list[Answer]:
    return [answer for answer in answers if answer.what in _DISAGREE]
