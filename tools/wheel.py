"""Builds the wheel as it is released: with the modules compiled that pyproject.toml names.

python -m tools.wheel [--quick] FOLDER
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_LEFT_OUT = ("__pycache__", "*.so", "*.pyd", "node_modules")
_PARTS = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "jitlint", "plugins")


def build(folder: Path, *, quick: bool = False) -> Path:
    """Builds the wheel of this checkout into a folder, and returns its path.

    It takes a C compiler and some minutes. The Python that runs this needs nothing but pip.

    Args:
        folder: where the wheel goes.
        quick: whether the C compiler leaves out its optimizations: the same code, in two thirds of the time.

    Raises:
        subprocess.CalledProcessError: it could not be built; pip has printed why.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as copy:  # a build leaves its products next to the sources
        for part in _PARTS:
            path = ROOT / part
            if path.is_dir():
                shutil.copytree(
                    path,
                    Path(copy, part),
                    ignore=shutil.ignore_patterns(*_LEFT_OUT),
                )
            else:
                shutil.copy(path, copy)
        if quick:
            settings = Path(copy, "pyproject.toml")
            settings.write_text(settings.read_text().replace('opt_level = "2"', 'opt_level = "0"'))
        made = Path(copy, "made")
        pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps")
        compiling = {**os.environ, "HATCH_BUILD_HOOKS_ENABLE": "1"}
        subprocess.run([*pip, "--wheel-dir", str(made), copy], check=True, env=compiling)
        (wheel,) = made.glob("*.whl")
        return Path(shutil.move(wheel, folder / wheel.name))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true", help="without optimizations of the C compiler")
    given = parser.parse_args()
    print(build(given.folder, quick=given.quick))
