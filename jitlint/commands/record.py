"""`jitlint record`: runs a program, and stores the signatures with which its jitted functions are called."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from jitlint.config import Configuration
from jitlint.project.files import display_path, project_folder
from jitlint.source.reading import reason


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND…")
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The file to write (default: what the settings say).",
)
def record(command: tuple[str, ...], output: str | None) -> None:
    """Run a program, and store with which inputs its jitted functions are called.

    The program runs as it would without jitlint. `--verify` uses what was stored. Exits with the program's exit code.
    """
    # loads the verifier: only to record
    from jitlint.verify import record as recording
    from jitlint.verify.recorder import store

    root = project_folder(Path.cwd())
    file = Path(output) if output else Configuration().of(Path.cwd()).verify.recorded or root / store.FILE
    try:
        before = recording.signatures(file)
        code = recording.record(command, file, root)
        after = recording.signatures(file)
    except store.StoreError as error:
        raise click.UsageError(f"{display_path(file, Path.cwd())} {error}.") from error
    except OSError as error:
        raise click.UsageError(f"{command[0]} cannot be started: {reason(error)}.") from error
    click.echo(f"jitlint {recording.summary(before, after)}", err=True)
    sys.exit(code)
