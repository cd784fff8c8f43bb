"""Goes into the sandbox, then becomes the program that is to run there. `confinement.py` starts it.

The program gets one more argument: why there is no sandbox, or "".
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from jitlint.verify.sandbox import limits, namespaces, system_calls
from jitlint.verify.sandbox.wish import NO_PROGRAM, NO_SANDBOX, Wish


def main(arguments: Sequence[str]) -> NoReturn:
    """Runs a program in a sandbox, as a wish says, and ends as it does."""
    wish, command = Wish.of(arguments[0]), arguments[1:]
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")  # should memory run out, this process goes first
    limits.keep_core()
    if wish.form == "off":
        _become(command, "")
    problem = namespaces.enter(wish)
    if problem and wish.form == "required":
        _give_up(problem, NO_SANDBOX)
    if problem:
        limits.without_namespaces()
    try:
        system_calls.restrict(network=wish.network or not problem)
    except OSError as error:
        problem = problem or str(error.strerror)
        if wish.form == "required":
            _give_up(problem, NO_SANDBOX)
    os.chdir(wish.scratch)
    _become(command, problem)


def _become(command: Sequence[str], problem: str) -> NoReturn:
    try:
        os.execvp(command[0], [*command, problem])
    except OSError as error:
        _give_up(str(error.strerror), NO_PROGRAM)


def _give_up(reason: str, status: int) -> NoReturn:
    print(reason, file=sys.stderr, flush=True)
    os._exit(status)
