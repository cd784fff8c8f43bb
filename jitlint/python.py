"""jitlint from Python: `check` analyzes files; `confirm` and `assert_jittable` run a function with JAX."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from jitlint.project.files import display_path

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class UsageError(ValueError):
    """What was asked for cannot be done; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file.

    Attributes:
        path: as the working folder sees it.
        line: from 1; in a notebook within its cell.
        column: from 1.
        cell: of a notebook, from 1; None in other files.
        note: what happens here, in the steps of a flow.
    """

    path: str
    line: int
    column: int
    cell: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What JAX said about a finding on one device.

    Attributes:
        status: `confirmed`, `refuted`, `inconclusive` or `not-run`.
        reason: one line.
        device: such as `cpu`, `cuda`, `tpu:v5e`.
        inputs: descriptions of the inputs that were tried.
        jax: the version that ran.
    """

    status: str
    reason: str
    device: str
    inputs: tuple[str, ...]
    jax: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that fails or misbehaves under tracing.

    Attributes:
        code: of the rule, such as `JIT101`.
        name: of the rule, such as `traced-branch`.
        severity: `error`, `wrong`, `slow` or `hint`.
        confidence: `certain`, `likely` or `possible`.
        message: what is wrong, because of which value, and what to do.
        location: where.
        symbol: the dotted name of the function around it.
        flow: the way of the traced value, from where it is traced.
        verdicts: one for each device; none if nothing was verified.
        fingerprint: identifies the finding, also after its line has moved.
    """

    code: str
    name: str
    severity: str
    confidence: str
    message: str
    location: Location
    symbol: str
    flow: tuple[Location, ...]
    verdicts: tuple[Verdict, ...]
    fingerprint: str

    def __str__(self) -> str:
        at = self.location
        cell = f"cell {at.cell}:" if at.cell is not None else ""
        return f"{at.path}:{cell}{at.line}:{at.column} {self.code} {self.message}"


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found.

    Attributes:
        findings: in the order of their places.
        errors: what could not be read, analyzed or verified; one line each.
        notes: remarks about the check as a whole.
    """

    findings: tuple[Finding, ...]
    errors: tuple[str, ...]
    notes: tuple[str, ...]


def check(
    paths: Paths,
    *,
    verify: bool = False,
    device: Iterable[str] = (),
    select: Iterable[str] | None = None,
    extend_select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    confidence: str | None = None,
    config: str | os.PathLike[str] | None = None,
) -> Report:
    """Looks for what fails or misbehaves under tracing, as `jitlint check` does; no code of the files runs.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "model.py")
    ...     _ = file.write_text("import jax\\n\\n@jax.jit\\ndef f(x):\\n    return x if x > 0 else -x\\n")
    ...     report = check(file)
    >>> [(finding.code, finding.location.line) for finding in report.findings]
    [('JIT104', 5)]

    Args:
        paths: a file or a folder, or several.
        verify: whether to run the code around findings with JAX, in a sandbox as far as the system allows.
        device: what to verify for (`cpu`, `cuda:h100`, `tpu:v5e` …); what the settings say if it is empty.
        select: show only these codes, or beginnings of codes.
        extend_select: show these codes, too.
        ignore: leave these codes out.
        confidence: the least confidence to show: `certain`, `likely` or `possible`.
        config: the only file of settings that counts; by default the nearest to each file does.

    Raises:
        UsageError: a code, a device or a file of settings does not exist, or there is no JAX to verify with.
    """
    given = {
        "--device": device,
        "--select": select,
        "--extend-select": extend_select,
        "--ignore": ignore,
        "--confidence": confidence,
        "--config": config,
    }
    options = [f"{name}={_listed(value)}" for name, value in given.items() if value]
    files = map(str, [paths] if isinstance(paths, (str, os.PathLike)) else paths)
    # A process of its own: the analysis forks, and JAX's threads, if the caller has loaded it, would not survive that.
    command = [sys.executable, "-P", "-m", "jitlint", "check", "--format=json", "--quiet", *options]
    command += ["--verify"] if verify else []
    done = subprocess.run([*command, "--", *files], capture_output=True, encoding="utf-8", check=False)
    if not done.stdout:
        raise UsageError(done.stderr.rpartition("Error: ")[2].strip() or "jitlint ended without a report")
    report = json.loads(done.stdout)
    errors = (f"{error['path']}: {error['message']}" for error in report["errors"])
    return Report(tuple(map(_finding, report["findings"])), tuple(errors), tuple(report["summary"].get("notes", ())))


