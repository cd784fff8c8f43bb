"""What could not be done, as text and as facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from jitlint.findings.finding import FileError
from jitlint.pipeline import find, read
from jitlint.project.documents import read_document
from jitlint.source.document import Cell, Document, Line
from jitlint.source.text import SourceFile
from jitlint.verify.known import declared


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (FileError("a.py", "it is broken"), "it is broken"),
        (FileError("a.py", "it is broken", "JIT001"), "JIT001 it is broken"),
        (FileError("a.py", "it is broken", "JIT001", 3, 5), "JIT001 3:5: it is broken"),
        (FileError("a.py", "it is broken", "JIT003", 3), "JIT003 line 3: it is broken"),
        (FileError("a.ipynb", "it is broken", "JIT001", 3, 5, 2), "JIT001 cell 2:3:5: it is broken"),
        (FileError("a.ipynb", "it is broken", "JIT003", 3, cell=2), "JIT003 cell 2:3: it is broken"),
    ],
)
def test_the_text_names_the_code_and_the_place_as_far_as_they_are_known(error: FileError, text: str) -> None:
    assert error.text == text


def test_a_syntax_error_has_its_place(tmp_path: Path) -> None:
    (error,) = find([SourceFile(tmp_path / "a.py", "a.py", "import jax\ny = (\n")]).errors
    assert (error.path, error.code, error.line, error.column, error.cell) == ("a.py", "JIT001", 2, 5, None)
    assert error.message == "'(' was never closed; correct or exclude the file"


def test_a_file_that_cannot_be_read_has_none(tmp_path: Path) -> None:
    (error,) = read([str(tmp_path / "gone.py")]).errors
    assert (error.code, error.line) == ("JIT001", None)
    assert error.message.startswith("cannot look at the path: ")


MARKDOWN = """# A document

```python
import jax
```

```python
def step(x):  # jitlint: inputs(y=1)
    return x
```
"""


@pytest.mark.parametrize("name", ["a.md", "a.ipynb"])
def test_errors_about_documents_count_lines_as_they_were_written(tmp_path: Path, name: str) -> None:
    cells = '{"cells": [{"cell_type": "markdown", "source": "# A"}, {"cell_type": "code", "source": "import jax"},'
    cells += ' {"cell_type": "code", "source": "\\ndef step(x):  # jitlint: inputs(y=1)\\n    return x"}]}'
    (tmp_path / name).write_text(MARKDOWN if name == "a.md" else cells)
    source, _ = read_document(tmp_path / name, name)
    (error,) = declared([source], {}, "pyproject.toml").errors
    assert (error.line, error.cell) == ((8, None) if name == "a.md" else (2, 3))
    assert error.text.startswith("JIT003 line 8: " if name == "a.md" else "JIT003 cell 3:2: ")


@pytest.mark.parametrize(("cell", "text"), [(None, "JIT001 9:7: "), (4, "JIT001 cell 4:9:7: ")])
def test_errors_of_the_analysis_count_lines_as_the_document_has_them(
    tmp_path: Path, cell: int | None, text: str
) -> None:
    def errors(number: int, cache: Path) -> list[str]:
        document = Document((Cell(cell, (Line("import jax", 1), Line("y = (", number, 2))),), {})
        file = SourceFile(tmp_path / "a.md", "a.md", document.program, document)
        return [error.text for error in find([file], cache=cache).errors]

    (error,) = errors(9, tmp_path / "cache")
    assert error.startswith(text)
    (moved,) = errors(19, tmp_path / "cache")  # the same program: its results come from the cache
    assert moved == error.replace("9:7", "19:7")
