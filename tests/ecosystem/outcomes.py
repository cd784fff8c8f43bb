"""jitlint's findings in a package as lines of text, the stored ones, and the difference."""

from __future__ import annotations

import difflib
import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
STORED = Path(__file__).with_name("findings")
_SHOWN = ("error", "wrong", "slow")
"""The severities that are shown by default."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run over a package's folder said, and the CPU seconds that it took."""

    findings: tuple[dict[str, Any], ...]
    errors: tuple[dict[str, str], ...]
    seconds: float

    @property
    def lines(self) -> tuple[str, ...]:
        """Each finding and each error as a line, in the order of their places."""
        return (
            *(f"{error['path']}: {error['message'].splitlines()[0]}" for error in self.errors),
            *(
                f"{finding['path']}:{finding['line']}:{finding['column']} {finding['code']} "
                f"{finding['confidence']}: {finding['message']}"
                for finding in sorted(self.findings, key=_place)
            ),
        )

    @property
    def shown(self) -> tuple[dict[str, Any], ...]:
        """The findings that a run with default settings shows."""
        return tuple(
            finding for finding in self.findings
            if finding["severity"] in _SHOWN and finding["confidence"] != "possible"
        )  # fmt: skip


def _place(finding: dict[str, Any]) -> tuple[Any, ...]:
    return finding["path"], finding["line"], finding["column"], finding["code"], finding["message"]


def lint(folder: Path, *paths: str) -> Outcome:
    """Runs this checkout's jitlint over all of a folder, or these paths in it, with hints and what is only possible.

    Raises:
        RuntimeError: it wrote no report.
    """
    command = [sys.executable, "-P", "-m", "jitlint", "--no-cache", "--format", "json"]
    command += ["--extend-select", "JIT", "--confidence", "possible", *(paths or (".",))]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if not done.stdout:
        raise RuntimeError(f"{folder}: jitlint wrote nothing, exit status {done.returncode}\n{done.stderr}")
    report = json.loads(done.stdout)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Outcome(tuple(report["findings"]), tuple(report["errors"]), seconds)


def stored(name: str) -> tuple[str, ...]:
    """The lines that were accepted for a package; none if there are no such."""
    path = STORED / f"{name}.txt"
    return tuple(path.read_text("utf-8").splitlines()) if path.exists() else ()


def accept(name: str, lines: Sequence[str]) -> None:
    """Stores a package's lines."""
    STORED.mkdir(exist_ok=True)
    (STORED / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")


def difference(before: Sequence[str], now: Sequence[str]) -> tuple[str, ...]:
    """The lines that went, each after a `-`, and those that appeared, each after a `+`, in the order of the files."""
    changes = list(difflib.unified_diff(before, now, n=0, lineterm=""))[2:]  # without the names of the files
    return tuple(f"{line[0]} {line[1:]}" for line in changes if not line.startswith("@@"))
