"""Diagnostics: of what the editor shows, in the whole project, of the newest text."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from lsprotocol import types

from tests.lsp.editor import CAPABILITIES, Editor

BRANCH = """\
import jax


@jax.jit
def step(x):
    if x > 0:
        return x
    return -x
"""
CONTROL = "\x1b\x07\x9b\x7f\u202e"


def test_a_finding_has_all_that_editors_show(editor: Editor, tmp_path: Path) -> None:
    file = tmp_path / "alone.py"
    file.write_text(BRANCH)
    (found,) = editor.diagnostics(editor.open(file))
    assert found.range == types.Range(types.Position(5, 7), types.Position(5, 12))
    assert (found.code, found.source, found.severity) == ("JIT101", "jitlint", types.DiagnosticSeverity.Error)
    assert "`if` needs the value of `x > 0`" in found.message
    related = found.related_information or []
    assert related[0].location.range.start == types.Position(4, 9)
    assert related[0].location.uri == file.as_uri()


def test_a_bug_across_files_shows_in_the_other_open_file(editor: Editor, project: Path) -> None:
    helper = editor.open(project / "pkg" / "helper.py")
    assert editor.codes(helper) == [(2, "JIT101")]
    train = editor.open(project / "pkg" / "train.py")
    assert editor.codes(train) == []
    editor.forget()
    editor.type(train, (project / "pkg" / "train.py").read_text().replace("@jax.jit\n", ""))
    assert (editor.codes(train), editor.codes(helper)) == ([], [])
    editor.forget()
    editor.close(train)  # what was saved counts again
    assert editor.codes(helper) == [(2, "JIT101")]


def test_no_message_holds_control_characters(editor: Editor, tmp_path: Path) -> None:
    text = f"import jax\n\n\ndef f():\n    a = '{CONTROL}'\n    reveal_stage(a)\n    {CONTROL} = 1\n"
    good = editor.diagnostics(editor.open(tmp_path / "good.py", text.replace(f"    {CONTROL} = 1\n", "")))
    broken = editor.diagnostics(editor.open(tmp_path / "broken.py", text))
    assert good and broken
    shown = [each.message for each in (*good, *broken)] + editor.shown + editor.logged
    assert not any(set(message) & set(CONTROL) for message in shown)


def test_the_last_of_many_changes_counts(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg" / "new.py", "")
    for number in range(30):
        editor.type(uri, "\n" * number + BRANCH)
    assert editor.codes(uri) == [(35, "JIT101")]


def test_the_settings_of_the_project_hold(editor: Editor, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.jitlint]\nignore = ["JIT101"]\nexclude = ["pkg/left_out.py"]\n')
    assert editor.codes(editor.open(project / "pkg" / "helper.py")) == []
    left_out = editor.open(project / "pkg" / "left_out.py", BRANCH.replace("if x > 0", "while x > 0"))
    assert editor.codes(left_out) == []
    editor.forget()
    (project / "pyproject.toml").write_text("[tool.jitlint]\n")
    editor.save(left_out)
    assert editor.codes(left_out) == [(6, "JIT102")]


def test_text_that_cannot_be_parsed_keeps_its_findings_where_they_are_now(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg" / "new.py", BRANCH)
    assert editor.codes(uri) == [(6, "JIT101")]
    editor.type(uri, BRANCH.replace("import jax\n", "import jax\nx = (\n"))
    assert editor.codes(uri) == [(7, "JIT101"), (2, "JIT001")]
    editor.type(uri, BRANCH.replace("x > 0:", "x >"))
    assert editor.codes(uri) == [(6, "JIT001")]
    editor.type(uri, BRANCH)
    assert editor.codes(uri) == [(6, "JIT101")]


def test_documents_that_were_never_saved_are_checked(editor: Editor) -> None:
    assert editor.codes(editor.open("untitled:Untitled-1", BRANCH)) == [(6, "JIT101")]


def test_a_file_that_is_deleted_stays_what_the_editor_shows(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg" / "helper.py")
    assert editor.codes(uri) == [(2, "JIT101")]
    (project / "pkg" / "helper.py").unlink()
    editor.forget()
    editor.save(uri)
    assert editor.codes(uri) == [(2, "JIT101")]


def test_a_folder_that_is_deleted_stays_what_the_editor_shows(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg" / "helper.py", BRANCH)
    assert editor.codes(uri) == [(6, "JIT101")]
    shutil.rmtree(project)
    editor.type(uri, "\n" + BRANCH)
    assert editor.codes(uri) == [(7, "JIT101")]


def test_a_file_that_is_opened_broken_has_the_findings_of_what_was_saved(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg" / "helper.py", "def (\n" + (project / "pkg" / "helper.py").read_text())
    assert editor.codes(uri) == [(3, "JIT101"), (1, "JIT001")]


def test_closing_takes_diagnostics_away(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg" / "helper.py")
    assert editor.codes(uri)
    editor.close(uri)
    editor.wait(lambda: (last := editor.published(uri)) is not None and not last.diagnostics)


def test_what_a_file_reveals_is_shown(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg" / "new.py", BRANCH.replace("    if x", "    reveal_stage(x)\n    if x"))
    revealed, _ = sorted(editor.diagnostics(uri), key=lambda each: each.range.start.line)
    assert revealed.severity == types.DiagnosticSeverity.Information
    assert revealed.message == "revealed, under jax.jit of `step`: Traced pytree ← argument `x` of `step`"


@pytest.mark.parametrize(
    ("encoding", "end"),
    [(None, 26), (types.PositionEncodingKind.Utf8, 33), (types.PositionEncodingKind.Utf32, 23)],
)
def test_columns_are_in_the_clients_units(
    tmp_path: Path, encoding: types.PositionEncodingKind | None, end: int
) -> None:
    file = tmp_path / "wide.py"
    text = BRANCH.replace("if x > 0:", "if '𝒳𝒴𝒵é' and x > 0:").replace("\n", "\r\n")
    file.write_bytes(f"# form\ffeed\u2028\r\n{text}".encode())
    general = types.GeneralClientCapabilities(position_encodings=[encoding] if encoding else None)
    capabilities = types.ClientCapabilities(text_document=CAPABILITIES.text_document, general=general)
    with Editor(tmp_path, capabilities) as editor:
        (found,) = editor.diagnostics(editor.open(file, file.read_bytes().decode()))
        assert editor.initialized.capabilities.position_encoding == (encoding or types.PositionEncodingKind.Utf16)
        assert found.range == types.Range(types.Position(6, 7), types.Position(6, end))


def test_a_flow_that_begins_in_a_notebook_leads_to_the_line_of_its_file(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    book = tmp_path / "use.ipynb"
    source = ["import jax\n", "from step import step\n", "faster = jax.jit(step)\n", "faster(1.0, 3)"]
    book.write_text(json.dumps({"cells": [{"cell_type": "code", "source": source}]}, indent=1))
    uri = editor.open(tmp_path / "step.py", "def step(x, n):\n    if n > 2:\n        return x\n    return x * n\n")
    assert editor.codes(uri) == [(2, "JIT101")]
    (found,) = editor.diagnostics(uri)
    passed = (found.related_information or [])[-1]
    line = book.read_text().split("\n").index('    "faster(1.0, 3)"')
    assert (passed.location.uri, passed.location.range.start.line) == (book.as_uri(), line)
    assert not any(title.startswith("Make") for title in editor.actions(uri, 1))
