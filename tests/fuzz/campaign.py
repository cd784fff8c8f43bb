"""Runs many inputs in worker processes, one process after the other, and sums up what became of them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.inputs import Input, Kind, kind
from tests.fuzz.properties import Failure

INPUTS_PER_PROCESS = 50


@dataclass(slots=True)
class Campaign:
    """Inputs of one kind; `say` gets a line about each failure."""

    name: str
    seed: int
    folders: Sequence[Path]
    keep: Path
    say: Callable[[str], None]
    inputs: int = 0
    lines: int = 0
    seconds: float = 0.0
    slowest: tuple[float, str] = (0.0, "")
    failed: dict[str, int] = field(default_factory=dict)
    _kind: Kind = field(init=False)

    def run(self, first: int, count: int, deadline: float) -> None:
        """Runs `count` inputs from the number `first` on, or fewer: until there are no more, or the clock is at
        `deadline` (`time.monotonic`)."""
        self._kind = kind(self.name, self.seed, self.folders)
        end = first + count if self._kind.count is None else min(first + count, self._kind.count)
        number = first
        while number < end and time.monotonic() < deadline:
            number = self._chunk(number, min(number + INPUTS_PER_PROCESS, end), deadline)
            self.say(f"{self.name}: to {number}: {self.summary()}")

    def summary(self) -> str:
        """What was done until now."""
        slow, which = self.slowest
        return (
            f"{self.inputs} inputs, {self.lines} lines, {self.seconds:.0f} CPU seconds, {sum(self.failed.values())} "
            f"failures; slowest {which} ({slow * 1000:.1f} s per 1000 lines)"
        )

    def _chunk(self, first: int, last: int, deadline: float) -> int:
        """Runs inputs in one process; gives the first that is still to run."""
        options = [self.name, str(self.seed), str(first), str(last), *map(str, self.folders)]
        command = [sys.executable, "-m", "tests.fuzz.worker", *options]
        running = -1
        with (
            tempfile.TemporaryFile("w+") as said,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True) as process,
        ):
            assert process.stdout is not None
            for line in process.stdout:
                word, _, rest = line.partition(" ")
                if word == "start":
                    running = int(rest)
                    if time.monotonic() > deadline:
                        process.kill()
                        return last
                elif word == "end":
                    self._count(running, json.loads(rest))
            process.wait()
            said.seek(0)
            errors = said.read()
        if process.returncode:
            key = "hangs" if "Timeout" in errors else f"dies ({process.returncode})"
            self._fail(self._kind.make(running), Failure(key, errors[-6000:]))
            return running + 1
        return last

    def _count(self, number: int, outcome: dict[str, object]) -> None:
        lines, seconds = int(str(outcome["lines"])), float(str(outcome["seconds"]))
        self.inputs += 1
        self.lines += lines
        self.seconds += seconds
        self.slowest = max(self.slowest, (seconds / (lines + 100), f"{outcome['name']}: {seconds:.1f} s"))
        found = outcome["failures"]
        assert isinstance(found, list)
        for failure in found:
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
