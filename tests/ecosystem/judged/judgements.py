"""What readers found of findings, kept as data, and what is reported now held against it."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from jitlint.events.assumption import Confidence
from tests.ecosystem.judged.levels import decisive

_HERE = Path(__file__).parent
NEW = "new"
"""Stands for the judgement of what nobody has judged yet."""

JUDGEMENTS = ("true", "harmless", "false", NEW)
"""`harmless` is what happens as it is reported, but is intended, or is in code that nothing reaches."""


class Spot(NamedTuple):
    """Where a finding is in its repository, and its code. Several findings of a spot are judged as one."""

    path: str
    line: int
    code: str


def repositories() -> dict[str, str]:
    """The commit of each repository ("owner/name")."""
    return dict(line.split() for line in (_HERE / "repositories.txt").read_text("utf-8").splitlines())


def judgements() -> dict[str, dict[Spot, str]]:
    """The judgements by repository."""
    found: dict[str, dict[Spot, str]] = {name: {} for name in repositories()}
    with (_HERE / "judgements.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            found[row["repository"]][Spot(row["path"], int(row["line"]), row["code"])] = row["judgement"]
    return found


class Bug(NamedTuple):
    """A real bug that was found in public code."""

    repository: str
    commit: str
    spot: Spot
    confirmed: str
    """How it was confirmed, one of CONFIRMED."""
    what: str
    """What happens."""
    how: str
    """What was run; "" if nothing was."""
    unjudged: str
    """Why `judgements.tsv` does not hold it; "" if it is judged as true."""


CONFIRMED = ("run", "mended", "extract", "reading")
"""The repository's own code failed so when it ran, the same after earlier failures were mended, its statements alone
failed so, or nobody ran it."""


def bugs() -> list[Bug]:
    """The real bugs that were found."""
    with (_HERE / "bugs.tsv").open(encoding="utf-8", newline="") as file:
        return [
            Bug(
                row["repository"],
                row["commit"],
                Spot(row["path"], int(row["line"]), row["code"]),
                row["confirmed"],
                row["what"],
                row["how"],
                row["unjudged"],
            )
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


@dataclass(slots=True)
class Count:
    """Judgements counted, over all and by rule, by confidence and by assumption."""

    all: Counter[str] = field(default_factory=Counter)
    by_code: dict[str, Counter[str]] = field(default_factory=dict)
    by_confidence: dict[str, Counter[str]] = field(default_factory=dict)
    by_assumption: dict[str, Counter[str]] = field(default_factory=dict)
    """By the names of the assumptions that decide how sure findings are; "nothing" for those that rest on none."""
    lessons: dict[str, Counter[str]] = field(default_factory=dict)
    """As `by_assumption`, of all that was judged, shown or only possible; what a repository repeats counts once."""
    unjudged: list[tuple[str, Spot, dict[str, Any]]] = field(default_factory=list)
    """What nobody has judged: the repository, the spot, and the finding."""
    lost: list[tuple[str, Spot]] = field(default_factory=list)
    """What is true and is not reported any more."""

    def add(self, name: str, findings: Iterable[dict[str, Any]], judged: Mapping[Spot, str]) -> None:
        """Counts the findings of a repository, and all that was judged of them."""
        everything = {Spot(each["path"], each["line"], each["code"]): each for each in findings}
        self._learn(everything, judged)
        spots = {spot: each for spot, each in everything.items() if each["confidence"] != Confidence.POSSIBLE}
        for spot, finding in spots.items():
            judgement = judged.get(spot, NEW)
            self.all[judgement] += 1
            self.by_code.setdefault(spot.code, Counter())[judgement] += 1
            self.by_confidence.setdefault(finding["confidence"], Counter())[judgement] += 1
            for assumption in _decisive(finding):
                self.by_assumption.setdefault(assumption, Counter())[judgement] += 1
            if judgement == NEW:
                self.unjudged.append((name, spot, finding))
        self.lost += [(name, spot) for spot, judgement in judged.items() if judgement == "true" and spot not in spots]

    def _learn(self, spots: Mapping[Spot, dict[str, Any]], judged: Mapping[Spot, str]) -> None:
        """One cause, such as a class that is not understood, is often in a repository many times."""
        causes = {
            (assumption, spot.code, judged[spot])
            for spot, finding in spots.items()
            if spot in judged
            for assumption in _decisive(finding)
        }
        for assumption, _, judgement in causes:
            self.lessons.setdefault(assumption, Counter())[judgement] += 1

    def table(self) -> list[str]:
        """The counts as lines of text, with the share of what is true in what is judged."""
        rows = {**self.by_code, **self.by_confidence, **self.by_assumption, "all": self.all}
        return [_row("", JUDGEMENTS, "precision"), *(_row(name, *_cells(rows[name])) for name in _ordered(rows))]


def _decisive(finding: Mapping[str, Any]) -> list[str]:
    return decisive({each["name"] for each in finding.get("assumptions", ())})


def _ordered(rows: Mapping[str, Counter[str]]) -> list[str]:
    """The codes in their order, then levels of confidence and assumptions as they came, then the whole."""
    return sorted(rows, key=lambda name: name if name.startswith("JIT") else "_")


def _cells(count: Counter[str]) -> tuple[Sequence[object], str]:
    judged = count.total() - count[NEW]
    return [count[each] for each in JUDGEMENTS], f"{count['true'] / judged:.2f}" if judged else "-"


def _row(name: str, cells: Iterable[object], last: str) -> str:
    return f"{name:<22}" + "".join(f"{cell!s:>10}" for cell in cells) + f"{last:>11}"
