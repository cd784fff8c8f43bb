"""What was revealed: the answers to `reveal_stage(x)` and `jitlint stage`. `reveal` gives them."""

from __future__ import annotations

from dataclasses import dataclass

from jitlint.source.places import Place

NOT_TRACED = "not traced"
"""The context of code that no transform runs."""


@dataclass(frozen=True, slots=True)
class Revealed:
    """What an expression is where code runs under `context` ("under jax.jit of `step`", "not traced").

    `stage` is traced, static, unknown, or mixed if it depends on the path; `text` says all that is known. `symbol` is
    the dotted name of the function around it. One expression has as many as there are contexts.
    """

    place: Place
    expression: str
    symbol: str
    context: str
    stage: str
    text: str


class NoStatementError(Exception):
    """There is no statement on a line; `nearest` are the lines around it that have one."""

    def __init__(self, nearest: tuple[int, ...]) -> None:
        super().__init__(nearest)
        self.nearest = nearest
