"""The command line, as `jitlint` or `python -m jitlint`. Each command is a module of `commands`."""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # the working folder, which `python -m` puts there: nothing of what is linted is imported

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from jitlint import __version__
from jitlint.collector import for_one_command
from jitlint.source.printable import printable
from jitlint.status import FAILED

_COMMANDS = {
    "baseline": "baseline",
    "check": "check",
    "completion": "completion",
    "config": "settings",
    "explain": "explain",
    "lsp": "lsp",
    "record": "record",
    "rules": "explain",
    "stage": "stage",
}
"""The commands, and their modules in `commands`."""


class _Commands(click.Group):
    """Reads `jitlint PATH…` as `jitlint check PATH…`, and imports only the command that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        found: click.Command = getattr(import_module(f"jitlint.commands.{_COMMANDS[name]}"), name)
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in (*_COMMANDS, "--help", "-h", "--version"):
            if meant := _mistyped(args[0]):
                raise click.UsageError(f"There is no command or file {args[0]}; did you mean `jitlint {meant}`?")
            args = ["check", *args]
        return super().parse_args(ctx, _with_values(args))

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _printable_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _printable_errors():
                return super().invoke(ctx)
        except (click.Abort, KeyboardInterrupt):
            click.echo("Interrupted; nothing was reported.", err=True)
            ctx.exit(FAILED)
        except (click.ClickException, click.exceptions.Exit, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001  a defect of jitlint itself: it must not end in the status of findings
            from jitlint.commands import reporting  # `--version` and `--help` need no reports

            reporting.print_defect(error)
            ctx.exit(FAILED)


def _mistyped(arg: str) -> str | None:
    """The command that the first argument was meant to be, if it names no file."""
    if not arg.isalpha() or os.path.lexists(arg):
        return None
    import difflib  # only for mistakes

    return next(iter(difflib.get_close_matches(arg, _COMMANDS, 1)), None)


@contextmanager
def _printable_errors() -> Iterator[None]:
    """What click prints of an error quotes arguments and paths."""
    try:
        yield
    except click.ClickException as error:
        vars(error)["message"] = printable(error.message)  # click declares it final
        raise


def _with_values(args: list[str]) -> list[str]:
    """The arguments, with `--verify=findings` for a bare `--verify`, which would take the next path as its value."""
    end = args.index("--") if "--" in args else len(args)
    return ["--verify=findings" if arg == "--verify" and at < end else arg for at, arg in enumerate(args)]


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="jitlint", message="%(prog)s %(version)s")
def main() -> None:
    """Finds Python code that will not survive `jax.jit`, and proves it with JAX.

    `jitlint PATH…` is short for `jitlint check PATH…`.
    """
    # A path or a source line that the terminal cannot show must not end the run.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def run() -> None:
    """Runs the command of this process."""
    for_one_command()
    main(prog_name="jitlint")


if __name__ == "__main__":
    run()
