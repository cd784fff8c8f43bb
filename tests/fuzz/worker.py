"""Runs a range of inputs in one process: `main` takes KIND SEED FIRST LAST PATIENCE FOLDER… from the command
line. PATIENCE multiplies what inputs may take.

For each input one line when it starts (`start NUMBER`) and one with the outcome (`end {…}`). An input that takes far
too long ends the process, with the stack on standard error. One that breaks a limit is the last of its process.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import sys
from dataclasses import asdict
from pathlib import Path

from jitlint.source.defects import VARIABLE
from tests.fuzz.inputs import kind
from tests.fuzz.properties import BROKEN_LIMITS, Limits, Measured, failures

SECONDS, SECONDS_PER_LINE = 120.0, 0.05
"""After which an input hangs, on a machine that has a dozen other things to do."""

AGAIN = 4
"""Of so many inputs, one is analyzed twice and reported in all formats: that takes three times as long."""

MEMORY = 12 << 30
"""Bytes of address space: stacks are reserved, not used."""


def main() -> None:
    name, seed, first, last, patience, *folders = sys.argv[1:]
    limits = Limits().times(float(patience))
    os.environ.pop(VARIABLE, None)  # internal errors are failures of the input
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    inputs = kind(name, int(seed), [Path(folder) for folder in folders])
    for number in range(int(first), int(last)):
        print("start", number, flush=True)
        given = inputs.make(number)
        faulthandler.dump_traceback_later(SECONDS + SECONDS_PER_LINE * given.lines, exit=True)
        measured = Measured()
        with measured:
            failed = failures(given, again=number % AGAIN == 0, limits=limits)
        faulthandler.cancel_dump_traceback_later()
        outcome = {
            "name": given.name,
            "lines": given.lines,
            "seconds": measured.seconds,
            "megabytes": measured.megabytes,
            "failures": [asdict(each) for each in failed],
        }
        print("end", json.dumps(outcome), flush=True)
        if any(each.key in BROKEN_LIMITS for each in failed):
            break
