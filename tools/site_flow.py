"""Draws a finding of the site's first example, with the steps of its flow: a hook of mkdocs.

The program is the one that stands in docs/index.md; places and words are what `jitlint --format json` says of it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_NAME = "model.py"
_STYLE = """
text { font: 15px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #24292f }
.ground { fill: #f6f8fa } .number { fill: #8c959f } .step { fill: #cfe3ff } .sink { fill: #ffd1cc }
.way { fill: none; stroke: #3b6fc4; stroke-width: 1.6; stroke-linejoin: round } .head { fill: #3b6fc4 }
.badge { fill: #3b6fc4 } .last { fill: #c0392b }
.mark { font-size: 11px; font-weight: bold; fill: #fff; text-anchor: middle }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .ground { fill: #1a1f29 } .number { fill: #6e7681 }
  .step { fill: #1f4073 } .sink { fill: #7a2620 }
  .way { stroke: #79a8f2 } .head { fill: #79a8f2 }
}
"""

_WIDTH, _HEIGHT, _LEFT, _TOP = 9.0, 36, 68, 40
"""Of a character; of a line; where code begins."""


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Adds the picture."""
    program = example(Path(config.docs_dir))
    files.append(File.generated(config, "images/flow.svg", content=picture(program, _finding(program))))


def example(docs: Path) -> str:
    """The program of the first page.

    Raises:
        ValueError: there is none.
    """
    found = re.search(rf'```python title="{_NAME}"\n(.*?)```', (docs / "index.md").read_text("utf-8"), re.DOTALL)
    if found is None:
        raise ValueError(f"docs/index.md has no block of Python with the title {_NAME}; the flow is drawn from it")
    return found[1]


def _finding(program: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, _NAME).write_text(program, "utf-8")
        command = [sys.executable, "-m", "jitlint", "--isolated", "--no-cache", "--format", "json", _NAME]
        report = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=False).stdout
    (finding,) = json.loads(report)["findings"]
    return dict(finding)


def picture(program: str, finding: dict[str, Any]) -> str:
    """An SVG of the program, with the steps of a finding's flow numbered, and explained below."""
    lines = program.splitlines()
    places = [(step["line"], step["column"], _end(lines, step)) for step in finding["flow"]]
    places.append((finding["line"], finding["column"], finding["end_column"]))
    message = finding["message"].partition(":")[0]
    notes = [*(step["note"] for step in finding["flow"]), f"{finding['code']} {message}"]
    below = _TOP + len(lines) * _HEIGHT + 14
    longest = max(*map(len, lines), *map(len, notes))
    width, height = _LEFT + longest * _WIDTH + 60, below + len(notes) * 28 + 8
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}">',
            f"<title>{escape(finding['message'])}</title><style>{_STYLE}</style>",
            f'<rect class="ground" width="100%" height="{height}" rx="10"/>',
            *_spans(places),
            *_ways(places),
            *(_text(_LEFT, _y(number), line) for number, line in enumerate(lines, 1)),
            *(_text(22, _y(number), f"{number:2}", "number") for number in range(1, len(lines) + 1)),
            *_badges([(_x(end) + 5, _y(line) - 20) for line, _, end in places]),
            *_badges([(32, below + 28 * index + 10) for index in range(len(notes))]),
            *(_text(_LEFT, below + 28 * index + 15, note) for index, note in enumerate(notes)),
            "</svg>",
        ]
    )


def _end(lines: list[str], step: dict[str, Any]) -> int:
    """The column after the name that stands at a step."""
    name = re.match(r"\w+", lines[step["line"] - 1][step["column"] - 1 :])
    return int(step["column"] + len(name[0] if name else " "))


def _spans(places: list[tuple[int, int, int]]) -> Iterator[str]:
    for index, (line, column, end) in enumerate(places, 1):
        kind = "sink" if index == len(places) else "step"
        size = f'width="{(end - column) * _WIDTH + 6:.0f}" height="24"'
        yield f'<rect class="{kind}" x="{_x(column) - 3:.0f}" y="{_y(line) - 17}" {size} rx="4"/>'


def _ways(places: list[tuple[int, int, int]]) -> Iterator[str]:
    """A line from each place to the next that runs between lines and beside the code, never through it."""
    for index, ((line, column, end), (next_line, next_column, next_end)) in enumerate(pairwise(places)):
        x, to_x = _x((column + end) / 2), _x((next_column + next_end) / 2)
        aside = "" if next_line == line + 1 else f"H{_LEFT - 6 - 4 * index} V{_y(next_line) - 23}"
        yield f'<path class="way" d="M{x:.0f} {_y(line) + 7} v6 {aside} H{to_x:.0f} v2"/>'
        yield f'<path class="head" d="M{to_x:.0f} {_y(next_line) - 15} l-5 -7 h10 z"/>'


def _badges(at: list[tuple[float, float]]) -> Iterator[str]:
    for index, (x, y) in enumerate(at, 1):
        kind = "last" if index == len(at) else "badge"
        yield f'<circle class="{kind}" cx="{x:.0f}" cy="{y:.0f}" r="9"/>'
        yield f'<text class="mark" x="{x:.0f}" y="{y + 4:.0f}">{index}</text>'


def _x(column: float) -> float:
    return _LEFT + (column - 1) * _WIDTH


def _y(line: int) -> int:
    return _TOP + (line - 1) * _HEIGHT


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    """Text whose characters lie where they are drawn, whatever the font."""
    bare = text.lstrip()
    if not bare:
        return ""
    x += (len(text) - len(bare)) * _WIDTH
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x}" y="{y}" textLength="{len(bare) * _WIDTH:.0f}">{escape(bare)}</text>'
