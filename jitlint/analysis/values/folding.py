"""Folding: computing with constants as Python would, within limits, so that no result is large or takes long.

All constants that are computed come from here. `"a" * 10**9`, `2**10**9` or `"%999999999d" % 7` are a few characters of
a program, and would take all memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from jitlint.analysis.values.base import NONE, Const, Static, Value

MAX_BITS: Final = 4096
"""Larger ints are not kept: Python would refuse to write out much larger ones (`sys.set_int_max_str_digits`)."""

MAX_TEXT: Final = 2000
"""Longer text, and longer bytes, are not computed, nor computed with."""

_FOLDED: Final = (int, float, bool, complex, str, bytes)
"""Constants of these types are computed with."""

_WIDE: Final = re.compile(r"%[^%a-zA-Z]*(?:\d{4}|\*)")
"""A conversion in a string for `%` whose width or precision is large or comes from an argument."""


def constant(value: object) -> Value:
    """The abstract value of a literal, or of a constant that was computed: without its content if that is large."""
    if value is None:
        return NONE
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        return Static("int")
    return Const(value)


def fold(function: Callable[..., object], *operands: object) -> Value | None:
    """The result of a function of Python's own for constants; None if it fails, or if an operand is large.

    Args:
        function: a function whose result is not much larger than its operands.
        operands: the constants.
    """
    if any(_is_large(operand) for operand in operands):
        return None
    try:
        result = function(*operands)
    except (TypeError, ValueError, ArithmeticError, LookupError, MemoryError):
        return None
    if _is_large(result):
        return Static(type(result).__name__)
    return constant(result)


def fold_operator(op: str, function: Callable[[Any, Any], Any], left: Any, right: Any) -> Value | None:
    """The value of `left op right`, which `function` computes; None if it fails, or if an operand is large."""
    if not isinstance(left, _FOLDED) or not isinstance(right, _FOLDED):
        return None
    if _grows(op, left, right):
        return Static(type(left).__name__)
    return fold(function, left, right)


def _is_large(value: object) -> bool:
    """Whether a constant is too large to compute with, or to be kept."""
    if isinstance(value, int):
        return value.bit_length() > MAX_BITS
    return isinstance(value, (str, bytes)) and len(value) > MAX_TEXT


def joined_text(values: Iterable[Value]) -> Const | None:
    """The text that an f-string makes of texts and whole numbers; None if one is not known, or it becomes long."""
    parts, option = [], None
    for value in values:
        known = value.value if isinstance(value, Const) else None
        if not isinstance(known, str) and (type(known) is not int or known.bit_length() > MAX_BITS):
            return None
        option = option or getattr(value, "option", None)
        parts.append(str(known))
    text = "".join(parts)
    return Const(text, option) if len(text) <= MAX_TEXT else None


def _grows(op: str, left: Any, right: Any) -> bool:
    """Whether the result of an operator may be much larger than its operands."""
    if op == "%":
        text = left.decode("latin-1") if isinstance(left, bytes) else left
        return isinstance(text, str) and _WIDE.search(text) is not None
    if isinstance(left, int) and isinstance(right, int):
        if op == "<<":
            return right > MAX_BITS
        return op == "**" and right > 0 and left.bit_length() * right > MAX_BITS
    if op == "*" and isinstance(left, (str, bytes)) and isinstance(right, int):
        return len(left) * right > MAX_TEXT
    return op == "*" and isinstance(right, (str, bytes)) and isinstance(left, int) and len(right) * left > MAX_TEXT
