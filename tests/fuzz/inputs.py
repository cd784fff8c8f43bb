"""What the analyzer is given: small projects, each made from its kind, seed and number alone."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.fuzz import corpus, mutants, programs, settings, values

FILES_PER_INPUT = 20
"""Of a corpus; a project of more is analyzed no differently."""

TRACED = 4
"""Of so many inputs of a corpus, one is traced throughout: that takes three times as long."""

GROWN: Mapping[str, Callable[[random.Random], tuple[tuple[str, bytes], ...]]] = {
    "programs": programs.project,
    "values": values.project,
    "settings": settings.project,
}
"""The kinds of inputs that are made of nothing."""

Use = Literal["analysis", "settings", "fixes"]

FUNCTION = re.compile(r"^([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+([^\W\d]\w*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Input:
    """A project: its files' names and contents, and what is done with them.

    They are analyzed, linted under the `settings` among them, or fixed (`fixes`).
    """

    name: str
    files: tuple[tuple[str, bytes], ...]
    use: Use = "analysis"

    @property
    def lines(self) -> int:
        return sum(content.count(b"\n") + 1 for _, content in self.files)


@dataclass(frozen=True, slots=True)
class Kind:
    """A family of inputs: how many there are (None: no end of them), and the one with a number."""

    count: int | None
    make: Callable[[int], Input]


def kind(name: str, seed: int, folders: Sequence[Path]) -> Kind:
    """The inputs of a kind: `corpus`, one of GROWN, `mutants` of the Python files under folders, such that
    are fixed (`fixes`), or these `files`."""
    if name == "corpus":
        known = [Input(each, tuple(files.items())) for each, files in corpus.programs().items()]
        known += [Input(each, tuple(files.items()), "settings") for each, files in corpus.projects().items()]
        return Kind(len(known), known.__getitem__)
    if name in GROWN:
        grown = GROWN[name]
        use: Use = "settings" if name == "settings" else "analysis"
        return Kind(None, lambda n: Input(f"{name}-{seed}-{n}", grown(_random(seed, n)), use))
    if name in ("mutants", "fixes"):
        pool = mutants.Pool(tuple(python_files(folders)))
        use = "fixes" if name == "fixes" else "analysis"
        return Kind(None, lambda n: Input(f"{name}-{seed}-{n}", pool.project(_random(seed, n)), use))
    files = list(python_files(folders))
    return Kind(-(-len(files) // FILES_PER_INPUT), lambda number: _batch(files, number))


def _random(seed: int, number: int) -> random.Random:
    return random.Random(f"{seed} {number}")


def python_files(folders: Sequence[Path]) -> Iterator[Path]:
    """All Python files under folders, in a fixed order."""
    for folder in folders:
        yield from sorted(path for path in folder.rglob("*.py") if path.is_file())


def _batch(files: Sequence[Path], number: int) -> Input:
    chosen = files[number * FILES_PER_INPUT : (number + 1) * FILES_PER_INPUT]
    touched = traced if number % TRACED == 0 else touching
    named = [(f"{at:02}/{path.name}", touched(path.read_bytes())) for at, path in enumerate(chosen)]
    return Input(f"files-{number} {chosen[0]}", tuple(named))


def touching(content: bytes) -> bytes:
    """A file that imports JAX at its end: one that has nothing to do with it is not even parsed."""
    return content + b"\nimport jax as _jax\n"


def traced(content: bytes) -> bytes:
    """A file that jits all its functions and methods at its end."""
    lines = [""]
    owner = ""
    for indent, word, name in FUNCTION.findall(content.decode("ascii", "replace")):
        if not indent:
            owner = name if word == "class" else ""
            lines += [f"_jax.jit({name})"] if word == "def" else []
        elif owner and word == "def":
            lines.append(f"_jax.jit({owner}{'()' if len(lines) % 2 else ''}.{name})")
    return touching(content) + "\n".join(lines).encode() + b"\n"
