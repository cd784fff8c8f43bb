"""Environments in which something is installed beside jitlint."""

from __future__ import annotations

import sysconfig
import venv
from pathlib import Path
from typing import NamedTuple


class Environment(NamedTuple):
    """The interpreter of an environment, and the folder of its packages."""

    python: str
    site: Path


def environment(folder: Path) -> Environment:
    """Makes an environment in which all that is installed here is, too."""
    venv.create(folder, symlinks=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    (site / "here.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    return Environment(str(folder / "bin" / "python"), site)
