"""The figures: what is measured, round by round, as plain data. Rounds take the tools in turn, so that whatever else
the machine does slows all of them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from tests.benchmarks.corpus import Corpus, edit, editable
from tests.benchmarks.measure import Cost, cost
from tests.benchmarks.tools import CACHE, COLD, WARM, Tool
from tests.benchmarks.verify_modules import FAILING, SOUND, loop, module

Costs = dict[str, list[float]]
"""Of each round the seconds of `wall` and of `cpu`, and the `mebibytes`."""

_EDITED_FILES = 9


def throughput(tools: Sequence[Tool], corpus: Corpus, rounds: int) -> dict[str, Any]:
    """Each tool over its share of the files."""
    shares = {tool: tool.over(corpus) for tool in tools}
    measured: dict[str, dict[str, Any]] = {
        tool.name: {"release": tool.release, "lines": lines, **_none()} for tool, (_, lines) in shares.items()
    }
    for _ in range(rounds):
        for tool, (command, _) in shares.items():
            tool.prepare(corpus.folder)
            _add(measured[tool.name], cost(command, corpus.folder, tool.statuses))
    return {"files": len(corpus.files), "lines": corpus.lines, "tools": measured}


def start_up(tools: Sequence[Tool], python: str, corpus: Corpus, rounds: int) -> dict[str, Any]:
    """A bare interpreter, each linter's version, and each linter on one file of middling size."""
    files = (file for file in corpus.files if all(tool.takes(corpus.folder / file) for tool in tools))
    by_size = sorted(files, key=lambda file: (corpus.folder / file).stat().st_size)
    file = by_size[len(by_size) // 2]
    commands = {"python": ((python, "-c", "pass"), range(1), None)}
    for tool in tools:
        if tool.version:
            commands[f"{tool.name} --version"] = tool.version, range(1), None
        if tool.version or tool.name == WARM:
            commands[tool.name] = (*tool.command, file), tool.statuses, tool
    measured: dict[str, Costs] = {name: _none() for name in commands}
    for _ in range(rounds):
        for name, (command, statuses, tool) in commands.items():
            if tool:
                tool.prepare(corpus.folder)
            _add(measured[name], cost(command, corpus.folder, statuses))
    lines = (corpus.folder / file).read_bytes().count(b"\n")
    return {"file": file, "lines": lines, "commands": measured}


def editing(tools: Sequence[Tool], corpus: Corpus) -> dict[str, Any]:
    """A project whose results are known: all of it, unchanged, and after each of several files was edited."""
    by_name = {tool.name: tool for tool in tools}
    command, _ = by_name[WARM].over(corpus)
    measured: dict[str, Costs] = {name: _none() for name in ("cold", "unchanged", "edited")}
    by_name[COLD].prepare(corpus.folder)
    _add(measured["cold"], cost(command, corpus.folder))
    files = editable(corpus, _EDITED_FILES)
    for file in files:
        _add(measured["unchanged"], cost(command, corpus.folder))
        edit(corpus.folder / file)
        _add(measured["edited"], cost(command, corpus.folder))
    return {"lines": corpus.lines, "files": list(files), "runs": measured}


def verifying(python: str, folder: Path, probes: int, rounds: int) -> dict[str, Any]:
    """Verdicts on functions that fail while JAX traces them, and on entry points that compile: anew, and from what an
    earlier run has left. Beside each a loop that does nothing but trace, lower and compile the same functions."""
    jitlint = (python, "-m", "jitlint", "--jobs", "1")
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[tool.jitlint]\n")
    measured: dict[str, dict[str, Costs]] = {}
    for name, functions, verify in (("failing", FAILING, "--verify"), ("sound", SOUND, "--verify=all")):
        (folder / f"{name}.py").write_text(module(functions, probes), "utf-8")
        (folder / f"loop_{name}.py").write_text(loop(functions, probes, name), "utf-8")
        measured[name] = {run: _none() for run in ("loop", "anew", "again")}
        for _ in range(rounds):
            _add(measured[name]["loop"], cost((python, f"loop_{name}.py"), folder))
            shutil.rmtree(folder / CACHE, ignore_errors=True)
            for run in ("anew", "again"):
                _add(measured[name][run], cost((*jitlint, verify, f"{name}.py"), folder))
    return {"probes": probes, "runs": measured}


def _none() -> Costs:
    return {field.name: [] for field in fields(Cost)}


def _add(costs: dict[str, Any], new: Cost) -> None:
    for name, value in asdict(new).items():
        costs[name].append(value)
