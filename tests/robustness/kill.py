"""Kills jitlint at random moments, while it verifies or while several processes analyze, and damages its cache between
the kills. Looks at what is left: no process, no temporary file, in the cache only whole files, and foreign files as
they were. The next run must say what the first one said.

    python -m tests.robustness.kill --times 200

The runs use the jitlint on PYTHONPATH, such as an unpacked wheel with compiled modules, else the one that is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from jitlint.project.cache_folder import FOLDER, CacheFolder
from tests.robustness.damage import Scene

FIXTURES = Path(__file__).parents[2] / "fixtures"
HOSTILE = FIXTURES / "hostile"
FILES = ("normal.py", "starts_daemons.py", "pyproject.toml")
VERIFYING, ANALYZING = ("--verify",), ("--jobs", "2")
"""What the runs do that are killed."""
GRACE = 20.0
"""Seconds in which all that a killed run started must have ended."""

NO_CACHE = ("no cache",)
_SCRATCH = "jitlint-scratch-"
"""How temporary folders are called. What a kill leaves of them, the next run removes."""
_MARK = "JITLINT_TEST_RUN"

Findings = list[dict[str, Any]]


@dataclass(frozen=True)
class Killed:
    """One run that was killed.

    Attributes:
        after: the second of its life in which it was.
        ended: whether it had come to its end before.
        processes: how many it had then, itself not counted.
        gone: the seconds until they had ended.
        damage: what had been done to the cache before.
        problems: what was wrong afterwards.
    """

    after: float
    ended: bool
    processes: int
    gone: float
    damage: Sequence[str]
    problems: Sequence[str]


class Project:
    """A project in a folder of its own, with its cache and the directory of temporary files.

    Args:
        folder: where to make it.
        doing: VERIFYING a small one, or ANALYZING one that is worth several processes.
        chance: decides when the linter is killed, and what is damaged.
        before: what to start the linter with.
    """

    def __init__(self, folder: Path, doing: Sequence[str], chance: random.Random, before: Sequence[str] = ()) -> None:
        self._doing, self._chance, self._before = doing, chance, before
        self._home, self._scratch = folder / "project", folder / "tmp"
        self._home.mkdir()
        self._scratch.mkdir()
        if doing == ANALYZING:
            shutil.copytree(FIXTURES / "rules", self._home / "rules")
        for name in FILES:
            shutil.copy(HOSTILE / name, self._home)
        self._mark = uuid.uuid4().hex
        began = time.monotonic()
        self._right, complaint = self._said()
        assert not complaint, complaint
        self._seconds = time.monotonic() - began
        self._scene = Scene(self._home / FOLDER, folder / "outside", chance)

    def kill(self) -> Killed:
        """Kills a run at a random moment, with a damaged cache or without one, and looks at what is left."""
        if self._chance.random() < 0.5:
            self._scene.clear()
            damage, after = NO_CACHE, self._seconds * self._chance.random()
        else:
            damage, after = self._scene.damage(), self._seconds * self._chance.random() ** 3  # it has less to do
        with self._start() as linter:
            time.sleep(after)
            processes = sum(process.pid != linter.pid for process in self._alive())
            ended = linter.poll() is not None
            linter.kill()
        killed = time.monotonic()
        while (left := list(self._alive())) and time.monotonic() < killed + GRACE:
            time.sleep(0.02)
        gone = time.monotonic() - killed
        problems = [f"left running: {' '.join(process.cmdline())}" for process in left]
        for process in left:
            process.kill()
        problems += self._temporary(but=_SCRATCH)
        problems += [f"half-written: {path.name}" for path in self._scene.entries() if not _is_whole(path)]
        findings, complaint = self._said()
        if complaint or findings != self._right:
            problems.append(f"the next run says something else: {complaint or findings}")
        problems += self._temporary()
        problems += [f"left in the cache: {path.name}" for path in self._scene.cache.glob("*/*.new")]
        problems += [f"gone or changed: {path}" for path in self._scene.harmed()]
        return Killed(after, ended, processes, gone, damage, problems)

    def _temporary(self, but: str | None = None) -> list[str]:
        names = sorted(path.name for path in self._scratch.iterdir())
        return [f"left in the temporary directory: {name}" for name in names if but is None or not name.startswith(but)]

    def _start(self) -> subprocess.Popen[str]:
        environment = {**os.environ, "TMPDIR": str(self._scratch), _MARK: self._mark}
        command = [*self._before, sys.executable, "-m", "jitlint", *self._doing, "--format", "json", "."]
        return subprocess.Popen(
            command, cwd=self._home, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def _said(self) -> tuple[Findings, str]:
        """What a run that comes to its end finds, and complains of."""
        out, err = self._start().communicate()
        return json.loads(out or "{}").get("findings", []), err

    def _alive(self) -> Iterator[psutil.Process]:
        for process in psutil.process_iter():
            try:
                if process.status() != psutil.STATUS_ZOMBIE and process.environ().get(_MARK) == self._mark:
                    yield process
            except psutil.Error:
                continue


def _is_whole(entry: Path) -> bool:
    try:
        CacheFolder(entry.parent, re.compile(".*"), 0).read(entry.name)
    except OSError:
        return False
    return True


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
        project = Project(Path(folder), ANALYZING if wanted.analyzing else VERIFYING, chance, wanted.before)
        seen = []
        for number in range(wanted.times):
            seen.append(project.kill())
            one = seen[-1]
            print(
                f"{number:4} after {one.after:5.2f} s, {one.processes} processes gone in {one.gone:.2f} s"
                f"{', had ended' if one.ended else ''}",
                ", ".join(one.damage), *one.problems, sep="\n     ", flush=True,
            )  # fmt: skip
    wrong = sum(bool(one.problems) for one in seen)
    damaged = sum(one.damage != NO_CACHE for one in seen)
    at_work = [one.processes for one in seen if one.processes]
    print(
        f"{len(seen)} killed ({sum(one.ended for one in seen)} had ended), {damaged} of them with a damaged cache, "
        f"{len(at_work)} with {sum(at_work)} processes of their own, "
        f"all gone within {max(one.gone for one in seen):.2f} s; {wrong} went wrong"
    )
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
