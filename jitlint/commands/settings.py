"""`jitlint config`: which settings hold, where they come from, and their schema."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from jitlint.commands import reporting
from jitlint.config import Configuration, Settings
from jitlint.config.schema import schema
from jitlint.config.settings import Key, keys
from jitlint.config.value_types import Rooted
from jitlint.project.files import display_path
from jitlint.source.printable import printable_json, printable_line
from jitlint.status import CLEAN, FAILED


@click.group()
def config() -> None:
    """Show the settings, or their schema."""


@config.command("show")
@click.argument("path", default=".", type=click.Path())
@click.option("--config", "file", type=click.Path(dir_okay=False), metavar="FILE", help="Read these settings only.")
@click.option("--isolated", is_flag=True, help="Read no settings.")
def show(path: str, file: str | None, isolated: bool) -> None:
    """Show each setting that holds for a file or folder, and where it comes from.

    The output is a valid jitlint.toml.
    """
    configuration = Configuration(Path(file) if file else None, isolated=isolated)
    settings = configuration.of(Path(path))
    click.echo("\n".join(map(printable_line, _lines(settings))))
    reporting.print_errors(configuration.errors)
    sys.exit(FAILED if configuration.errors else CLEAN)


@config.command("schema")
@click.argument("of", type=click.Choice(["settings", "models"]), default="settings")
def print_schema(of: str) -> None:
    """Print a JSON Schema, for editors: of jitlint.toml and [tool.jitlint], or of the model files of libraries."""
    from jitlint.models.schema import model_schema  # loads the tables of the models: only for their schema

    click.echo(json.dumps(model_schema() if of == "models" else schema(), indent=2))


def _lines(settings: Settings) -> Iterator[str]:
    yield from _table(settings, tuple(keys(type(settings))), settings.sources, "")
    yield ""
    yield "[verify]"
    yield from _table(settings.verify, tuple(keys(type(settings.verify))), settings.sources, "verify.")


def _table(table: object, known: tuple[Key, ...], sources: Mapping[str, str], prefix: str) -> Iterator[str]:
    written = [(key, _line(key.name, getattr(table, key.field))) for key in known]
    width = max(len(text) for _, text in written)
    for key, text in written:
        yield f"{text:{width}}  # {sources.get(prefix + key.name, 'default')}"


def _line(name: str, value: Any) -> str:
    return f'# {name} = ""' if value in (None, "") else f"{name} = {_written(value)}"


def _written(value: Any) -> str:
    """A value in TOML."""
    match value:
        case Path():
            return _string(display_path(value, Path.cwd()))
        case Rooted():
            return _string(value.text)
        case tuple():
            return f"[{', '.join(map(_written, value))}]"
        case Mapping():
            return f"{{{', '.join(f'{_written(key)} = {_written(item)}' for key, item in value.items())}}}"
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return _string(value)


def _string(value: object) -> str:
    return printable_json(json.dumps(value, ensure_ascii=False))
