"""Kills jitlint at random moments, while it verifies or while several processes analyze, and looks at what is left: no
process, and no file but whole ones in the cache, so that the next run says what it should.

    python -m tests.robustness.kill --times 200
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from jitlint.project.cache import Cache

FIXTURES = Path(__file__).parents[2] / "fixtures"
HOSTILE = FIXTURES / "hostile"
FILES = ("normal.py", "starts_daemons.py", "pyproject.toml")
VERIFYING, ANALYZING = ("--verify",), ("--jobs", "2")
"""What the runs do that are killed."""
GRACE = 20.0
"""Seconds in which all that a killed run started must have ended."""

_MARK = "JITLINT_TEST_RUN"

Verdicts = dict[tuple[str, int, str], tuple[str, str] | None]


@dataclass(frozen=True)
class Killed:
    """One run that was killed.

    Attributes:
        after: the second of its life in which it was.
        processes: how many it had then, itself not counted.
        gone: the seconds until they had ended.
        problems: what was wrong afterwards.
    """

    after: float
    processes: int
    gone: float
    problems: Sequence[str]


class Project:
    """A project in a folder of its own, with its cache and the directory of temporary files.

    Args:
        folder: where to make it.
        doing: VERIFYING a small one, or ANALYZING one that is worth several processes.
        before: what to start the linter with.
    """

    def __init__(self, folder: Path, doing: Sequence[str], before: Sequence[str] = ()) -> None:
        self._doing, self._before = doing, before
        self._home, self._scratch = folder / "project", folder / "tmp"
        self._home.mkdir()
        self._scratch.mkdir()
        if doing == ANALYZING:
            shutil.copytree(FIXTURES / "rules", self._home / "rules")
        for name in FILES:
            shutil.copy(HOSTILE / name, self._home)
        self._mark = uuid.uuid4().hex
        began = time.monotonic()
        self._right = self._verdicts()
        self._seconds = time.monotonic() - began

    def kill(self, chance: random.Random) -> Killed:
        """Kills a run at a random moment, with a cache or without, and looks at what is left."""
        if chance.random() < 0.7:
            shutil.rmtree(self._home / ".jitlint_cache", ignore_errors=True)
        after = chance.uniform(0.0, self._seconds)
        with self._start() as linter:
            time.sleep(after)
            processes = sum(process.pid != linter.pid for process in self._alive())
            linter.kill()
        killed = time.monotonic()
        while (left := list(self._alive())) and time.monotonic() < killed + GRACE:
            time.sleep(0.02)
        gone = time.monotonic() - killed
        problems = [f"left running: {' '.join(process.cmdline())}" for process in left]
        for process in left:
            process.kill()
        problems += [f"left in the temporary directory: {path.name}" for path in self._scratch.iterdir()]
        problems += self._unreadable()
        if self._verdicts() != self._right:
            problems.append("the next run says something else")
        problems += [f"left in the cache: {path.name}" for path in self._cached("*.new")]
        return Killed(after, processes, gone, problems)

    def _start(self) -> subprocess.Popen[str]:
        environment = {**os.environ, "TMPDIR": str(self._scratch), _MARK: self._mark}
        command = [*self._before, sys.executable, "-m", "jitlint", *self._doing, "--format", "json", "."]
        return subprocess.Popen(
            command, cwd=self._home, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def _verdicts(self) -> Verdicts:
        """What a run that comes to its end says."""
        out, err = self._start().communicate(timeout=300)
        assert not err, err
        return {
            (found["path"], found["line"], found["code"]): (verdict := found["verdict"])
            and (verdict["status"], verdict["reason"])
            for found in json.loads(out)["findings"]
        }

    def _alive(self) -> Iterator[psutil.Process]:
        for process in psutil.process_iter():
            try:
                if process.status() != psutil.STATUS_ZOMBIE and process.environ().get(_MARK) == self._mark:
                    yield process
            except psutil.Error:
                continue

    def _unreadable(self) -> Iterator[str]:
        for path in self._cached("verdicts/*.json"):
            try:
                json.loads(path.read_bytes())
            except ValueError:
                yield f"half-written: {path.name}"
        for path in self._cached("analysis/*-*"):
            if Cache(path.parent).get(path.name) is None:
                yield f"half-written: {path.name}"

    def _cached(self, pattern: str) -> Iterator[Path]:
        return (self._home / ".jitlint_cache").rglob(pattern)


def main() -> None:
    """Kills runs, prints how each went, and ends with 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--analyzing", action="store_true", help="kill runs without --verify, of several processes")
    parser.add_argument("before", nargs="*", help="what to start the linter with")
    wanted = parser.parse_args()
    chance = random.Random(wanted.seed)
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder), ANALYZING if wanted.analyzing else VERIFYING, wanted.before)
        seen = []
        for number in range(wanted.times):
            seen.append(project.kill(chance))
            one = seen[-1]
            print(
                f"{number:4} after {one.after:5.2f} s, {one.processes} processes gone in {one.gone:.2f} s",
                *one.problems, sep="\n     ", flush=True,
            )  # fmt: skip
    wrong = sum(bool(one.problems) for one in seen)
    at_work = [one.processes for one in seen if one.processes]
    print(
        f"{len(seen)} killed, {len(at_work)} of them with {sum(at_work)} processes of their own, "
        f"all gone within {max(one.gone for one in seen):.2f} s; {wrong} went wrong"
    )
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
