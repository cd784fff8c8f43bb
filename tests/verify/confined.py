"""Runs short programs in the sandbox, for tests of what they can do there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from jitlint.verify.sandbox.confinement import Confinement

WITHOUT = ("unshare", "-Ur", "sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', "sh")
"""Runs a program where it cannot make namespaces."""

_TOLD = """
import ctypes, json, os, socket, sys

def outcome(act, *arguments):
    try:
        act(*arguments)
    except OSError as error:
        return error.strerror
    return "done"

def write(path):
    with open(path, "w") as file:
        file.write("x")

def call(number, *arguments):
    library = ctypes.CDLL(None, use_errno=True)
    if library.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

def tell():
    {body}

print(json.dumps({{"note": sys.argv[-1], "said": tell()}}))
"""


@dataclass(frozen=True)
class Told:
    """What a program in a sandbox said, and what jitlint would note about the sandbox."""

    note: str
    said: Any


def tell(
    body: str,
    *given: object,
    confinement: Confinement | None = None,
    shown: Iterable[str] = (),
    before: Sequence[str] = (),
    variables: dict[str, str] | None = None,
) -> Told:
    """What the body of a function returns in a sandbox; `sys.argv` has what is given."""
    confinement = confinement or Confinement()
    scratch = os.path.realpath(tempfile.mkdtemp(prefix="jitlint-"))
    program = _TOLD.format(body=body.strip().replace("\n", "\n    "))
    launched = [*before, *confinement.command([sys.executable, "-c", program, *map(str, given)], scratch, shown)]
    environment = confinement.environment(scratch, {**os.environ, **(variables or {})})
    done = subprocess.run(
        launched, cwd=scratch, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    shutil.rmtree(scratch, ignore_errors=True)
    assert done.returncode == 0, done.stderr
    return Told(**json.loads(done.stdout))


@cache
def without_namespaces() -> tuple[str, ...]:
    """The command before a program that is to have no namespaces; nothing where there are none anyway."""
    if not shutil.which("unshare"):
        return ()
    return WITHOUT if subprocess.run([*WITHOUT, "true"], capture_output=True, check=False).returncode == 0 else ()


needs_namespaces = pytest.mark.skipif(
    sys.platform != "linux" or bool(tell("return 0").note), reason="this system lets its users make no namespaces"
)
needs_filter = pytest.mark.skipif(sys.platform != "linux", reason="only Linux filters system calls")
