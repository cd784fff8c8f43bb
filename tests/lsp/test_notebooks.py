"""Notebooks whose cells the editor shows."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
from pathlib import Path

from lsprotocol import types
from pygls import uris

from tests.lsp.editor import Editor

CELLS = (
    (types.NotebookCellKind.Markup, "markdown", "# A model\n\nif x:"),
    (types.NotebookCellKind.Code, "python", "%load_ext autoreload\nimport jax"),
    (types.NotebookCellKind.Code, "python", "@jax.jit\ndef step(x):\n    return 1 if x > 0 else 2"),
    (types.NotebookCellKind.Code, "python", "step(1.0\n"),
    (types.NotebookCellKind.Code, "julia", "step(1.0\n"),
)
FINE = "@jax.jit\ndef step(x):\n    return x\n"


class Notebook:
    """A notebook in an editor."""

    def __init__(self, editor: Editor, path: Path) -> None:
        self.editor = editor
        self.uri = uris.from_fs_path(str(path)) or ""
        self.cells = [f"vscode-notebook-cell:{path}#{number}" for number in range(len(CELLS))]
        self.version = 1
        shown = [
            types.NotebookCell(kind, cell) for cell, (kind, _, _) in zip(self.cells, CELLS, strict=True)
        ]  # fmt: skip
        texts = [
            types.TextDocumentItem(cell, types.LanguageKind.Python if language == "python" else language, 1, text)
            for cell, (_, language, text) in zip(self.cells, CELLS, strict=True)
        ]
        document = types.NotebookDocument(self.uri, "jupyter-notebook", 1, shown)
        editor.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, texts))

    def type(self, number: int, text: str) -> None:
        """Changes a cell's whole text."""
        self.version += 1
        changed = types.NotebookDocumentCellContentChanges(
            types.VersionedTextDocumentIdentifier(self.version, self.cells[number]),
            [types.TextDocumentContentChangeWholeDocument(text)],
        )
        event = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(text_content=[changed]))
        document = types.VersionedNotebookDocumentIdentifier(self.version, self.uri)
        self.editor.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(document, event))

    def codes(self, number: int) -> list[tuple[int, str]] | None:
        """Line (from 1) and code of each diagnostic of a cell, None while there are none."""
        return codes(self.editor, self.cells[number])


def codes(editor: Editor, uri: str) -> list[tuple[int, str]] | None:
    """Line (from 1) and code of what was last published, None if nothing was."""
    found = editor.published(uri)
    return [(each.range.start.line + 1, str(each.code)) for each in found.diagnostics] if found else None


def test_cells_have_diagnostics_of_their_own(editor: Editor, project: Path) -> None:
    notebook = Notebook(editor, project / "new.ipynb")
    editor.wait(lambda: notebook.codes(2) is not None)
    assert [notebook.codes(number) for number in range(5)] == [None, [], [(3, "JIT104")], [], None]
    notebook.type(2, "# here\n" + CELLS[2][2])
    editor.wait(lambda: notebook.codes(2) == [(4, "JIT104")])
    notebook.type(2, FINE)
    editor.wait(lambda: notebook.codes(2) == [])


def test_cells_have_hovers_hints_and_colours(editor: Editor, project: Path) -> None:
    notebook = Notebook(editor, project / "hovered.ipynb")
    cell = notebook.cells[2]
    assert "Traced pytree ← argument `x` of `step`" in editor.hover(cell, 1, 9)
    assert editor.hints(cell)[0] == (1, 9, "traced")
    assert (2, 16, "x", "traced") in editor.stages(cell, CELLS[2][2])
    assert (editor.hover(notebook.cells[0], 0, 0), editor.hints(notebook.cells[4])) == ("", [])


def test_a_cell_counts_for_the_other_files(editor: Editor, project: Path) -> None:
    helper = project / "rule.py"
    helper.write_text("def decide(x):\n    return 1 if x > 0 else 2\n")
    uri = editor.open(helper)
    assert editor.codes(uri) == []
    notebook = Notebook(editor, project / "calls.ipynb")
    notebook.type(3, "from rule import decide\n\njax.jit(decide)(1.0)\n")
    editor.wait(lambda: codes(editor, uri) == [(2, "JIT104")])


def test_the_saved_notebook_counts_again_when_it_is_closed(editor: Editor, project: Path) -> None:
    path = project / "saved.ipynb"
    cell = {"cell_type": "code", "source": FINE, "metadata": {}, "outputs": []}
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    notebook = Notebook(editor, path)
    editor.wait(lambda: notebook.codes(2) == [(3, "JIT104")])
    closed = types.DidCloseNotebookDocumentParams(
        types.NotebookDocumentIdentifier(notebook.uri), list(map(types.TextDocumentIdentifier, notebook.cells))
    )
    editor.client.notebook_document_did_close(closed)
    editor.wait(lambda: notebook.codes(2) == [])


def test_the_python_of_a_notebook_as_one_text_imports_what_is_beside_it(editor: Editor, project: Path) -> None:
    """As jupyterlab-lsp shows notebooks."""
    (project / "rule.py").write_text("def decide(x):\n    return 1 if x > 0 else 2\n")
    text = """get_ipython().run_line_magic("time", "")
import jax
from rule import decide


@jax.jit
def step(x):
    return decide(x) if x > 0 else x
"""
    uri = editor.open(project / ".virtual_documents" / "train.ipynb", text)
    assert editor.codes(uri) == [(8, "JIT104")]
    assert editor.codes(editor.open(project / "rule.py")) == [(2, "JIT104")]


def test_jupyter_finds_the_server(project: Path) -> None:
    (point,) = importlib.metadata.entry_points(group="jupyter_lsp_spec_v1", name="jitlint")
    server = point.load()(None)["jitlint"]
    assert (server["version"], server["languages"]) == (2, ["python"])
    with subprocess.Popen(server["argv"], cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        assert started.stdin is not None and started.stdout is not None
        asked = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'
        started.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(asked), asked))
        started.stdin.flush()
        assert started.stdout.readline().startswith(b"Content-Length: ")
        started.kill()
