"""What JAX says of a mutant."""

from __future__ import annotations

from typing import TypedDict


class Judgement(TypedDict):
    """`status`: fails (`line`, `error`), wrong (silently, `error` says how), accepted, unreached (the changed lines did
    not run), or broken (it fails for a reason that has nothing to do with tracing)."""

    status: str
    line: int
    error: str
