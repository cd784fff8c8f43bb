"""Which modules can have to do with JAX at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from jitlint.analysis.program.components import modules_touching_jax
from jitlint.pipeline import read
from jitlint.project.cache import Cache
from jitlint.project.modules import Project


def touching(folder: Path, files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        (folder / name).write_text(text)
    return [module.name for module in modules_touching_jax(Project(read([str(folder)]).files, Cache(None)))]


@pytest.mark.parametrize(
    "text",
    [
        "import jax",
        "import os, jax.numpy as np",
        "from jax import numpy",
        "if True: import jax",
        "import os; import jax",
        "def f():\n    from equinox import Module",
        "from tools import (\n    other,\n    jnp,\n)",
        "from tools import other, \\\n    jnp",
        "from jitlint import reveal_stage",
    ],
)
def test_a_module_that_imports_a_library_touches_jax(text: str, tmp_path: Path) -> None:
    assert touching(tmp_path, {"one.py": text}) == ["one"]


@pytest.mark.parametrize("text", ["tfp = open('x')", "chk = whk = 1", "# jax", "import ajax", "", "jnp = None\njnp.x"])
def test_a_module_that_has_the_letters_only_does_not(text: str, tmp_path: Path) -> None:
    assert touching(tmp_path, {"one.py": text}) == []


def test_who_imports_a_module_that_touches_jax_touches_it(tmp_path: Path) -> None:
    files = {"far.py": "import near", "near.py": "from one import f", "one.py": "import jax", "other.py": "import sys"}
    assert touching(tmp_path, files) == ["far", "near", "one"]
