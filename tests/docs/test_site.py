"""The site is built without a warning, and what it tells readers to copy does what its pages say."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
import yaml
from mkdocs.exceptions import PluginError

from jitlint.config import Configuration
from jitlint.config.schema import schema
from jitlint.models.schema import model_schema
from jitlint.rules.registry import all_rules
from tools import site_flow, site_pages

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path.name for path in DOCS.glob("*.md"))


class Block(NamedTuple):
    language: str
    title: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    """The code of a page, in its order."""
    markdown = site_pages.expanded((DOCS / page).read_text("utf-8"))
    for language, title, text in re.findall(
        r'^```(\w+)(?: title="(.*?)")?\n(.*?)^```$', markdown, re.MULTILINE | re.DOTALL
    ):
        yield Block(language, title, text)


# --- what readers copy ------------------------------------------------------------------------------------------------

NOTEBOOK: dict[str, Any] = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {"language_info": {"name": "python"}},
    "cells": [{"id": "a", "cell_type": "code", "metadata": {}, "source": "", "outputs": [], "execution_count": None}],
}


class Project:
    """A small project of a reader, in which a page's blocks are tried in their order."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        program = site_flow.example(DOCS)
        NOTEBOOK["cells"][0]["source"] = program
        for name in ("train.ipynb", "notebooks/more.ipynb"):
            self.write(name, json.dumps(NOTEBOOK))
        self.write("model.py", program)
        self.write("docs/tutorial.md", f"# Tutorial\n\n```python\n{program}```\n")
        self.write("pyproject.toml", "[tool.jitlint]\n")
        (folder / ".venv").symlink_to(sys.prefix)
        self.run(
            "git init -q . && git add *.py && git commit -q -m Begun && git update-ref refs/remotes/origin/main HEAD"
        )

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    def run(self, command: str) -> str:
        """What a command prints; it must exit with 0, or, if it is a linter, with 1."""
        identity = {
            f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        environment = {
            **os.environ,
            **identity,
            "PATH": os.pathsep.join([str(Path(sys.prefix) / "bin"), os.environ["PATH"]]),
            "PYTHONPATH": str(ROOT),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
        }
        ran = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        accepted = (0, 1) if command.startswith(("jitlint", "flake8")) else (0,)
        assert ran.returncode in accepted, f"{command}\n{ran.stdout}{ran.stderr}"
        assert "Traceback" not in ran.stderr, ran.stderr
        return ran.stdout

    # One method for each language.

    def python(self, block: Block) -> None:
        ast.parse(block.text)
        if block.title:
            self.write(block.title, block.text)
            self.run(f"python {block.title}")

    def toml(self, block: Block) -> None:
        tomllib.loads(block.text)
        if block.title in ("pyproject.toml", "jitlint.toml"):
            self.write(block.title, block.text)
            configuration = Configuration()
            configuration.of(self.folder)
            assert configuration.errors == []

    def ini(self, block: Block) -> None:
        self.write(block.title, block.text)

    def json(self, block: Block) -> None:
        json.loads(block.text)

    def yaml(self, block: Block) -> None:
        told = yaml.safe_load(block.text)
        if block.title == ".pre-commit-config.yaml":
            self.write(block.title, block.text)
            self.run("pre-commit validate-config")
            self._hooks(told)
        for command in _commands(told):
            self.shell(command)

    def _hooks(self, told: Any) -> None:
        offered = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
        for repository in told["repos"]:
            for hook in repository["hooks"]:
                self.shell(f"{offered[hook['id']]['entry']} {shlex.join(hook.get('args', []))} model.py")

    def sh(self, block: Block) -> None:
        for line in block.text.splitlines():
            self.shell(line)

    def shell(self, command: str) -> None:
        """A command; what is installed is looked up instead."""
        if command.startswith("pip install"):
            known = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
            for extras in re.findall(r"jitlint\[(.*?)\]", command):
                assert set(extras.split(",")) <= set(known)
        else:
            self.run(command)

    def ipython(self, block: Block) -> None:
        """A session; its cells begin with magics."""
        shell = "from IPython.core.interactiveshell import InteractiveShell; run = InteractiveShell().run_cell"
        cells = re.split(r"\n\n(?=%)", block.text)
        session = "\n".join([shell, *(f"run({cell!r}, store_history=True).raise_error()" for cell in cells)])
        self.run(f"IPYTHONDIR=ipython python -c {shlex.quote(session)}")

    def console(self, block: Block) -> None:
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
            if command.startswith("pip install"):
                self.shell(command)
                continue
            printed = self.run(command)
            if output:
                assert _unversioned(printed) == _unversioned(output)


def _unversioned(text: str) -> str:
    return re.sub(r"jax \d+\.\d+\.\d+", "jax", text)


def _commands(told: Any) -> Iterator[str]:
    """The commands in a pipeline's description."""
    if isinstance(told, dict):
        for value in told.values():
            yield from _commands(value)
    elif isinstance(told, list):
        for value in told:
            yield from _commands(value)
    elif isinstance(told, str) and told.startswith(("jitlint ", "pip ")):
        yield told


UNCHECKED = {"lua", "elisp", "text"}
"""What nothing here can read."""


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if next(blocks(page), None)])
def test_what_a_page_gives_to_copy_works(page: str, tmp_path: Path) -> None:
    project = Project(tmp_path)
    for block in blocks(page):
        if block.language not in UNCHECKED:
            getattr(project, block.language)(block)


