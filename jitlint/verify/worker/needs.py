"""What an interpreter must have to run workers: read by the linter too, and by Pythons too old for the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence

PYTHON = (3, 11)
"""Earlier ones do not say at which column an instruction stands, so that two places on a line cannot be told apart."""

JAX = (0, 6)


def problem(python: Sequence[int], jax: str | None) -> str:
    """What is wrong with an interpreter, with what to do; "" if nothing is.

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
