"""An environment of its own for each tool, made once for each state of its requirements file."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from tools.wheel import build

REQUIREMENTS = Path(__file__).with_name("requirements")


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment's folder."""

    folder: Path

    def program(self, name: str) -> str:
        """The path of a program in it."""
        return str(self.folder / "bin" / name)

    def install(self, *arguments: str) -> None:
        command = (sys.executable, "-m", "pip", "--python", self.program("python"), "install", "--no-deps", "--quiet")
        subprocess.run([*command, "--disable-pip-version-check", *arguments], check=True)


def environment(name: str, cache: Path) -> Environment:
    """The environment of requirements/NAME.txt, made if the cache does not hold it yet.

    Raises:
        subprocess.CalledProcessError: pip could not install what is required.
    """
    requirements = REQUIREMENTS / f"{name}.txt"
    state = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()[:12]
    made = Environment(cache / f"{name}-{state}")
    finished = made.folder / "finished"
    if not finished.exists():
        venv.create(made.folder, clear=True, symlinks=os.name != "nt")
        made.install("--requirement", str(requirements))
        finished.touch()
    return made


def release(package: str, of: str = "") -> str:
    """The version of a package that an environment has: of the one that is named for it, or of another."""
    pins = dict(line.split("==") for line in (REQUIREMENTS / f"{(of or package).lower()}.txt").read_text().split())
    return {name.lower(): version for name, version in pins.items()}[package.lower()]


def with_jitlint(cache: Path, name: str = "jitlint") -> Environment:
    """An environment with this checkout's jitlint, built anew as it is released, and with what it needs."""
    made = environment(name, cache)
    made.install("--force-reinstall", str(build(cache / "wheels")))
    return made
