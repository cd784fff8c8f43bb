"""The benchmark: recipes, observed bases, mutants, JAX's judgement, the linter's findings."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.mutants.drivers import DRIVERS
from tests.mutants.judgement import Judgement
from tests.mutants.kinds import KINDS
from tests.mutants.mutate import Base, Mutant, mutate, with_driver
from tests.mutants.packages import MODULES, SCENARIOS
from tests.mutants.processes import ROOT, ask
from tests.mutants.recipes import ImportConflictError, Recipe
from tests.mutants.rewrites import TRACED_CONSTANT

PER_MODULE = 8
ATTEMPTS = 12
BATCH = 24
ALL_KINDS = (*KINDS, *DRIVERS, TRACED_CONSTANT)


@dataclass(frozen=True, slots=True)
class Judged:
    """A mutant, its file, what JAX said of it, and the linter's findings in it."""

    mutant: Mutant
    path: Path
    judgement: Judgement
    findings: tuple[dict[str, Any], ...] = ()


def installed(packages: Iterable[str]) -> list[str]:
    return [package for package in packages if importlib.util.find_spec(package)]


def recipes(packages: Sequence[str]) -> list[Recipe]:
    """The recipes of the packages: harvested ones, at most PER_MODULE of a module, and the scenarios."""
    modules = [module for package in packages for module in MODULES.get(package, ())]
    found: list[Recipe] = []
    for answer in ask({"do": "harvest", "module": module} for module in modules):
        made = [_recipe(entry) for entry in answer or ()]
        found += sorted(made, key=lambda recipe: hashlib.sha256(recipe.name.encode()).digest())[:PER_MODULE]
    return [*found, *(recipe for recipe in SCENARIOS if recipe.package in packages)]


def _recipe(entry: dict[str, Any]) -> Recipe:
    return Recipe(entry["module"], entry["target"], *(tuple(entry[key]) for key in ("arguments", "static", "body")))


class Scratch:
    """A folder with a copy of each package's source: changed modules stand beside the real ones."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sources: dict[str, str] = {}

    def add_package(self, package: str) -> None:
        spec = importlib.util.find_spec(package)
        assert spec is not None and spec.submodule_search_locations
        ignored = shutil.ignore_patterns(
            "*_test.py", "test", "tests", "testing", "__pycache__", "*.so", "*.pyi", "include", "lib"
        )
        shutil.copytree(next(iter(spec.submodule_search_locations)), self.folder / package / package, ignore=ignored)

    def source(self, module: str) -> str:
        """The text of an installed package's module."""
        if module not in self._sources:
            self._sources[module] = self._file(module).read_text(encoding="utf-8")
        return self._sources[module]

    def write(self, recipe: Recipe, stem: str, text: str) -> tuple[Path, str]:
        """Puts a module beside the recipe's own; its path and dotted name."""
        path = self._file(recipe.module).with_name(f"{stem}.py")
        path.write_text(text, encoding="utf-8")
        return path, f"{recipe.module.rpartition('.')[0]}.{stem}"

    def _file(self, module: str) -> Path:
        return self.folder.joinpath(module.partition(".")[0], *module.split(".")).with_suffix(".py")


def bases(found: Sequence[Recipe], scratch: Scratch) -> Iterator[tuple[Base, Path]]:
    """The recipes whose module, copied, still traces, with what its lines hold."""
    prepared: list[tuple[Recipe, Path, dict[str, Any]]] = []
    for number, recipe in enumerate(found):
        try:
            text, driver = with_driver(scratch.source(recipe.module), recipe)
        except (ImportConflictError, OSError):
            continue
        path, name = scratch.write(recipe, f"base_{number:04}", text)
        prepared.append((recipe, path, {"do": "survey", "path": str(path), "name": name, "driver": driver}))
    for (recipe, path, _), lines in zip(prepared, ask(request for *_, request in prepared), strict=True):
        if lines:
            observed = {int(number): line for number, line in lines.items()}
            source = scratch.source(recipe.module)
            yield Base(recipe, source, ast.parse(source), observed), path


def mutants(made: Sequence[Base], seed: int, count: int, kinds: Sequence[str] = ()) -> Iterator[Mutant]:
    """`count` mutants, kind by kind and package by package in turn."""
    by_package: dict[str, list[Base]] = defaultdict(list)
    for base in made:
        by_package[base.recipe.package].append(base)
    turns = itertools.cycle(kinds or ALL_KINDS)
    packages = itertools.cycle(sorted(by_package))
    for number in range(count):
        rng = random.Random(f"{seed}:{number}")
        kind = next(turns)
        for _ in range(ATTEMPTS):
            base = rng.choice(by_package[next(packages)])
            mutant = mutate(base, kind, rng)
            if mutant:
                yield mutant
                break


def judged(made: Sequence[Mutant], scratch: Scratch) -> Iterator[Judged]:
    """Each mutant with JAX's judgement, in order of packages; those that broke for other reasons are left out."""
    requests = []
    paths = []
    for number, mutant in enumerate(made):
        path, name = scratch.write(mutant.recipe, f"mutant_{number:04}", mutant.text)
        paths.append(path)
        about = {"changed": mutant.changed, "second": mutant.second, "silent": mutant.silent}
        requests.append({"do": "judge", "path": str(path), "name": name, **about})
    for mutant, path, answer in zip(made, paths, ask(requests), strict=True):
        yield Judged(mutant, path, answer or Judgement(status="broken", line=0, error="the worker died"))


def lint(paths: Sequence[Path], folder: Path) -> dict[Path, list[dict[str, Any]]]:
    """The linter's findings in files of the scratch folder, by file.

    A run takes BATCH files of a package: all of them call the same functions, more often than a project would.
    """
    found: dict[Path, list[dict[str, Any]]] = defaultdict(list)
    for batch in batches(paths, folder):
        for finding in _findings(batch, folder):
            found[folder / finding["path"]].append(finding)
    return found


def batches(paths: Sequence[Path], folder: Path) -> Iterator[list[str]]:
    """The files of one run each, as BATCH of a package, named from the scratch folder."""
    for _, group in itertools.groupby(sorted(paths), key=lambda path: path.relative_to(folder).parts[0]):
        names = iter([str(path.relative_to(folder)) for path in group])
        while batch := list(itertools.islice(names, BATCH)):
            yield batch


def _findings(names: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "jitlint", "--format", "json", *names]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    if not ran.stdout.strip():
        raise RuntimeError(f"jitlint failed: {ran.stderr[-2000:]}")
    findings: list[dict[str, Any]] = json.loads(ran.stdout)["findings"]
    return findings