def _listed(value: str | os.PathLike[str] | Iterable[str]) -> str:
    return str(value) if isinstance(value, (str, os.PathLike)) else ",".join(value)


def _finding(found: dict[str, Any]) -> Finding:
    """A finding of the JSON report."""
    verdicts = found.get("verdicts") or ([found["verdict"]] if found["verdict"] else [])
    return Finding(
        **{
            name: found[name] for name in ("code", "name", "severity", "confidence", "message", "symbol", "fingerprint")
        },
        location=_location(found),
        flow=tuple(map(_location, found["flow"])),
        verdicts=tuple(
            Verdict(each["status"], each["reason"], each["device"], tuple(each["inputs"]), each["jax"])
            for each in verdicts
        ),
    )


def _location(found: dict[str, Any]) -> Location:
    return Location(found["path"], found["line"], found["column"], found.get("cell"), found.get("note", ""))


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What became of a function that was traced, compiled, and run with and without jit.

    Attributes:
        status: `jittable`; `fails` if JAX cannot trace, compile or run it; `differs` if it gives something else than
            without jit.
        reason: one line: the error, or what differs, or why nothing was compared.
        location: the innermost place outside of libraries where it fails; None if it does not.
        findings: what jitlint says of that line.
        error: what JAX raised; None if it did not.
    """

    status: str
    reason: str
    location: Location | None = None
    findings: tuple[Finding, ...] = ()
    error: Exception | None = None

    def __bool__(self) -> bool:
        """Whether the function is jittable."""
        return self.status == "jittable"

    def __str__(self) -> str:
        at = f"{self.location.path}:{self.location.line}: " if self.location else ""
        return "\n".join([f"{at}{self.reason}", *map(str, self.findings)])


def confirm(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Confirmation:
    """Traces and compiles a function with real JAX in this process, and runs it with and without jit.

    That are three runs: of what the function does to the world outside, it does everything three times.

    >>> import jax.numpy as jnp
    >>> confirm(jnp.sin, 1.0).status
    'jittable'
    >>> confirm(lambda x: x if x > 0 else -x, 1.0).status
    'fails'

    Args:
        function: with or without `jax.jit` around it. A function that needs static arguments comes under its own jit
            (`jax.jit(f, static_argnames="n")`).
        args: its arguments: arrays, numbers, pytrees. They are copied, so that donation takes nothing away.
        kwargs: its arguments by name.
    """
    # By name: it imports JAX, whose types are not there where wheels are built.
    outcome = import_module("jitlint.verify.worker.compiling.given").run(function, args, kwargs)
    if not outcome.file:
        return Confirmation(outcome.status, outcome.reason, error=outcome.error)
    path = display_path(Path(outcome.file), Path.cwd())
    location = Location(path, outcome.line, 1)
    known = check(outcome.file, confidence="possible").findings if Path(outcome.file).is_file() else ()
    findings = tuple(each for each in known if each.location.line == outcome.line)
    return Confirmation(outcome.status, outcome.reason, location, findings, outcome.error)


def assert_jittable(function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Fails unless a function can be traced and compiled, and gives the same with and without jit; for tests.

    >>> import jax.numpy as jnp
    >>> assert_jittable(jnp.sin, 1.0)

    Args:
        function: as for `confirm`.
        args: its arguments.
        kwargs: its arguments by name.

    Raises:
        AssertionError: it is not jittable; the message says where, why, and what to do.
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    outcome = confirm(function, *args, **kwargs)
    if not outcome:
        raise AssertionError(str(outcome)) from outcome.error
