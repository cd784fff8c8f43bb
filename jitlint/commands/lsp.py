"""`jitlint lsp`: the language server."""

from __future__ import annotations

import click


@click.command()
def lsp() -> None:
    """Run the language server on standard input and output, for editors."""
    try:
        from jitlint.lsp.features import run  # needs pygls, which only this command does
    except ModuleNotFoundError as error:
        raise click.UsageError(f"{error.name} is missing; install jitlint[lsp].") from error
    run()
