"""Notebooks as files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jitlint.source.notebook import FilePositions, code_cells
from jitlint.source.text import SourceError


def notebook(*cells: Any, **more: Any) -> bytes:
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, **more}).encode()


def cell(source: Any, kind: str = "code", **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, **more}


def test_all_cells_count_and_those_of_code_are_given() -> None:
    data = notebook(cell("# A", "markdown"), cell(["x = 1\n", "y = 2"]), cell("raw", "raw"), cell("z\r\nz"), cell([]))
    assert code_cells(data) == {2: "x = 1\ny = 2", 4: "z\nz", 5: ""}


def test_format_3_has_worksheets() -> None:
    sheets = [
        {
            "cells": [
                {"cell_type": "heading", "source": "A"},
                {"cell_type": "code", "input": ["x\n"], "language": "python"},
            ]
        },
        {"cells": [{"cell_type": "code", "input": "y", "language": "ruby"}, {"cell_type": "code", "input": "z"}]},
    ]
    data = json.dumps({"worksheets": sheets, "metadata": {"name": ""}, "nbformat": 3}).encode()
    assert code_cells(data) == {2: "x\n", 4: "z"}


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernelspec": {"language": "julia", "name": "julia-1.10"}},
        {"language_info": {"name": "R"}},
        {"language_info": {"name": "julia"}, "kernelspec": {"language": "python"}},
    ],
)
def test_notebooks_and_cells_of_other_languages_have_no_python(metadata: dict[str, Any]) -> None:
    assert code_cells(notebook(cell("x"), metadata=metadata)) == {}
    shell = cell("ls", metadata={"vscode": {"languageId": "shellscript"}})
    assert code_cells(notebook(shell, cell("x", metadata={"vscode": {"languageId": "python"}}))) == {2: "x"}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not valid JSON (line 1, column 1: "),
        (b'{"cells": [\n}', "not valid JSON (line 2, column 1: "),
        (b"[1]", "its JSON is not an object"),
        (b'{"a": 1}', "`cells` is missing"),
        (b'{"cells": {"a": 1}}', "`cells` is missing or not a list"),
        (b'{"worksheets": [{}]}', "`cells` is missing"),
        (b'{"worksheets": 3}', "`worksheets` is missing or not a list"),
        (b'{"cells": [{}, 3]}', "cell 2 is not an object"),
        (notebook(cell(3)), "the source of cell 1 is not text"),
        (notebook(cell(["x", 3])), "the source of cell 1 is not text"),
        (b'{"cells": "\xff"}', "line 1 is not valid utf-8"),
        (b'{"cells": ' + b"[" * 100_000, "its JSON cannot be read"),
        (b'{"cells": ' + b"1" * 10_000 + b"}", "its JSON cannot be read"),
    ],
)
def test_what_is_no_notebook_is_said_to_be_none(data: bytes, said: str) -> None:
    with pytest.raises(SourceError, match="is not a notebook") as raised:
        code_cells(data)
    assert said in str(raised.value) and str(raised.value).endswith("; repair the notebook, or exclude it")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_any_encoding_of_json_is_read(encoding: str) -> None:
    assert code_cells(notebook(cell("x = 'é'")).decode().encode(encoding)) == {1: "x = 'é'"}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("ascii", [True, False])
@pytest.mark.parametrize("listed", [True, False])
def test_places_in_cells_are_places_in_the_file(listed: bool, ascii: bool, indent: int | None) -> None:
    text = 's = "é\\t😀"\nif x:\n\tfound(s)\n\nfound(2)\n'
    source = text.splitlines(keepends=True) if listed else text
    other = cell(['"cells": [{"source": "found"}]'], "markdown")
    nb = {"metadata": {"cells": ["found"]}, "cells": [other, cell("x", outputs=["found(s)"]), cell(source)]}
    data = json.dumps(nb, indent=indent, ensure_ascii=ascii).encode()
    positions = FilePositions(data)
    lines = data.decode().split("\n")
    for number, column, what in (
        (1, 1, "s = "),
        (1, 9, "\\ud83d" if ascii else "😀"),
        (3, 2, "found(s)"),
        (5, 1, "found(2)"),
    ):
        line, at = positions.position(3, number, column)
        assert lines[line - 1][at - 1 :].startswith(what)
    line, at = positions.position(3, 5, 99)
    assert lines[line - 1][at - 1 :].startswith('"')
