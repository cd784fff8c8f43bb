"""What there is to say of one function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import Parameter


@dataclass
class Facts:
    """What was found out. Empty text means nothing to say; the words are explained in README.md."""

    parameters: str = ""
    result: str = ""
    dtype: str = ""
    rank: str = ""
    concrete: str = ""
    concrete_scalar: str = ""
    unless: str = ""
    data_shape: str = ""
    strict: str = ""
    hashable: str = ""


_STARS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}


def signature(parameters: Sequence[Parameter]) -> str:
    """Parameters as they are written, with the defaults that are plain constants."""
    words: list[str] = []
    previous = None
    for parameter in parameters:
        if previous is Parameter.POSITIONAL_ONLY and parameter.kind is not previous:
            words.append("/")
        if parameter.kind is Parameter.KEYWORD_ONLY and previous not in (
            Parameter.KEYWORD_ONLY,
            Parameter.VAR_POSITIONAL,
        ):
            words.append("*")
        stars = _STARS.get(parameter.kind.name, "")
        words.append(stars + parameter.name + _default(parameter))
        previous = parameter.kind
    if previous is Parameter.POSITIONAL_ONLY:
        words.append("/")
    return ", ".join(words)


def _default(parameter: Parameter) -> str:
    value = parameter.default
    if value is Parameter.empty:
        return ""
    if value is None or type(value) in (bool, int, float, str) or (type(value) is tuple and not value):
        return f"={value!r}".replace("'", '"')
    return "=…"
