"""What README says of editors can be copied."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

COMMAND = ["jitlint", "lsp"]


@pytest.fixture(scope="module")
def blocks(root: Path) -> dict[str, str]:
    section = (root / "README.md").read_text("utf-8").partition("## Editors\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"```(\w+)\n(.*?)```", section, re.DOTALL))


def test_the_settings_of_helix(blocks: dict[str, str]) -> None:
    settings = tomllib.loads(blocks["toml"])
    server = settings["language-server"]["jitlint"]
    assert [server["command"], *server["args"]] == COMMAND
    assert [language["language-servers"] for language in settings["language"]] == [["jitlint"]]


@pytest.mark.parametrize("language", ["lua", "elisp"])
def test_the_settings_of_neovim_and_emacs(blocks: dict[str, str], language: str) -> None:
    block = blocks[language]
    assert re.findall(r'"(jitlint)",? "(lsp)"', block) == [tuple(COMMAND)]
    assert all(block.count(left) == block.count(right) for left, right in ("()", "{}", "[]"))
