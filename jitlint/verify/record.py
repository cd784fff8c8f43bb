"""`jitlint record`: runs a program as it is, and stores what its transformed functions are called with."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

from jitlint.source.reading import RECORDS_BYTES, read_file
from jitlint.verify.recorder import store
from jitlint.verify.recorder.recording import OUTPUT, ROOT

_HOOK = Path(store.__file__).with_name("hook")


def record(command: Sequence[str], output: Path, root: Path) -> int:
    """Runs a program and adds the signatures of the functions that it transforms to a file.

    Args:
        command: the program and its arguments.
        output: the file.
        root: the folder whose functions are recorded.

    Returns:
        The program's exit code; 128 and the number of the signal that ended it.

    Raises:
        OSError: the program cannot be started.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(_HOOK), *filter(None, [os.environ.get("PYTHONPATH")])]),
        OUTPUT: str(output.resolve()),
        ROOT: str(root.resolve()),
    }
    process = subprocess.Popen(command, env=environment)
    with _signals_left_to(process):
        code = process.wait()
    return code if code >= 0 else 128 - code


@contextlib.contextmanager
def _signals_left_to(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Leaves signals to the program: the terminal interrupts it anyway, a termination is passed on."""

    def forward(number: int, frame: FrameType | None) -> None:
        process.send_signal(number)

    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, lambda number, frame: None),
        signal.SIGTERM: signal.signal(signal.SIGTERM, forward),
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def signatures(file: Path) -> store.Functions:
    """The recorded functions in a file; none if there is no such file.

    Raises:
        StoreError: it cannot be read, or is no record of signatures.
    """
    return store.read(file, lambda path: read_file(path, RECORDS_BYTES))


def summary(before: store.Functions, after: store.Functions) -> str:
    """The result of a recording, in one line for people."""

    def known(functions: store.Functions) -> set[tuple[str, str]]:
        return {(name, repr(one)) for name, entry in functions.items() for one in entry["signatures"]}

    new = known(after) - known(before)
    if not after:
        return "recorded nothing: no function of the project was transformed by JAX and called"
    return f"recorded {len(new)} new signatures; there are {len(known(after))} of {len(after)} functions"
