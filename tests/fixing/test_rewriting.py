"""Fixed texts are written as the files were: encodings, newlines, cells."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from jitlint.fixing.rewriting import diff, rewritten
from jitlint.project.documents import read_document
from jitlint.source.text import SourceError, SourceFile, read_source

LINES = ("a = 1", "b = 2", "c = 'ä'")


def written(path: Path, data: bytes, after: str) -> bytes:
    path.write_bytes(data)
    return rewritten(read_source(path, path.name), after)


@pytest.mark.parametrize(
    ("newline", "encoding"),
    [
        ("\n", "utf-8"),
        ("\r\n", "utf-8"),
        ("\r", "utf-8"),
        ("\r\n", "utf-8-sig"),
        ("\n", "latin-1"),
        ("\r\n", "latin-1"),
    ],
)
@pytest.mark.parametrize("end", ["", "\n"])
def test_encoding_and_newlines_stay(tmp_path: Path, newline: str, encoding: str, end: str) -> None:
    declared = "" if encoding.startswith("utf") else f"# coding: {encoding}\n"

    def content(*lines: str) -> bytes:
        text = (declared + "\n".join(lines) + end).replace("\n", newline)
        return text.encode(encoding)

    after = declared + "\n".join([LINES[0], "b = 3", "d = 4", LINES[2]]) + end
    assert written(tmp_path / "a.py", content(*LINES), after) == content(LINES[0], "b = 3", "d = 4", LINES[2])


def test_newlines_of_several_kinds_stay_on_lines_that_stay(tmp_path: Path) -> None:
    assert written(tmp_path / "a.py", b"a\r\nb\nc\rd\n", "a\nB\nc\nd\n") == b"a\r\nB\r\nc\rd\n"


def test_the_last_line_may_change_without_a_newline(tmp_path: Path) -> None:
    assert written(tmp_path / "a.py", b"a\nb", "a\nc\nd") == b"a\nc\nd"


def test_what_the_encoding_lacks_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be written as iso-8859-1"):
        written(tmp_path / "a.py", b"# coding: latin-1\na = 1\n", "# coding: latin-1\na = '\N{SNOWMAN}'\n")


def test_a_file_that_changed_meanwhile_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("a = 1\n")
    source = read_source(path, "a.py")
    path.write_text("a = 2\n")
    with pytest.raises(SourceError, match="changed since it was read"):
        rewritten(source, "a = 3\n")


def notebook(*sources: str | list[str], indent: int | None = 1) -> str:
    cells = [
        {"cell_type": "code", "source": each, "outputs": [{"text": ["x = 1.50\n"]}], "execution_count": 1}
        for each in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=indent)


@pytest.mark.parametrize("indent", [None, 1, 4])
@pytest.mark.parametrize("whole", [False, True])
def test_a_cell_changes_and_nothing_else_of_the_notebook(tmp_path: Path, indent: int | None, whole: bool) -> None:
    def source(*lines: str) -> str | list[str]:
        text = "\n".join(lines)
        return text if whole else text.splitlines(keepends=True)

    path = tmp_path / "a.ipynb"
    path.write_text(notebook("a = 1", source("%time a", "b = 2", "c = 3"), indent=indent))
    file, _ = read_document(path, "a.ipynb")
    after = file.text.replace("b = 2\n", "b = 4\nd = 'ä'\n")
    expected = json.loads(notebook("a = 1", source("%time a", "b = 4", "d = 'ä'", "c = 3")))
    result = rewritten(file, after).decode()
    assert json.loads(result) == expected
    if not whole:
        assert result == json.dumps(expected, indent=indent)


def test_code_behind_a_magic_is_edited_if_it_stays_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(notebook(["%time f(1)\n", "a = 2"]))
    file, _ = read_document(path, "a.ipynb")
    assert rewritten(file, file.text.replace("f(1)", "f(2)")).decode() == notebook(["%time f(2)\n", "a = 2"])
    with pytest.raises(SourceError, match="magics"):
        rewritten(file, file.text.replace("f(1)", "f(2)\nf(3)"))


def test_a_block_of_markdown_keeps_its_indentation(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("Text\n\n- item\n\n  ```python\n  a = 1\n  b = 2\n  ```\n\nmore a = 1\n")
    file, _ = read_document(path, "a.md")
    assert rewritten(file, file.text.replace("a = 1", "a = 3\nc = 4")).decode() == (
        "Text\n\n- item\n\n  ```python\n  a = 3\n  c = 4\n  b = 2\n  ```\n\nmore a = 1\n"
    )


def test_a_diff_can_be_applied(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("a = 1\nb = 2")
    assert "".join(diff(read_source(path, "a.py"), "a = 1\nb = 3")) == (
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n\\ No newline at end of file\n"
        "+b = 3\n\\ No newline at end of file\n"
    )


def test_a_diff_of_a_file_with_a_byte_order_mark_can_be_applied(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_bytes(b"\xef\xbb\xbfimport jax\nx = 1\n")
    source = SourceFile(tmp_path / "model.py", "model.py", "import jax\nx = 1\n")
    text = "".join(diff(source, "import jax\nx = 2\n"))
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=text.encode(), check=True)
    assert (tmp_path / "model.py").read_bytes() == b"\xef\xbb\xbfimport jax\nx = 2\n"
