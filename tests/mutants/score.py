"""Compares the linter's findings with JAX's judgement: recall and false positives, in all and per kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.mutants.bench import Judged
from tests.mutants.drivers import CODES
from tests.mutants.kinds import KINDS

Finding = Mapping[str, Any]


class Slip(NamedTuple):
    """A mutant that the linter got wrong: `what` is missed or false."""

    what: str
    judged: Judged
    findings: tuple[Finding, ...]


@dataclass
class Score:
    """Counts of mutants: `failing` ones and those `found` of them (`named`: by a rule of the kind), `fine` ones and
    those with a `false` finding. The rest, `unclear`, could not be judged."""

    failing: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)
    fine: Counter[str] = field(default_factory=Counter)
    false: Counter[str] = field(default_factory=Counter)
    unclear: Counter[str] = field(default_factory=Counter)
    packages: set[str] = field(default_factory=set)
    slips: list[Slip] = field(default_factory=list)

    def recall(self, kind: str = "") -> float:
        """The share of failing mutants with a finding where they fail, 1 if there are none."""
        return _share(self.found, self.failing, kind, 1.0)

    def false_positives(self, kind: str = "") -> float:
        """The share of fine mutants with a finding in the injected code, 0 if there are none."""
        return _share(self.false, self.fine, kind, 0.0)


def _share(part: Counter[str], whole: Counter[str], kind: str, none: float) -> float:
    total = whole[kind] if kind else whole.total()
    return (part[kind] if kind else part.total()) / total if total else none


def score(mutants: Iterable[Judged]) -> Score:
    """Scores judged mutants that carry their findings."""
    result = Score()
    for one in mutants:
        kind, status = one.mutant.kind, one.judgement["status"]
        if status in ("fails", "wrong"):
            hits = [finding for finding in one.findings if _covers(finding, one)]
            result.packages.add(one.mutant.recipe.package)
            result.failing[kind] += 1
            result.found[kind] += bool(hits)
            result.named[kind] += any(finding["code"] in codes(kind) for finding in hits)
            if not hits:
                result.slips.append(Slip("missed", one, one.findings))
        elif status == "accepted" and not (one.mutant.harmful and one.mutant.silent):
            injected = [finding for finding in one.findings if finding["line"] in injected_lines(one)]
            result.fine[kind] += 1
            result.false[kind] += bool(injected)
            if injected:
                result.slips.append(Slip("false", one, tuple(injected)))
        else:
            result.unclear[kind] += 1
    return result


def codes(kind: str) -> tuple[str, ...]:
    """The rules that should find a kind of bug."""
    return KINDS[kind].codes if kind in KINDS else CODES.get(kind, ())


def injected_lines(one: Judged) -> set[int]:
    """The lines that the mutation brought."""
    changed, added = one.mutant.changed, one.mutant.added
    return {*range(changed[0], changed[1] + 1), *range(added[0], added[1] + 1)}


def _covers(finding: Finding, one: Judged) -> bool:
    """Whether a finding, or a step of its flow, stands where the mutant fails.

    In a mutant of the call that is any of its lines: JAX names the call, the linter what is wrong with it.
    """
    name = one.path.name
    exact = one.judgement["status"] == "fails" and one.mutant.way != "driver"
    lines = {one.judgement["line"]} if exact else injected_lines(one)
    if any(finding["line"] <= line <= finding["end_line"] for line in lines):
        return True
    return any(step["line"] in lines and Path(step["path"]).name == name for step in finding["flow"])


def table(result: Score, kinds: Sequence[str]) -> str:
    """The figures per kind and in all."""
    head = (
        f"{'kind':24}{'fail':>6}{'found':>7}{'recall':>8}{'named':>7}{'fine':>6}{'false':>7}{'share':>8}{'unclear':>9}"
    )
    lines = [head]
    for kind in kinds:
        lines.append(
            f"{kind:24}{result.failing[kind]:6}{result.found[kind]:7}{result.recall(kind):8.2f}{result.named[kind]:7}"
            f"{result.fine[kind]:6}{result.false[kind]:7}{result.false_positives(kind):8.2f}{result.unclear[kind]:9}"
        )
    lines.append(
        f"{'all':24}{result.failing.total():6}{result.found.total():7}{result.recall():8.2f}{result.named.total():7}"
        f"{result.fine.total():6}{result.false.total():7}{result.false_positives():8.2f}{result.unclear.total():9}"
    )
    return "\n".join(lines)


def explain(slip: Slip) -> str:
    """One slip for people: the injected code, what JAX said, what the linter said."""
    one = slip.judged
    text = one.mutant.text.split("\n")
    codes_found = ", ".join(f"{finding['code']} {finding['path']}:{finding['line']}" for finding in slip.findings)
    code = [f"    {number}: {text[number - 1]}" for number in sorted(injected_lines(one))]
    said = f"{one.judgement['status']} {one.judgement['line']} {one.judgement['error']}"
    about = f"{slip.what} | {one.mutant.kind} | {one.mutant.way} | {one.mutant.recipe.name}"
    return "\n".join([about, f"  {one.path}", f"  JAX: {said}", f"  linter: {codes_found or 'nothing'}", *code])
