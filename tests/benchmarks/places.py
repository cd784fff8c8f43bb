"""How long people wait where they meet jitlint: flake8 with it and without, the command line, an editor.

python -m tests.benchmarks.places [--rounds N] [--cache FOLDER]

One file of about 300 lines of optax is looked at within its project, by the released wheel. Rounds take the commands in
turn. In the editor a new name is typed, in turn at the end of the file and in its last indented line; nothing is saved,
and the server's own pause (DEBOUNCE) is part of the time.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from jitlint.lsp.server import DEBOUNCE
from tests.benchmarks import corpus
from tests.benchmarks.environments import environment, with_jitlint
from tests.benchmarks.measure import cost
from tests.benchmarks.tools import CACHE
from tests.lsp.editor import Editor

LINES = 300
TYPED = 20


def main() -> None:
    """Measures, and prints milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir(), "jitlint-benchmarks"))
    given = parser.parse_args()
    os.environ.pop("PYTHONPATH", None)  # what is installed counts
    python = with_jitlint(given.cache, "places").program("python")
    with tempfile.TemporaryDirectory() as scratch:
        project = corpus.make(Path(scratch, "project"), ("optax",), given.cache)
        (project.folder / "jitlint.toml").touch()
        file = min(project.files, key=lambda name: abs(_lines(project.folder / name) - LINES))
        print(f"{file}: {_lines(project.folder / file)} lines, in a project of {project.lines}")
        commands(project.folder, file, environment("flake8", given.cache).program("flake8"), python, given.rounds)
        editor(project.folder, project.folder / file, python)


def commands(folder: Path, file: str, alone: str, python: str, rounds: int) -> None:
    """Commands over one file: wall milliseconds, medians."""
    plugin = (python, "-m", "flake8", "--isolated", file)
    jitlint = (python, "-m", "jitlint")
    measured = {
        "flake8 alone": ((alone, "--isolated", file), False),
        "flake8 with jitlint, cold": (plugin, True),
        "flake8 with jitlint, warm": (plugin, False),
        "jitlint, cold": ((*jitlint, file), True),
        "jitlint, warm": ((*jitlint, file), False),
        "jitlint --project, cold": ((*jitlint, "--project", file), True),
        "jitlint --project, warm": ((*jitlint, "--project", file), False),
    }
    waited: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(rounds):
        for name, (command, cold) in measured.items():
            if cold:
                shutil.rmtree(folder / CACHE, ignore_errors=True)
            waited[name].append(cost(command, folder).wall * 1000)
    for name, times in waited.items():
        print(f"{name:26} median {statistics.median(times):5.0f}   max {max(times):5.0f}")
    added = [
        more - less for more, less in zip(waited["flake8 with jitlint, warm"], waited["flake8 alone"], strict=True)
    ]
    print(f"{'added to a warm flake8':26} median {statistics.median(added):5.0f}   max {max(added):5.0f}")


def editor(folder: Path, file: Path, python: str) -> None:
    """Typing into a file: milliseconds to its diagnostics, and to answers to what editors ask."""
    text = file.read_text("utf-8")
    with Editor(folder, program=(python, "-m", "jitlint")) as started:
        uri = started.open(file)
        print(f"{'editor: opened':26} {_milliseconds(lambda: started.diagnostics(uri)):12.0f}")
        waited: dict[str, list[float]] = {"typed at the end": [], "typed in a function": [], "hover": [], "hints": []}
        for number in range(TYPED):
            kind = ("typed at the end", "typed in a function")[number % 2]
            started.type(uri, _typed(text, kind, number))
            waited[kind].append(_milliseconds(lambda: started.diagnostics(uri)))
            waited["hints"].append(_milliseconds(lambda: started.hints(uri)))
            waited["hover"].append(_milliseconds(lambda: started.hover(uri, 0, 0)))
    for kind, times in waited.items():
        print(f"{'editor: ' + kind:26} median {statistics.median(times):5.0f}   max {max(times):5.0f}")
    print(f"(the server waits {DEBOUNCE * 1000:.0f} ms for the next keystroke)")


def _typed(text: str, kind: str, number: int) -> str:
    lines = text.split("\n")
    if kind == "typed at the end":
        return "\n".join((*lines, f"typed_{number} = {number}"))
    at = max(number for number, line in enumerate(lines) if line.startswith("    ") and line.strip())
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    return "\n".join((*lines[:at], f"{indent}typed_{number} = {number}", *lines[at:]))


def _lines(file: Path) -> int:
    return file.read_text("utf-8").count("\n")


def _milliseconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1000


if __name__ == "__main__":
    main()
