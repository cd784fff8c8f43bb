"""What fixes make of mutants that fail: they are fixed in their files, and JAX judges them again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.mutants import bench
from tests.mutants.bench import Judged
from tests.mutants.judgement import Judgement
from tests.mutants.processes import ROOT, ask

_SECOND = "second = "


@dataclass(frozen=True, slots=True)
class Mended:
    """A mutant that failed, its text after fixing, and what JAX says of that."""

    before: Judged
    text: str
    judgement: Judgement

    @property
    def edited(self) -> bool:
        return self.text != self.before.mutant.text

    @property
    def works(self) -> bool:
        return self.edited and self.judgement["status"] in ("accepted", "unreached")


@dataclass
class Figures:
    """Counts of failing mutants by kind: all, those that fixes `edited`, and those that then `work`."""

    failing: Counter[str] = field(default_factory=Counter)
    edited: Counter[str] = field(default_factory=Counter)
    work: Counter[str] = field(default_factory=Counter)

    def add(self, one: Mended) -> None:
        kind = one.before.mutant.kind
        self.failing[kind] += 1
        self.edited[kind] += one.edited
        self.work[kind] += one.works

    def table(self) -> str:
        rows = [(kind, self.failing[kind], self.edited[kind], self.work[kind]) for kind in sorted(self.failing)]
        rows.append(("all", self.failing.total(), self.edited.total(), self.work.total()))
        head = f"{'kind':24}{'fail':>6}{'edited':>8}{'work':>6}{'share':>8}"
        return "\n".join([head, *(f"{kind:24}{n:6}{e:8}{w:6}{w / n if n else 1:8.2f}" for kind, n, e, w in rows)])


def mended(judged: Sequence[Judged], folder: Path) -> Iterator[Mended]:
    """The mutants that fail, after `jitlint --fix --unsafe-fixes` of their files."""
    failing = [one for one in judged if one.judgement["status"] in ("fails", "wrong")]
    for batch in bench.batches([one.path for one in failing], folder):
        _fix(batch, folder)
    texts = [one.path.read_text(encoding="utf-8") for one in failing]
    answers = ask(_request(one, text) for one, text in zip(failing, texts, strict=True))
    for one, text, answer in zip(failing, texts, answers, strict=True):
        yield Mended(one, text, answer or Judgement(status="broken", line=0, error="the worker died"))


def _fix(names: Sequence[str], folder: Path) -> None:
    command = [sys.executable, "-m", "jitlint", "--fix", "--unsafe-fixes", "--allow-dirty", "--format", "json", *names]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    if not ran.stdout.strip():
        raise RuntimeError(f"jitlint failed: {ran.stderr[-2000:]}")
    if errors := json.loads(ran.stdout)["errors"]:
        raise RuntimeError(f"jitlint reports {errors}")


def _request(one: Judged, text: str) -> dict[str, object]:
    """What JAX is asked of a fixed mutant. Any line may have changed, so all before the second call count."""
    lines = text.rstrip("\n").split("\n")
    second = max((number for number, line in enumerate(lines, 1) if line.startswith(_SECOND)), default=len(lines))
    name = f"{one.mutant.recipe.module.rpartition('.')[0]}.{one.path.stem}"
    silent = one.mutant.silent if one.mutant.silent != "once" else ""  # an effect of each call leaves no line behind
    return {"do": "judge", "path": str(one.path), "name": name, "changed": (1, second - 1), "second": second,
            "silent": silent}  # fmt: skip


def explain(one: Mended) -> str:
    """A mutant that still fails, for people."""
    about = f"{'wrong fix' if one.edited else 'no fix'} | {one.before.mutant.kind} | {one.before.mutant.recipe.name}"
    said = one.judgement
    codes = ", ".join(f"{finding['code']}:{finding['line']}" for finding in one.before.findings)
    text = one.before.mutant.text.split("\n")
    code = [f"    {number}: {text[number - 1]}" for number in sorted(_changed(one.before))]
    return "\n".join([about, f"  {one.before.path}", f"  JAX: {said['status']} {said['line']} {said['error']}",
                      f"  linter: {codes}", *code])  # fmt: skip


def _changed(one: Judged) -> set[int]:
    first, last = one.mutant.changed
    return set(range(first, last + 1))
