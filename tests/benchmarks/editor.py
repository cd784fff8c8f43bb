"""How long an editor waits: from a keystroke to its diagnostics, to a hover, to inlay hints.

python -m tests.benchmarks.editor [--python PYTHON] FOLDER FILE [NUMBER]

Types a number of times (20, if nothing is said) into a file of a project: in turn a new name at the end of the file,
and one in the last line that is indented. Nothing is saved. The server's own pause (DEBOUNCE) is part of the time.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from jitlint.lsp.server import DEBOUNCE
from tests.lsp.editor import Editor


def main() -> None:
    """Measures, and prints milliseconds: median and maximum."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("number", type=int, nargs="?", default=20)
    given = parser.parse_args()
    if given.python != sys.executable:
        os.environ.pop("PYTHONPATH", None)  # another Python has a jitlint of its own
    text = given.file.read_text("utf-8")
    with Editor(given.folder.absolute(), python=given.python) as editor:
        uri = editor.open(given.file.absolute())
        print(f"opened: {_milliseconds(lambda: editor.diagnostics(uri)):.0f}")
        waited: dict[str, list[float]] = {"at the end": [], "in a function": [], "hover": [], "hints": []}
        for number in range(given.number):
            kind = ("at the end", "in a function")[number % 2]
            editor.type(uri, _typed(text, kind, number))
            waited[kind].append(_milliseconds(lambda: editor.diagnostics(uri)))
            waited["hints"].append(_milliseconds(lambda: editor.hints(uri)))
            waited["hover"].append(_milliseconds(lambda: editor.hover(uri, 0, 0)))
    print(f"{text.count(chr(10))} lines, pause {DEBOUNCE * 1000:.0f} ms; shown: {editor.shown}")
    for kind, times in waited.items():
        print(f"{kind:14} median {statistics.median(times):5.0f}   max {max(times):5.0f}")


def _typed(text: str, kind: str, number: int) -> str:
    lines = text.split("\n")
    if kind == "at the end":
        return "\n".join((*lines, f"typed_{number} = {number}"))
    at = max(number for number, line in enumerate(lines) if line.startswith("    ") and line.strip())
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    return "\n".join((*lines[:at], f"{indent}typed_{number} = {number}", *lines[at:]))


def _milliseconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1000


if __name__ == "__main__":
    main()
