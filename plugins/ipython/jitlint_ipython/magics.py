"""The magics `%%jitlint` and `%jitlint`."""

from __future__ import annotations

import click
from IPython.core.error import UsageError
from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from jitlint.lsp.process import FailedError, Process, ProcessLostError
from jitlint_ipython import looking
from jitlint_ipython.session import Session


class CellFailedError(Exception):
    """The cell under `%%jitlint` failed, and IPython has shown why."""

    def _render_traceback_(self) -> list[str]:
        """What IPython prints of this exception: nothing."""
        return []


@magics_class
class JitlintMagics(Magics):
    """`%%jitlint` and `%jitlint on|off`."""

    shell: InteractiveShell

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self._session = Session(shell)
        self._looks_at_all = False
        self._process = Process()

    @magic_arguments()
    @argument("--no-verify", action="store_true", help="Only analyze: run nothing of the cell to verify findings.")
    @argument("--no-run", action="store_true", help="Do not run the cell afterwards.")
    @argument("--device", metavar="NAMES", default="", help="What to verify for: cpu, cuda, tpu:v5e … (with commas).")
    @cell_magic("jitlint")
    def jitlint_cell(self, line: str, cell: str) -> None:
        """Show what is traced in a cell and what fails or misbehaves there, ask JAX about it, and run the cell."""
        options = parse_argstring(self.jitlint_cell, line)
        program = self._session.program(f"%%jitlint {line}\n{cell}")
        devices = None if options.no_verify else tuple(filter(None, map(str.strip, options.device.split(","))))
        try:
            click.echo(self._process.wait(looking.stages, program), color=True, nl=False)
            report = self._process.wait(looking.look, program, devices)
        except (FailedError, ProcessLostError) as error:
            raise UsageError(f"jitlint: {error}") from error
        _echo(report)
        if not report.text and not report.errors:
            click.secho("No findings.", fg="green", color=True)
        if not options.no_run and not self.shell.run_cell(f"\n{cell}").success:
            raise CellFailedError

    @line_magic("jitlint")
    def jitlint_line(self, line: str) -> None:
        """`%jitlint on`: look at each cell before it runs, and say what fails or misbehaves. `%jitlint off` ends it."""
        wanted = line.strip()
        if wanted not in ("on", "off"):
            raise UsageError("%jitlint on, or %jitlint off; %%jitlint looks at a single cell.")
        self._looks_at_all = wanted == "on"

    def before_cell(self, info: ExecutionInfo) -> None:
        """Takes note of a cell that is about to run, and looks at it if that is wanted."""
        if not info.store_history or info.silent:
            return
        self._session.begins(info)
        text = info.raw_cell or ""
        if self._looks_at_all and not text.lstrip().startswith("%%jitlint"):
            try:
                _echo(self._process.wait(looking.look, self._session.program(text)))
            except (FailedError, ProcessLostError) as error:
                click.echo(f"jitlint: {error}", err=True)

    def close(self) -> None:
        """Ends the process that analyzes."""
        self._process.kill()


def _echo(report: looking.Report) -> None:
    click.echo(report.errors, err=True, nl=False)
    click.echo(report.text, color=True, nl=False)
