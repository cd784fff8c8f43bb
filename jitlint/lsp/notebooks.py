"""Notebooks whose cells the client shows: their text as a file would have it, and their cells' diagnostics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from lsprotocol import types
from pygls.workspace import Workspace

from jitlint.findings.finding import Finding
from jitlint.lsp.diagnostics import Renderer
from jitlint.lsp.positions import Lines
from jitlint.lsp.session import Report

JUPYTER = types.NotebookDocumentFilterWithNotebook(types.NotebookDocumentFilterNotebookType("jupyter-notebook"))
"""The notebooks that the server wants to know: all their cells, so that it counts them as people do."""


def as_file(workspace: Workspace, uri: str) -> str:
    """The text of the `.ipynb` file that an open notebook would be saved as, without outputs."""
    cells = [
        {"cell_type": "code" if _is_python(workspace, cell) else "raw", "source": _text(workspace, cell)}
        for cell in _cells(workspace, uri)
    ]
    document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document)


def diagnostics(
    workspace: Workspace,
    uri: str,
    report: Report,
    findings: Iterable[Finding],
    units: types.PositionEncodingKind | str,
) -> Iterator[types.PublishDiagnosticsParams]:
    """What is shown in each of a notebook's cells.

    Args:
        workspace: the client's documents.
        uri: the notebook.
        report: what was found in its project.
        findings: those in the notebook, with their verdicts.
        units: what the client counts columns in.
    """
    found = list(findings)
    for number, cell in enumerate(_cells(workspace, uri), 1):
        if _is_python(workspace, cell):
            lines = Lines(_text(workspace, cell), units)
            renderer = Renderer(report.folder, lambda path, lines=lines: lines, related=False)  # type: ignore[misc]
            here = [renderer.finding(each) for each in found if each.event.place.cell == number]
            yield types.PublishDiagnosticsParams(cell.document, here)


def cell(workspace: Workspace, uri: str) -> tuple[str, int] | None:
    """The notebook of a cell, and the cell's number; None if no open notebook has it.

    Args:
        workspace: the client's documents.
        uri: the cell.
    """
    notebook = workspace.get_notebook_document(cell_uri=uri)
    if notebook is None:
        return None
    return notebook.uri, 1 + [each.document for each in notebook.cells].index(uri)


def _cells(workspace: Workspace, uri: str) -> Iterable[types.NotebookCell]:
    notebook = workspace.get_notebook_document(notebook_uri=uri)
    return notebook.cells if notebook is not None else ()


def _is_python(workspace: Workspace, cell: types.NotebookCell) -> bool:
    is_code = cell.kind == types.NotebookCellKind.Code
    return is_code and workspace.get_text_document(cell.document).language_id == "python"


def _text(workspace: Workspace, cell: types.NotebookCell) -> str:
    return workspace.get_text_document(cell.document).source
