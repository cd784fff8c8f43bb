"""`jitlint completion`: what makes a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes jitlint's commands and options in a shell.

    For bash, add `eval "$(jitlint completion bash)"` to ~/.bashrc; for zsh the like to ~/.zshrc; for fish, write the
    script to ~/.config/fish/completions/jitlint.fish.
    """
    root = ctx.find_root()
    kind = get_completion_class(shell)
    assert kind is not None  # click has one for each of the choices
    click.echo(kind(root.command, {}, "jitlint", "_JITLINT_COMPLETE").source())
