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

from jitlint.verify.sandbox import landlock, limits, namespaces, system_calls
from jitlint.verify.sandbox.wish import NO_PROGRAM, NO_SANDBOX, Wish

_SHARED_MEMORY = Path("/dev/shm")
_ALL_DEVICES = Path("/dev")
_DEVICES = tuple(_ALL_DEVICES / name for name in ("null", "zero", "full", "tty", "ptmx", "pts"))
_OPEN = "it can read your files, change their times and permissions, and reach other programs"
_KEPT = f"the system keeps code from writing files and from the Internet, but {_OPEN}"
_KEPT_BY_PYTHON = f"only Python's own functions are kept from changing files, and code from the Internet; {_OPEN}"
_KEPT_BY_PYTHON_ALONE = f"only Python's own functions are kept from changing files; {_OPEN}, also by the network"


def main(arguments: Sequence[str]) -> NoReturn:
    """Runs a program in a sandbox, as a wish says, and ends as it does."""
    wish, command = Wish.of(arguments[0]), arguments[1:]
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")  # should memory run out, this process goes first
    limits.keep_core()
    if wish.form == "off":
        _become(command, "")
    problem = namespaces.enter(wish)
    if not problem:
        problem = _restricted(network=True)  # its own, if it may not use the machine's
        if problem and wish.form == "required":
            _give_up(problem, NO_SANDBOX)
        _become(command, problem and _note(problem, "system calls are not filtered"))
    if wish.form == "required":
        _give_up(problem, NO_SANDBOX)
    limits.without_namespaces()
    if _restricted(network=wish.network):
        _become(command, _note(problem, _KEPT_BY_PYTHON_ALONE))
    try:
        landlock.restrict([Path(wish.scratch), _SHARED_MEMORY], _writable(wish))
    except OSError:
        _become(command, _note(problem, _KEPT_BY_PYTHON))
    _become(command, _note(problem, _KEPT))


def _writable(wish: Wish) -> list[Path]:
    """What code may write to, and not make or remove, where there are no namespaces."""
    found = [*_DEVICES, *(path for pattern in wish.nodes for path in _ALL_DEVICES.glob(pattern))]
    if wish.nodes and os.geteuid():  # CUDA writes the names of its threads there; root could set up the system
        found.append(Path("/proc"))
    return found


def _restricted(*, network: bool) -> str:
    """Filters system calls. Returns why that cannot be, "" if it can."""
    try:
        system_calls.restrict(network=network)
    except OSError as error:
        return str(error.strerror)
    return ""


def _note(problem: str, kept: str) -> str:
    return f"verified without a sandbox ({problem}): {kept}"


def _become(command: Sequence[str], problem: str) -> NoReturn:
    try:
        os.execvp(command[0], [*command, problem])
    except OSError as error:
        _give_up(str(error.strerror), NO_PROGRAM)


def _give_up(reason: str, status: int) -> NoReturn:
    print(reason, file=sys.stderr, flush=True)
    os._exit(status)
