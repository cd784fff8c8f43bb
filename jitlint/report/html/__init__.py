"""The result as one page for a browser: the source coloured by stage, findings beside it with their flow drawn.

The page holds everything and needs no network: `page.html` with `page.css`, `page.js` and the data, which is the JSON
report plus the lines and the coloured names of each file in it. The script puts the user's texts into the page as
texts, never as markup; a content policy lets no other script run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Any

from jitlint.events.revealed import Revealed
from jitlint.findings.finding import Result
from jitlint.report import json as json_report
from jitlint.report.stages import names
from jitlint.source.places import Place
from jitlint.source.printable import printable_json
from jitlint.source.text import SourceFile

_STAGES = ("static", "traced", "unknown", "mixed")


def paths(result: Result) -> frozenset[str]:
    """The files that the page shows: those with findings or entry points, and those that flows lead through."""
    return frozenset(place.path for place in _places(result))


def render(result: Result, sources: Iterable[SourceFile]) -> str:
    """The page.

    Args:
        result: the run, with the stages of the names in the shown files.
        sources: the files that were analyzed.
    """
    shown = paths(result)
    coloured: dict[str, list[Revealed]] = {}
    for each in result.stages:
        coloured.setdefault(each.place.path, []).append(each)
    data = {
        **json_report.document(result),
        "files": [_file(source, coloured.get(source.display, ())) for source in sources if source.display in shown],
        "stages": _STAGES,
    }
    parts = files("jitlint.report.html")
    style, script = ((parts / name).read_text("utf-8") for name in ("page.css", "page.js"))
    page = (parts / "page.html").read_text("utf-8")
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)
    for name, part in (
        ("style-hash", _hash(style)),
        ("script-hash", _hash(script)),
        ("style", style),
        ("script", script),
        ("data", printable_json(text).replace("<", "\\u003c")),  # nothing in it can end the element that holds it
    ):
        page = page.replace(f"{{{{{name}}}}}", part)
    return page


def _places(result: Result) -> Iterator[Place]:
    for finding in result.findings:
        yield finding.event.place
        yield from (step.place for step in finding.event.flow)
    yield from (report.entry.place for report in result.entries or ())


def _file(source: SourceFile, stages: Iterable[Revealed]) -> dict[str, Any]:
    """A file's lines by cell, and its names: line, first and last column, and index of the stage."""
    by_cell: dict[int | None, list[Revealed]] = {}
    for each in stages:
        by_cell.setdefault(each.place.cell, []).append(each)
    cells = source.document.texts if source.document is not None else (None,)
    return {
        "path": source.display,
        "cells": [
            {
                "cell": cell,
                "lines": list(source.written(cell)),
                "names": [
                    (name.line, name.column, name.end, _STAGES.index(name.stage))
                    for name in names(by_cell.get(cell, ()))
                    if name.stage in _STAGES
                ],
            }
            for cell in cells
        ],
    }


def _hash(text: str) -> str:
    """What a content policy allows a script or a style by (https://www.w3.org/TR/CSP3/#grammardef-hash-source)."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
