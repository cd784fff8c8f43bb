"""Runs many inputs in worker processes, several at a time, and sums up what became of them."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.inputs import Input, Kind, kind
from tests.fuzz.properties import BROKEN_LIMITS, Failure

INPUTS_PER_PROCESS = 50

ROOT = Path(__file__).resolve().parents[2]

_WORKER = "import sys; sys.path.append(sys.argv.pop(1)); from tests.fuzz.worker import main; main()"
"""Finds these tests behind the jitlint that the interpreter has: behind a compiled one, if that is installed there."""

Outcome = tuple[int, dict[str, Any]]
"""An input's number, and what the worker says of it."""


@dataclass(slots=True)
class Campaign:
    """Inputs of one kind, run by an interpreter and the jitlint that it has.

    `say` gets a line about each failure; `patience` multiplies what inputs may take.
    """

    name: str
    seed: int
    folders: Sequence[Path]
    keep: Path
    python: str
    say: Callable[[str], None]
    patience: float = 1.0
    inputs: int = 0
    lines: int = 0
    seconds: float = 0.0
    slowest: tuple[float, str] = (0.0, "")
    largest: tuple[float, str] = (0.0, "")
    failed: dict[str, int] = field(default_factory=dict)
    _kind: Kind = field(init=False)
    _deadline: float = field(init=False)

    def run(self, first: int, count: int, seconds: float, jobs: int) -> None:
        """Runs `count` inputs from the number `first` on, or fewer: until there are no more, or so long, `jobs` at a
        time."""
        self._kind = kind(self.name, self.seed, self.folders)
        self._deadline = time.monotonic() + seconds
        end = first + count if self._kind.count is None else min(first + count, self._kind.count)
        chunks = [range(at, min(at + INPUTS_PER_PROCESS, end)) for at in range(first, end, INPUTS_PER_PROCESS)]
        with ThreadPoolExecutor(jobs) as pool:
            for outcomes in pool.map(self._chunk, chunks):
                self._count(outcomes)
                if self.inputs % (20 * INPUTS_PER_PROCESS) == 0:
                    self.say(f"{self.name}: {self.summary()}")

    def summary(self) -> str:
        """What was done until now."""
        return (
            f"{self.inputs} inputs, {self.lines} lines, {self.seconds:.0f} CPU seconds, {sum(self.failed.values())} "
            f"failures; slowest {self.slowest[1]} ({self.slowest[0]:.2f} s), "
            f"largest {self.largest[1]} ({self.largest[0]:.0f} MB)"
        )

    def _chunk(self, numbers: range) -> list[Outcome]:
        """The outcomes of inputs; what broke a limit is run once more, in a process of its own."""
        outcomes: list[Outcome] = []
        while numbers and time.monotonic() < self._deadline:
            done = list(self._process(numbers))
            numbers = range(done[-1][0] + 1, numbers.stop)
            for number, outcome in done:
                breaks = {each["key"] for each in outcome["failures"]} & set(BROKEN_LIMITS)
                outcomes += self._process(range(number, number + 1)) if breaks else [(number, outcome)]
        return outcomes

    def _process(self, numbers: range) -> Iterator[Outcome]:
        """Runs inputs in one process, until one of them ends it."""
        options = [
            self.name,
            str(self.seed),
            str(numbers.start),
            str(numbers.stop),
            str(self.patience),
            *map(str, self.folders),
        ]
        command = [self.python, "-P", "-c", _WORKER, str(ROOT), *options]
        running = numbers.start
        with (
            tempfile.TemporaryFile("w+") as said,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True) as process,
        ):
            assert process.stdout is not None
            for line in process.stdout:
                word, _, rest = line.partition(" ")
                if word == "start":
                    running = int(rest)
                elif word == "end":
                    yield running, json.loads(rest)
            process.wait()
            said.seek(0)
            errors = said.read()
        if process.returncode:
            key = "hangs" if "Timeout" in errors else f"dies ({process.returncode})"
            failure = {"key": key, "detail": errors[-6000:]}
            yield running, {"name": "", "lines": 0, "seconds": 0.0, "megabytes": 0.0, "failures": [failure]}

    def _count(self, outcomes: Iterable[Outcome]) -> None:
        for number, outcome in outcomes:
            self.inputs += 1
            self.lines += outcome["lines"]
            self.seconds += outcome["seconds"]
            self.slowest = max(self.slowest, (outcome["seconds"], outcome["name"]))
            self.largest = max(self.largest, (outcome["megabytes"], outcome["name"]))
            for failure in outcome["failures"]:
                self._fail(self._kind.make(number), Failure(**failure))

    def _fail(self, given: Input, failure: Failure) -> None:
        """Keeps the input of a failure's first three times."""
        times = self.failed[failure.key] = self.failed.get(failure.key, 0) + 1
        if times > 3:
            return
        folder = self.keep / given.name.partition(" ")[0]
        for name, content in given.files:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        (folder / "failure.txt").write_text(f"{given.name}\n{failure.key}\n{failure.detail}\n")
        self.say(f"{given.name}: {failure.key}, kept in {folder}")
