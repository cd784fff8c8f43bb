"""What must hold when an input is fixed: whole files that parse, the changes that the diff shows, a way back."""

from __future__ import annotations

import ast
import contextlib
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from jitlint.__main__ import main

FIX = ("--fix", "--unsafe-fixes")
DIFF = ("--diff", "--unsafe-fixes")

Contents = dict[str, bytes]


class Broken(NamedTuple):
    """A property of fixes that does not hold, and the evidence."""

    what: str
    evidence: str


def broken(files: tuple[tuple[str, bytes], ...]) -> Iterator[Broken]:
    """Fixes a folder with these files, which git has, as the command line does."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, content in files:
            Path(name).write_bytes(content)
        git("init", "-q")
        git("add", "-A")
        before = contents(files)
        shown = jitlint(*DIFF)
        if contents(files) != before:
            yield Broken("--diff edits", shown)
        said = jitlint(*FIX)
        after = contents(files)
        if "JIT000" in said or "internal error" in said:
            yield Broken("internal error in fixing", said)
        for name in after:
            if parses(before[name]) and not parses(after[name]):
                yield Broken("does not parse", f"{name}\n{shown}")
        jitlint(*FIX, "--allow-dirty")
        if contents(files) != after:
            yield Broken("not stable", f"{shown}\n{git('diff', '--no-color')}")
        git("checkout", "-q", ".")
        if contents(files) != before:
            yield Broken("git does not give it back", shown)
        if after != before and all(b"\r" not in content for content in before.values()):
            yield from _other_than_shown(files, shown, after)


def _other_than_shown(files: tuple[tuple[str, bytes], ...], shown: str, after: Contents) -> Iterator[Broken]:
    """The diff, applied by git, gives what fixing gave."""
    applied = subprocess.run(["git", "apply", "-"], input=shown.encode("utf-8", "surrogateescape"), capture_output=True)
    if applied.returncode:
        yield Broken("the diff cannot be applied", f"{applied.stderr.decode()}\n{shown}")
    elif contents(files) != after:
        yield Broken("the diff shows something else", shown)


def contents(files: tuple[tuple[str, bytes], ...]) -> Contents:
    """What the files hold now."""
    return {name: Path(name).read_bytes() for name, _ in files}


def jitlint(*options: str) -> str:
    """What the command line says of the folder."""
    done = CliRunner().invoke(main, ["--no-cache", "--isolated", *options, "."])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.stdout if "--diff" in options else done.output


def git(*args: str) -> str:
    return subprocess.run(["git", *args], check=True, capture_output=True).stdout.decode(errors="replace")


def parses(content: bytes) -> bool:
    """Whether this Python can parse a file."""
    with (
        warnings.catch_warnings(action="ignore"),
        contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError),
    ):
        ast.parse(content)
        return True
    return False
