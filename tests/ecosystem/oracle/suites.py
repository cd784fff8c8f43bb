"""The suites: unpacked source distributions, and the environment in which their tests run."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tests.ecosystem.oracle.watched import Watched
from tests.ecosystem.packages import Package, chosen
from tests.mutants.processes import ENVIRONMENT, ROOT

_SUITES = Path(__file__).with_name("suites.toml")
_SAME = ("jax", "jaxlib", "numpy")
"""What the environment has in the versions that run here."""

TESTS = 250
SECONDS = 90
"""How many tests of a suite run, and for how much processor time at most."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A package with its tests: folders of its source distribution."""

    package: Package
    source: str
    tests: tuple[str, ...]
    requires: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.package.name

    def tree(self, cache: Path) -> Path:
        """The unpacked source distribution."""
        return self.package.folder(cache)

    def files(self, cache: Path) -> dict[str, Path]:
        """The package's modules and its tests, by their path in the tree."""
        tree = self.tree(cache)
        found = {path for folder in (self.source, *self.tests) for path in (tree / folder).rglob("*.py")}
        return {path.relative_to(tree).as_posix(): path for path in sorted(found)}


def is_test(path: str) -> bool:
    """Whether a file of a tree is a test, or belongs to tests."""
    pure = PurePosixPath(path)
    return (
        not {"test", "tests"}.isdisjoint(pure.parts)
        or pure.stem.startswith("test_")
        or pure.stem.endswith(("_test", "_test_util", "_tests", "conftest", "test_utils"))
    )


def suites(names: Sequence[str] = ()) -> tuple[Suite, ...]:
    """The suites of suites.toml, or those of these names.

    Raises:
        SystemExit: one of them has none.
    """
    entries = tomllib.loads(_SUITES.read_text("utf-8"))
    if unknown := sorted(set(names) - set(entries)):
        raise SystemExit(f"not in {_SUITES.name}: {', '.join(unknown)}")
    packages = chosen(names or tuple(entries))
    return tuple(
        Suite(package, entry["source"], tuple(entry["tests"]), tuple(entry.get("requires", ())))
        for package, entry in ((package, entries[package.name]) for package in packages)
    )


def fetch(wanted: Iterable[Suite], cache: Path) -> None:
    """Downloads and unpacks the source distributions that the cache does not hold yet.

    Raises:
        subprocess.CalledProcessError: pip could not download one of them.
    """
    cache.mkdir(parents=True, exist_ok=True)
    for suite in wanted:
        if suite.tree(cache).is_dir():
            continue
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            options = ("--quiet", "--no-deps", "--no-binary", suite.name, "--dest", scratch)
            _pip(sys.executable, "download", *options, suite.package.requirement)
            (archive,) = Path(scratch).glob("*.tar.gz")
            with tarfile.open(archive) as tar:
                tar.extractall(scratch, filter="data")
            Path(scratch, archive.name.removesuffix(".tar.gz")).rename(suite.tree(cache))


def environment(cache: Path) -> Path:
    """The Python with all packages of suites.toml, which is made once; it sees what is installed here, too.

    Raises:
        subprocess.CalledProcessError: pip could not install one of them.
    """
    known = suites()
    wanted = [f"{name}=={importlib.metadata.version(name)}" for name in _SAME]
    wanted += [suite.package.requirement for suite in known]
    wanted += [requirement for suite in known for requirement in suite.requires]
    folder = cache / f"environment-{hashlib.sha256(' '.join(wanted).encode()).hexdigest()[:12]}"
    python = folder / "bin" / "python"
    if not folder.is_dir():
        unfinished = folder.with_suffix(".new")
        venv.create(unfinished, clear=True, symlinks=True)
        (site,) = unfinished.glob("lib/python*/site-packages")
        shared = [path for path in sys.path if path.endswith("site-packages")]
        (site / "shared.pth").write_text("".join(f"{path}\n" for path in shared), "utf-8")
        _pip(str(unfinished / "bin" / "python"), "install", "--quiet", *wanted)
        unfinished.rename(folder)
    return python


def watched(suite: Suite, cache: Path, python: Path) -> Watched:
    """What running the suite under watch showed. It runs once: the cache keeps the answer.

    Raises:
        RuntimeError: the run ended without an answer.
    """
    output = cache / f"{suite.package.requirement}.json"
    if not output.exists():
        part, log = output.with_suffix(".part"), output.with_suffix(".log")
        part.unlink(missing_ok=True)
        order = {
            "tree": str(suite.tree(cache)),
            "path": str((suite.tree(cache) / suite.source).parent),
            "files": list(suite.files(cache)),
            "tests": suite.tests,
            "count": TESTS,
            "seconds": SECONDS,
            "output": str(part),
        }
        with log.open("w", encoding="utf-8") as said:
            done = subprocess.run(
                [python, "-m", "tests.ecosystem.oracle.worker", json.dumps(order)],
                cwd=ROOT,
                env={**os.environ, **ENVIRONMENT, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
                stdout=said,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if not part.exists():
            raise RuntimeError(f"{suite.name}: exit status {done.returncode}, see {log}")
        part.rename(output)
    answer: Watched = json.loads(output.read_text("utf-8"))
    return answer


def _pip(python: str, *arguments: str) -> None:
    subprocess.run([python, "-m", "pip", "--disable-pip-version-check", *arguments], check=True)
