"""What an interpreter needs to run workers. The linter reads this file too, and so do Pythons too old for the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence

PYTHON = (3, 11)
"""Earlier Pythons do not record an instruction's columns, which tell two places on one line apart."""

JAX = (0, 6)


def problem(python: Sequence[int], jax: str | None) -> str:
    """Says what an interpreter lacks and what to do; "" if nothing.

    Args:
        python: its version, as two numbers or more.
        jax: the version of jax there, "" if that is not known, None if there is no jax.
    """
    if tuple(python[:2]) < PYTHON:
        return f"is Python {_text(python)}, which is older than {_text(PYTHON)}; make an environment with a newer one"
    if jax is None:
        return f'has no jax; run `pip install "jax>={_text(JAX)}"` there'
    numbers = re.match(r"(\d+)\.(\d+)", jax)
    if numbers is not None and tuple(map(int, numbers.groups())) < JAX:
        return f'has jax {jax}, which is older than {_text(JAX)}; run `pip install -U "jax>={_text(JAX)}"` there'
    return ""


def _text(version: Sequence[int]) -> str:
    return ".".join(map(str, version[:2]))
