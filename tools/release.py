"""Checks a release before anything is published, and tries what it will publish.

python -m tools.release notes v1.2.0          a tag's notes; fails if tag, version and changelog do not agree
python -m tools.release try FOLDER PYTHON …   builds the wheel for each Python and runs it in an empty environment
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_VERSION = re.compile(r'^__version__ = "(.*)"$', re.M)


class ReleaseError(Exception):
    """The release cannot be made; the message says what to mend."""


def notes(tag: str, root: Path = ROOT) -> str:
    """The changelog's section for a tag.

    Args:
        tag: such as `v1.2.0`.
        root: the checkout.

    Raises:
        ReleaseError: the tag does not name the version, the extension for VS Code has another one, or the changelog has
            no section for it, or an empty one.
    """
    declared = _VERSION.search((root / "jitlint" / "__init__.py").read_text("utf-8"))
    version = declared[1] if declared else "nothing"
    if tag != f"v{version}":
        raise ReleaseError(f"the tag {tag} is not v{version}, the version in jitlint/__init__.py; correct one of them")
    extension = json.loads((root / "plugins" / "vscode" / "package.json").read_text("utf-8"))["version"]
    if extension != version:
        raise ReleaseError(f"plugins/vscode/package.json has version {extension}, not {version}; correct it")
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    section = re.search(rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## \[|\Z)", changelog, re.M | re.S)
    if section is None or not section[1].strip():
        raise ReleaseError(f"CHANGELOG.md says nothing of {version}; write a section `## [{version}] - <date>`")
    return section[1].strip() + "\n"


def try_wheel(folder: Path, python: str) -> str:
    """Builds the compiled wheel with a Python, installs it with JAX into an empty environment, and verifies the demo.

    Args:
        folder: takes the wheels and the environments.
        python: an interpreter.

    Returns:
        The last line of the demo's report.

    Raises:
        ReleaseError: the report is not the demo's.
        subprocess.CalledProcessError: a step failed; it has printed why.
    """
    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
    wheels, environment = folder / version / "wheels", folder / version / "environment"
    subprocess.run([python, "-m", "tools.wheel", str(wheels)], cwd=ROOT, check=True)
    (wheel,) = wheels.glob("*.whl")
    subprocess.run([python, "-m", "venv", "--clear", str(environment)], check=True)
    scripts = environment / "bin"
    subprocess.run([scripts / "pip", "install", "--quiet", f"{wheel}[verify]"], check=True)
    environ = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}

    def check(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [scripts / "jitlint", "check", "--isolated", "--no-cache", *arguments]
        return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)

    demo = check("--verify", ROOT / "fixtures" / "demo")
    seeds = check(ROOT / "fixtures" / "seeds")
    if demo.returncode != 1 or seeds.returncode != 1 or demo.stderr or seeds.stderr:
        raise ReleaseError(f"{wheel.name}: {demo.stderr}{seeds.stderr}{demo.stdout[-500:]}{seeds.stdout[-500:]}")
    return f"{wheel.name}: {demo.stdout.splitlines()[-1]} {seeds.stdout.splitlines()[-1]}"


def main(arguments: list[str]) -> None:
    """Runs one of the two commands; `__doc__` describes them."""
    match arguments:
        case ["notes", tag]:
            print(notes(tag), end="")
        case ["try", folder, *pythons] if pythons:
            Path(folder).mkdir(parents=True, exist_ok=True)
            for python in pythons:
                print(try_wheel(Path(folder).resolve(), python), flush=True)
        case _:
            raise ReleaseError(f"usage:\n{__doc__}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ReleaseError as error:
        sys.exit(str(error))
