"""Builds the wheel as it is released: with the modules compiled that pyproject.toml names.

python -m tools.wheel FOLDER
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_LEFT_OUT = ("__pycache__", "*.so", "*.pyd", "node_modules")
_PARTS = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "jitlint", "plugins")


def build(folder: Path) -> Path:
    """Builds the wheel of this checkout into a folder, and returns its path.

    It takes a C compiler and about two minutes. The Python that runs this needs nothing but pip.

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
        made = Path(copy, "made")
        pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps")
        compiling = {**os.environ, "HATCH_BUILD_HOOKS_ENABLE": "1"}
        subprocess.run([*pip, "--wheel-dir", str(made), copy], check=True, env=compiling)
        (wheel,) = made.glob("*.whl")
        return Path(shutil.move(wheel, folder / wheel.name))


if __name__ == "__main__":
    print(build(Path(sys.argv[1])))
