"""A hook of mkdocs that generates pages of the site from the program itself.

Each rule has a page, each family a table; the schema of the settings is a file of the site. In other pages comments
stand for generated text: `<!-- options -->`, `<!-- settings -->`, `<!-- readme: Editors -->` (a section of README.md).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from jitlint.commands.check import check
from jitlint.config.schema import schema
from jitlint.config.settings import Settings, VerifySettings, keys
from jitlint.models.schema import model_schema
from jitlint.rules.page import page
from jitlint.rules.registry import all_rules
from jitlint.rules.rule import Rule, Severity

README = Path(__file__).resolve().parent.parent / "README.md"

_INTRODUCTION = """\
# Rules

A rule objects to some of the events that jitlint predicts or, in the family JIT9, observes. `jitlint explain CODE`
shows these pages in a terminal, `jitlint rules` the list. What is an `error` fails; what is `wrong` runs and gives
stale, lost or leaked results; what is `slow` compiles or unrolls more than it has to; a `hint` is off unless it is
selected.
"""


def on_config(config: MkDocsConfig) -> None:
    """The rules' pages in the navigation, by family."""
    families = [{title: [_path(rule) for rule in rules]} for title, rules in _families()]
    for entry in config.nav or ():
        if "Rules" in entry:
            entry["Rules"] = ["rules/index.md", *families]


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Adds the generated files."""
    files.append(File.generated(config, "rules/index.md", content="\n".join([_INTRODUCTION, *_overview()])))
    for rule in all_rules():
        files.append(File.generated(config, _path(rule), content=page(rule)))
    for name, content in (("jitlint.schema.json", schema()), ("jitlint_model.schema.json", model_schema())):
        files.append(File.generated(config, name, content=json.dumps(content, indent=2)))


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replaces the comments in a page."""
    return expanded(markdown)


def expanded(markdown: str) -> str:
    """The Markdown of a page with generated text in place of its comments.

    Raises:
        PluginError: README.md has no such section.
    """
    markdown = re.sub(r"<!-- readme: (.*) -->", lambda named: _section(named[1]), markdown)
    markdown = markdown.replace("<!-- options -->", _options())
    return markdown.replace("<!-- settings -->", _settings())


# --- rules ------------------------------------------------------------------------------------------------------------


def _path(rule: Rule) -> str:
    return f"rules/{rule.code}.md"


def _families() -> Iterator[tuple[str, list[Rule]]]:
    for family, rules in groupby(all_rules(), lambda rule: type(rule).__module__.rpartition(".")[0]):
        documented = sys.modules[family].__doc__ or ""
        yield documented.partition(".")[0], list(rules)


def _overview() -> Iterator[str]:
    for title, rules in _families():
        yield f"## {title}\n\n| code | name | severity | |\n|---|---|---|---|"
        for rule in rules:
            off = " (off)" if rule.severity is Severity.HINT else ""
            yield f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.severity} | {_cell(rule.summary)}{off} |"
        yield ""


# --- generated text ---------------------------------------------------------------------------------------------------


def _options() -> str:
    lines = ["| option | |", "|---|---|"]
    for parameter in check.params:
        if isinstance(parameter, click.Option):
            written, says = parameter.opts[0], parameter.help or ""
            if parameter.metavar:
                written += parameter.metavar if parameter.metavar.startswith("[") else f" {parameter.metavar}"
            elif isinstance(parameter.type, click.Choice):
                says += _one_of(parameter.type.choices)
            lines.append(f"| `{written}` | {_cell(says)} |")
    return "\n".join(lines)


def _settings() -> str:
    return "\n".join(
        line
        for table, title in ((Settings, "tool.jitlint"), (VerifySettings, "tool.jitlint.verify"))
        for line in (f"## `[{title}]`\n", "| setting | if not set | |", "|---|---|---|", *_rows(table), "")
    )


def _rows(table: type[Settings | VerifySettings]) -> Iterator[str]:
    for key in keys(table):
        default = "" if key.default in (None, "") else f"`{json.dumps(key.default)}`"
        words = [json.dumps(word) for word in key.value_type.schema.get("enum", ())]
        yield f"| `{key.name}` | {default} | {_cell(key.description + _one_of(words))} |"


def _one_of(words: Sequence[str]) -> str:
    return f" One of {', '.join(f'`{word}`' for word in words)}." if words else ""


def _section(title: str) -> str:
    """A section of README.md, without its heading; links that lead to other places of it are text."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    if found is None:
        raise PluginError(f"README.md has no section `## {title}`; correct the page that asks for it")
    text = found[1].replace("](docs/", "](")
    return re.sub(r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", text).strip()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
