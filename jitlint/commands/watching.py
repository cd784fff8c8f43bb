"""`--watch`: checks again whenever a file changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

_LACKING = "--watch needs watchfiles: pip install 'jitlint[watch]'."
_SUFFIXES = (".py", ".ipynb", ".md", ".markdown", ".qmd", ".Rmd", ".toml")


def watch(paths: Sequence[str], check: Callable[[], int]) -> None:
    """Checks, and again after each change under paths, until the user interrupts.

    Args:
        paths: files and folders.
        check: what to do; its exit status does not matter.

    Raises:
        click.UsageError: the library that sees changes is not installed, or a path is not there.
    """
    try:
        from watchfiles import DefaultFilter, watch  # an extra of jitlint
    except ImportError as error:
        raise click.UsageError(_LACKING) from error
    if missing := [path for path in paths if not Path(path).exists()]:
        raise click.UsageError(f"--watch: there is no {missing[0]}.")
    known = DefaultFilter(ignore_dirs=(*DefaultFilter.ignore_dirs, ".jitlint_cache"))
    check()
    click.echo("Waiting for changes (interrupt to end).", err=True)
    for _ in watch(*paths, watch_filter=lambda change, path: path.endswith(_SUFFIXES) and known(change, path)):
        click.clear()
        check()
        click.echo("Waiting for changes (interrupt to end).", err=True)
