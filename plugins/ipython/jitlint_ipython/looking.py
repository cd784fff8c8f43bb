"""Analyzes and verifies a cell, and writes what there is to say: in a process of its own, since the analysis forks.

What a session has loaded, such as JAX with its threads, would not survive that.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import NamedTuple

import click

from jitlint import pipeline
from jitlint.config import Choices, Configuration
from jitlint.config.verifying import VerifySetupError, chosen_devices, verify_setup
from jitlint.findings.finding import OWN, FileError, Finding, Result
from jitlint.findings.placed import placed
from jitlint.findings.walk import printable_result
from jitlint.lsp.process import RemediableError
from jitlint.project.cache import cache_folder
from jitlint.report import text
from jitlint.report.stages import Name, names
from jitlint.source.printable import printable, printable_line
from jitlint.verify.api import verify
from jitlint_ipython.session import Program

_COLORS = {"static": "green", "traced": "magenta"}


class CannotVerifyError(RemediableError):
    """There is nothing to verify with; the message says what to do."""


class Report(NamedTuple):
    """What was found in a cell, in terminal colours; and what could not be done, or needs a remark."""

    text: str
    errors: str


def look(program: Program, devices: tuple[str, ...] | None = None) -> Report:
    """Looks for what fails or misbehaves in the cell that will run next, or elsewhere because of it.

    Args:
        program: the session.
        devices: what to verify for, () for what the settings say; None to run no code.

    Raises:
        CannotVerifyError: there is nothing to verify with.
    """
    os.chdir(program.folder)
    start = program.folder
    configuration = Configuration()
    chosen = Choices(configuration.of)
    cache = cache_folder(start) / "analysis"
    found = pipeline.find(program.files, cache=cache)
    before = pipeline.find((*program.modules, program.before), cache=cache)
    known = {each.fingerprint for each in before.findings}
    findings = tuple(
        each
        for each in found.findings
        if chosen.shows(each) and (each.fingerprint not in known or _cell(each, program) == program.cell)
    )
    errors = tuple(each for each in found.errors if each.path == program.session.display)
    notes: dict[str, None] = {}
    if devices is not None and findings:
        findings, more = _verified(findings, program, configuration, devices, notes)
        errors += more
    result = printable_result(placed(Result(findings, errors, notes=tuple(notes)), program.files))
    problems = [f"{error.path}: {printable_line(error.text)}\n" for error in result.errors]
    problems += [f"Note: {note}.\n" for note in result.notes]
    return Report(text.render(result, program.files, quiet=True), "".join(problems))


def _cell(finding: Finding, program: Program) -> int | None:
    """The number of the cell that a finding is in; None if it is in a module."""
    place, document = finding.event.place, program.session.document
    if document is None or place.path != program.session.display:
        return None
    return document.position(place.line)[0]


def _verified(
    findings: tuple[Finding, ...],
    program: Program,
    configuration: Configuration,
    devices: tuple[str, ...],
    notes: dict[str, None],
) -> tuple[tuple[Finding, ...], tuple[FileError, ...]]:
    """Findings with verdicts, and what is wrong in the settings; remarks on the run go to `notes`."""
    start = program.folder
    settings = configuration.of(start)
    # The session's own Python, which runs this process, too, has what the cells import.
    wanted = replace(settings.verify, device=devices or settings.verify.device)
    wanted = wanted if wanted.python else replace(wanted, python=sys.executable)
    settings = replace(settings, verify=wanted)
    try:
        setup = verify_setup(settings, start, program.files, chosen_devices(wanted))
    except VerifySetupError as error:
        raise CannotVerifyError(f"{error} Or analyze only: %%jitlint --no-verify.") from error
    about_code = tuple(each for each in findings if not each.code.startswith(OWN))
    about_comments = tuple(each for each in findings if each.code.startswith(OWN))
    verified = verify(about_code, program.files, setup.options, note=notes.setdefault)
    return tuple(sorted((*verified, *about_comments), key=Finding.order)), setup.errors


def stages(program: Program) -> str:
    """The cell with its static and traced names in colours; "" if no transform runs any of it."""
    os.chdir(program.folder)
    revealed = placed(pipeline.reveal_expressions(program.files, [program.session]), program.files)
    found = list(names(each for each in revealed if each.place.cell == program.cell))
    if not any(name.stage == "traced" for name in found):
        return ""
    lines = [printable(line).rstrip() for line in program.session.written(program.cell)]
    while not lines[-1]:
        lines.pop()
    for name in reversed([name for name in found if name.stage in _COLORS]):
        lines[name.line - 1] = _colored(lines[name.line - 1], name)
    legend = "  ".join(click.style(stage, fg=color) for stage, color in _COLORS.items())
    return "\n".join([*lines, "", legend, ""])


def _colored(line: str, name: Name) -> str:
    before, written, after = line[: name.column - 1], line[name.column - 1 : name.end - 1], line[name.end - 1 :]
    return before + click.style(written, fg=_COLORS[name.stage]) + after
