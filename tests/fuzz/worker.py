"""Runs a range of inputs in one process: python -m tests.fuzz.worker KIND SEED FIRST LAST FOLDER…

For each input one line when it starts (`start NUMBER`) and one with the outcome (`end {…}`). An input that takes far
too long ends the process, with the stack on standard error.
"""

from __future__ import annotations

import faulthandler
import json
import resource
import sys
import time
from dataclasses import asdict
from pathlib import Path

from tests.fuzz.inputs import kind
from tests.fuzz.properties import failures

SECONDS, SECONDS_PER_LINE = 120.0, 0.05
"""After which an input hangs, on a machine that has other things to do."""

AGAIN = 4
"""Of so many inputs, one is analyzed twice and reported in all formats: that takes three times as long."""

MEMORY = 12 << 30
"""Bytes of address space: stacks are reserved, not used."""


def main() -> None:
    name, seed, first, last, *folders = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    inputs = kind(name, int(seed), [Path(folder) for folder in folders])
    for number in range(int(first), int(last)):
        print("start", number, flush=True)
        given = inputs.make(number)
        faulthandler.dump_traceback_later(SECONDS + SECONDS_PER_LINE * given.lines, exit=True)
        began = time.process_time()
        failed = [asdict(each) for each in failures(given, again=number % AGAIN == 0)]
        seconds = time.process_time() - began
        faulthandler.cancel_dump_traceback_later()
        outcome = {"name": given.name, "lines": given.lines, "seconds": seconds, "failures": failed}
        print("end", json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
