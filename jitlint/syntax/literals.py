"""Values of literals."""

from __future__ import annotations

import ast
import warnings


class _Missing:
    """The type of MISSING."""


MISSING = _Missing()
"""What `value_of` returns for a literal that Python does not convert (one with too many digits)."""


def value_of(literal: str) -> object:
    """The value of a number, string or bytes literal as written, or MISSING."""
    quote = literal[0]
    if quote in "'\"" and "\\" not in literal:
        return literal[3:-3] if len(literal) > 5 and literal.startswith(quote * 3) else literal[1:-1]
    if literal.isdecimal() and literal.isascii() and len(literal) < 20:
        return int(literal)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value: object = ast.literal_eval(literal)
            return value
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return MISSING


def text_part(raw: str, start: str) -> str:
    """The value of a literal part of an f-string or t-string that opens with `start` (prefix and quotes)."""
    text = raw.replace("{{", "{").replace("}}", "}")
    prefix = start.rstrip("'\"")
    if "\\" not in text or "r" in prefix.lower():
        return text
    quotes = start[len(prefix) :]
    value = value_of(quotes + text + quotes)
    return value if isinstance(value, str) else text
