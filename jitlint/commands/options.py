"""The options of `jitlint check`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from jitlint.commands import reporting
from jitlint.commands.request import ALL, FINDINGS
from jitlint.events.assumption import Confidence
from jitlint.verify.options import BUDGETS
from jitlint.verify.sandbox.wish import FORMS

_Command = TypeVar("_Command", bound=Callable[..., None])

_FULL = "full"
"""Ruff's name for the text with excerpts."""

_PARAMETERS = (
    click.argument("paths", nargs=-1, metavar="[PATH]…"),
    click.option(
        "--verify",
        type=click.Choice([FINDINGS, ALL]),
        metavar="[=all]",
        help="Trace, lower and compile the findings with real JAX; with `=all`, every entry point.",
    ),
    click.option(
        "--device", metavar="D", multiple=True, help="A device to verify for (default: cpu); can be repeated."
    ),
    click.option("--memory", metavar="SIZE", help="The memory of each device, such as 16GiB (default: what it has)."),
    click.option("--mesh", metavar="SHAPE", help="Compile over a mesh of devices: 2x4, or data=2,model=4."),
    click.option("--run", is_flag=True, help="Also execute once what compiles for a device of this machine."),
    click.option(
        "--dump", type=click.Path(file_okay=False), metavar="DIR", help="A folder for jaxprs and optimized HLO."
    ),
    click.option(
        "--python",
        metavar="PATH",
        help="The Python that verifies, or the folder of its environment (default: VIRTUAL_ENV, .venv, this one).",
    ),
    click.option(
        "--import",
        "import_",
        type=click.Choice(["needed", "full"]),
        help="How much of a module's top level runs: what its findings need (the default), or all of it.",
    ),
    click.option(
        "--sandbox",
        type=click.Choice(FORMS),
        help="Keep verified code from writing files and from the network, as far as the system can (the default); run "
        "it only where that can be done; or do not keep it.",
    ),
    click.option(
        "--budget",
        type=click.Choice(list(BUDGETS)),
        help="How much to do for findings before they stay inconclusive: a third of the limits, the limits (the "
        "default), or six times as much.",
    ),
    click.option(
        "--inconclusive",
        type=click.Choice(["fail", "warn", "ignore"]),
        help="Whether findings without a clear verdict fail the run (the default), are only shown, or are left out.",
    ),
    click.option("--project", is_flag=True, help="Analyze the projects that the paths belong to; report on the paths."),
    click.option("--changed-since", metavar="REV", help="Like --project, but report only on files changed since REV."),
    click.option("--baseline", type=click.Path(dir_okay=False), metavar="FILE", help="Leave out the findings in FILE."),
    click.option(
        "--config", type=click.Path(exists=True, dir_okay=False), metavar="FILE", help="Read these settings only."
    ),
    click.option("--isolated", is_flag=True, help="Read no settings."),
    click.option(
        "--exclude", metavar="PATTERNS", help="Leave out these files instead of those of the settings, comma-separated."
    ),
    click.option("--extend-exclude", metavar="PATTERNS", help="Leave out these files, too, comma-separated."),
    click.option(
        "--stdin-filename",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help="With `-` for the path: the file that standard input is the text of.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="How many processes may work at a time (default: one per processor).",
    ),
    click.option("--no-cache", is_flag=True, help="Compute everything anew, and store nothing for the next run."),
    click.option(
        "--format",
        "--output-format",
        "format",
        type=click.Choice((*reporting.FORMATS, _FULL)),
        callback=lambda context, option, form: "text" if form == _FULL else form,
        default="text",
        show_default=True,
        help="The format of the report.",
    ),
    click.option(
        "--output",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help="Write the report to this file instead of standard output.",
    ),
    click.option("--select", metavar="CODES", help="Show only these codes, or beginnings of codes, comma-separated."),
    click.option(
        "--extend-select", metavar="CODES", help="Show these codes too, such as hints, which are off by default."
    ),
    click.option("--ignore", metavar="CODES", help="Leave these codes out."),
    click.option(
        "--confidence",
        type=click.Choice([str(level) for level in Confidence]),
        help="The least confidence to show (default: likely).",
    ),
    click.option(
        "--sound",
        is_flag=True,
        help="Miss nothing: count unknown values as traced, and show findings that are only possible.",
    ),
    click.option("--fix", is_flag=True, help="Edit the files: apply the fixes that keep what the program means."),
    click.option("--diff", is_flag=True, help="Show what --fix would change as a diff, and change nothing."),
    click.option(
        "--unsafe-fixes", is_flag=True, help="With --fix or --diff: also fixes that may change what it means."
    ),
    click.option(
        "--allow-dirty", is_flag=True, help="With --fix: also edit files with changes that git does not have."
    ),
    click.option("--statistics", is_flag=True, help="Count the findings by code."),
    click.option("--add-noqa", is_flag=True, help="Write a comment that leaves it out beside each finding."),
    click.option("--watch", is_flag=True, help="Check again whenever a file changes, until interrupted."),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings."),
    click.option("--quiet", "-q", is_flag=True, help="Show findings and errors only."),
    click.option(
        "--verbose", "-v", is_flag=True, help="Say which settings count, what was analyzed, and how long it took."
    ),
)


def options(command: _Command) -> _Command:
    """Gives a command the arguments and options of `check`."""
    for parameter in reversed(_PARAMETERS):
        command = parameter(command)
    return command
