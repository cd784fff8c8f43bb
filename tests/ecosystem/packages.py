"""Public packages, at pinned versions, unpacked from their wheels: neither installed nor imported."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_PINS = Path(__file__).with_name("packages.txt")


@dataclass(frozen=True, slots=True)
class Package:
    """A package of the index at one version."""

    name: str
    version: str

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"

    def folder(self, cache: Path) -> Path:
        return cache / f"{self.name}-{self.version}"


def pinned() -> tuple[Package, ...]:
    """The packages of packages.txt."""
    return tuple(Package(*line.split("==")) for line in _PINS.read_text("utf-8").split())


def chosen(names: Sequence[str]) -> tuple[Package, ...]:
    """The pinned packages of these names.

    Raises:
        SystemExit: one of them is not pinned.
    """
    known = {package.name: package for package in pinned()}
    if unknown := sorted(set(names) - set(known)):
        raise SystemExit(f"not in {_PINS.name}: {', '.join(unknown)}")
    return tuple(known[name] for name in names)


def fetch(packages: Sequence[Package], cache: Path) -> None:
    """Downloads and unpacks what the cache does not hold yet: each package into its `folder`.

    Raises:
        subprocess.CalledProcessError: pip could not download one of them.
    """
    cache.mkdir(parents=True, exist_ok=True)
    missing = {package.requirement: package for package in packages if not package.folder(cache).is_dir()}
    if not missing:
        return
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        download = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps")
        subprocess.run([*download, "--only-binary=:all:", "--dest", scratch, *missing], check=True)
        for wheel in Path(scratch).glob("*.whl"):
            name, version = wheel.name.split("-")[:2]
            package = missing[f"{re.sub('[-_.]+', '-', name).lower()}=={version}"]
            unpacked = Path(scratch, package.requirement)
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(unpacked)
            (unpacked / "pyproject.toml").write_text("[tool.jitlint]\n")  # no settings from folders above
            unpacked.rename(package.folder(cache))
