"""`jitlint explain` and `jitlint rules`: the rules' documentation."""

from __future__ import annotations

import json
import sys

import click

from jitlint.rules.page import page
from jitlint.rules.registry import all_rules, by_code
from jitlint.rules.rule import Severity


@click.command()
@click.argument("code")
def explain(code: str) -> None:
    """Say what a rule finds, why it matters and what to do."""
    rule = by_code(code)
    if rule is None:
        known = ", ".join(rule.code for rule in all_rules())
        raise click.UsageError(f"There is no rule {code}. The rules are {known}.")
    if not sys.stdout.isatty():
        click.echo(page(rule), nl=False)
        return
    from rich.console import Console  # only where a terminal shows it
    from rich.markdown import Markdown

    Console().print(Markdown(page(rule)))


@click.command()
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def rules(form: str) -> None:
    """List the rules; hints are off unless they are selected."""
    if form == "json":
        known = [
            {"code": rule.code, "name": rule.name, "severity": str(rule.severity), "summary": rule.summary}
            for rule in all_rules()
        ]
        click.echo(json.dumps(known, indent=2))
        return
    width = max(len(rule.name) for rule in all_rules())
    for rule in all_rules():
        off = " (off)" if rule.severity is Severity.HINT else ""
        click.echo(f"{rule.code}  {rule.name:{width}}  {rule.severity:5}  {rule.summary}{off}")
