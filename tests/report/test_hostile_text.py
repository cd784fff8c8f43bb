"""Control characters in names, lines, values and settings never reach whoever reads a report, in any format."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from jitlint.__main__ import main
from jitlint.commands.reporting import FORMATS
from jitlint.source.printable import printable, printable_json, printable_line, printable_path

CONTROL = "\x1b]0;title\x07\x1b[8m\x9b31m\x7f\r\u202e\u2066\u2028\x0b"
"""Without the newline, which names have besides."""
IN_SOURCE = CONTROL.replace("\r", "")
"""Without what ends a line of Python."""
BRANCH = f"import jax\n\n@jax.jit\ndef step(x):\n    if x > 0 and '{IN_SOURCE}':\n        return x\n    return -x\n"
REVEALED = f"import jax\n\n@jax.jit\ndef shown(x):\n    a = '{IN_SOURCE}'\n    reveal_stage(a)\n    return x\n"
NAMES = (
    "a\x1b]0;t\x07.py",
    "b\nc.py",
    "::set-output name=a::b.py",
    "c\x9b31m.py",
    "d\u202e.py",
    "e`|<b>.py",
    "f\udcff.py",
)
_COLORS = re.compile(r"\x1b\[[0-9;]*m")
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        Path(name).write_text(BRANCH, "utf-8")
    Path("shown\x1b.py").write_text(REVEALED, "utf-8")
    Path("broken\x1b.py").write_text(f"x = '{CONTROL}\n", "utf-8")
    Path("encoded\x1b.py").write_text("# coding: \x1b[8m\n", "utf-8")
    cell = {"cell_type": "code", "source": [BRANCH], "metadata": {}, "outputs": []}
    broken = {**cell, "source": [f"'{CONTROL}"]}
    Path("book\x1b.ipynb").write_text(json.dumps({"nbformat": 4, "metadata": {}, "cells": [cell, broken]}))
    escaped = json.dumps(CONTROL)
    Path("jitlint.toml").write_text(
        f'{escaped} = 1\nextend = {escaped}\nexclude = ["[\\u001b"]\nselect = ["JIT\\u001b"]\n'
        f"confidence = {escaped}\nverify.device = {escaped}\nverify.drivers = [{escaped}]\n"
        f"verify.inputs = {{{escaped} = ''}}\n"
    )
    return tmp_path


def run(*arguments: str, color: bool = False) -> Result:
    done = CliRunner().invoke(main, arguments, color=color)
    assert "Traceback" not in done.stderr and "JIT000 internal error" not in done.stderr
    for text in (done.stdout, done.stderr):
        assert not _FORBIDDEN.search(_COLORS.sub("", text) if color else text), repr(text)
    return done


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_printable(form: str) -> None:
    done = run("--no-cache", "--statistics", "--format", form, ".")
    assert done.exit_code == 2
    assert done.stdout.count("JIT1") >= len(NAMES) and done.stderr.count("JIT003") >= 5
    run("--no-cache", "--format", form, "--output", "out", ".")
    written = Path("out").read_text("utf-8")
    assert not _FORBIDDEN.search(written)
    if form in ("json", "sarif", "gitlab"):
        json.loads(written)
    if form == "junit":
        ElementTree.fromstring(written)
    for line in written.splitlines():
        assert not line.startswith("::set-output")


def test_colors_are_jitlints_own() -> None:
    used = set(_COLORS.findall(run("--no-cache", ".", color=True).stdout))
    assert "\x1b[1m" in used and "\x1b[8m" not in used


def test_json_says_what_there_is() -> None:
    """The names are escaped, and the same."""
    report = json.loads(run("--no-cache", "--format", "json", ".").stdout)
    assert {finding["path"] for finding in report["findings"]} >= {*NAMES, "book\x1b.ipynb"}


def test_other_commands_are_printable(folder: Path) -> None:
    run("stage", f"{NAMES[0]}:5")
    run("stage", "shown\x1b.py:6")
    run("stage", "shown\x1b.py:6", "--format", "json")
    assert "\u241b" in run("stage", "missing\x1b.py:1").stderr
    assert "\u241b" in run("explain", "JIT\x1b").stderr
    run("config", "show", "--config", "\x1b.toml")
    run("--select", "\x1b", ".")
    run("--\x1b", ".")
    run("--jobs", "\x1b", ".")
    run("--changed-since", "\x1b", ".")
    run("--config", "\x1b", NAMES[0])
    run("--baseline", "\x1b", NAMES[0])
    Path("jitlint.toml").write_text(
        'exclude = ["\\u001b\\u009b"]\nbaseline = "b\\u001b.json"\nextend = "ok\\u001b.toml"\n'
    )
    Path("ok\x1b.toml").write_text("[verify]\n")
    shown = run("config", "show")
    assert '"\\u001b\\u009b"' in shown.stdout and "jitlint.toml" in shown.stdout
    written = run("baseline", "write", NAMES[0], "--output", "new\x1b.json")
    assert "new\u241b.json" in written.stdout
    old = {"fingerprint": "f", "code": CONTROL, "path": "a\x1b\n::b", "line": 1, "message": CONTROL}
    Path("b\x1b.json").write_text(json.dumps({"version": 1, "findings": [old]}))
    assert "a\u241b\u240a::b:1 removable" in run("baseline", "check", NAMES[0]).stdout


def test_columns_stay_where_they_are() -> None:
    lines = run("--no-cache", "--isolated", NAMES[0]).stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if "|     if x > 0" in line)
    (start,) = [match.start() for match in re.finditer("x > 0", lines[at])]
    assert lines[at + 1].index("^") == start


def test_what_is_printed_for_a_character() -> None:
    assert printable("a\tb\nc") == "a\tb\nc" and printable("äöü 漢字 🙂") == "äöü 漢字 🙂"
    assert printable("\x1b[8m\x7f\x9b\u202e") == "␛[8m␡\ufffd\ufffd"
    assert printable_line("a\nb") == "a b"
    assert printable_path("::a\nb") == "./::a␊b"
    assert json.loads(printable_json(json.dumps(CONTROL, ensure_ascii=False))) == CONTROL


def test_markdown_stays_a_table() -> None:
    text = run("--no-cache", "--isolated", "--format", "markdown", "e`|<b>.py").stdout
    (row,) = [line for line in text.splitlines() if line.startswith("| JIT")]
    assert "`e'\\|<b>.py:5:8`" in row and os.linesep not in row