def test_model_and_rules_of_the_page_for_authors_are_the_example() -> None:
    example = ROOT / "plugins" / "model_example"
    told = {block.title: block.text for block in blocks("libraries.md")}
    model, rules = "tidal/jitlint_model.toml", "tidal/jitlint_rules.py"
    assert tomllib.loads(told[model]) == tomllib.loads((example / model).read_text("utf-8"))
    assert told[rules].strip() == (example / rules).read_text("utf-8").strip()
    points = tomllib.loads((example / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    first, second = (tomllib.loads(told[name]) for name in ("pyproject.toml", "pyproject.toml, for the rules"))
    assert first["project"]["entry-points"] | second["project"]["entry-points"] == points


def test_a_section_that_readme_has_not_stops_the_build() -> None:
    with pytest.raises(PluginError, match="no section `## Nothing`"):
        site_pages.expanded("<!-- readme: Nothing -->")


# --- the site ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built with warnings as errors."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder


@pytest.mark.slow
def test_every_rule_has_a_page_and_a_line_in_the_table(site: Path) -> None:
    table = (site / "rules" / "index.html").read_text("utf-8")
    for rule in all_rules():
        assert f"{rule.code} {rule.name}</h1>" in re.sub(
            r"<a class=\"headerlink\".*?</a>", "", (site / "rules" / f"{rule.code}.html").read_text("utf-8")
        )
        assert f'<a href="{rule.code}.html">{rule.code}</a>' in table


@pytest.mark.slow
def test_options_and_settings_are_listed_and_the_schema_is_a_file(site: Path) -> None:
    assert "--changed-since REV" in (site / "command-line.html").read_text("utf-8")
    assert "per-file-ignores" in (site / "settings.html").read_text("utf-8")
    assert json.loads((site / "jitlint.schema.json").read_text("utf-8")) == schema()
    assert json.loads((site / "jitlint_model.schema.json").read_text("utf-8")) == model_schema()


@pytest.mark.slow
def test_pages_fetch_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        fetched = re.findall(r'<(?:script|img|iframe)[^>]*\ssrc="?([^" >]+)|<link[^>]*\shref="?([^" >]+)', text)
        assert fetched
        assert not [address for address in map("".join, fetched) if re.match("(https?:)?//", address)], page


@pytest.mark.slow
def test_the_flow_is_drawn_with_every_step(site: Path) -> None:
    picture = ElementTree.parse(site / "images" / "flow.svg")
    texts = [element.text or "" for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "passed to `clipped` as `gradient`" in texts
    assert texts.count("4") == 3, "a line, a step and its note"


@pytest.mark.parametrize("picture", sorted(DOCS.glob("images/*.svg")), ids=lambda path: path.name)
def test_pictures_can_be_read_and_say_what_they_show(picture: Path) -> None:
    assert ElementTree.parse(picture).findtext("{http://www.w3.org/2000/svg}title")
