"""Where the parts of f-strings and t-strings are.

Before Python 3.12, `ast` has wrong positions within them, and in every version it has none of their literal parts. So
their text is scanned here. Python has parsed it before, so that it is well-formed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from jitlint.source.places import Span
from jitlint.syntax.from_ast.parsing import Refused

_QUOTES = ("'''", '"""', "'", '"')
_STRING = re.compile(r"(\w*)('''|\"\"\"|'|\")")
_IN_EXPRESSION = re.compile(r"(?<!\w)\w*(?:'|\")|#[^\n]*|[=!<>]=|[(\[{)\]}:!=]")
_CONVERSION = re.compile(r"!\s*(\w+)")
_BLANK = re.compile(r"(?:\s|\\\n|#[^\n]*)*")


class Field(NamedTuple):
    """`{value=!conversion:spec}` at `span`; `shown` is the span of what `=` shows, the value with all around it."""

    span: Span
    value: Span
    shown: Span | None
    conversion: str
    spec: Spec | None


class Spec(NamedTuple):
    """A format specification."""

    span: Span
    parts: tuple[Span | Field, ...]


class Literal(NamedTuple):
    """A string literal: its prefix and quotes, and the parts of an f-string, None for another string."""

    span: Span
    opening: str
    parts: tuple[Span | Field, ...] | None


def _plain(quote: str) -> re.Pattern[str]:
    """The rest of a string without fields, closing quotes included."""
    return re.compile(rf"(?:[^\\{quote[0]}]|\\[\s\S]|(?!{quote}){quote[0]})*{quote}")


def _text(quote: str, raw: bool, braces: str) -> re.Pattern[str]:
    """A literal part of an f-string. `braces` match those that stand for themselves; a backslash escapes none."""
    named = "" if raw else r"|\\N\{[^}]*\}"
    return re.compile(rf"(?:[^\\{{}}{quote[0]}]{named}|\\(?:[^{{}}]|(?=[{{}}]))|(?!{quote}){quote[0]}{braces})+")


_PLAIN = {quote: _plain(quote) for quote in _QUOTES}
_TEXT = {(quote, raw): _text(quote, raw, r"|\{\{|\}\}") for quote in _QUOTES for raw in (True, False)}
_SPEC_TEXT = {(quote, raw): _text(quote, raw, "") for quote in _QUOTES for raw in (True, False)}


def literal_at(text: str, start: int) -> Literal:
    """The string literal that begins at an offset. Raises Refused if it is not as expected."""
    opening = _match(_STRING, text, start)
    prefix, quote = opening.group(1).lower(), opening.group(2)
    if not ("f" in prefix or "t" in prefix):
        return Literal(Span(start, _match(_PLAIN[quote], text, opening.end()).end()), opening[0], None)
    parts, end = _parts(text, opening.end(), quote, "r" in prefix, _TEXT)
    if not text.startswith(quote, end):
        raise Refused(f"no {quote} at {end}")
    return Literal(Span(start, end + len(quote)), opening[0], parts)


def _match(pattern: re.Pattern[str], text: str, position: int) -> re.Match[str]:
    found = pattern.match(text, position)
    if found is None:
        raise Refused(f"no {pattern.pattern} at {position}")
    return found


def _parts(
    text: str, position: int, quote: str, raw: bool, literal: dict[tuple[str, bool], re.Pattern[str]]
) -> tuple[tuple[Span | Field, ...], int]:
    """The parts from a position on, and where they end: at the closing quotes, or at the `}` after a specification."""
    parts: list[Span | Field] = []
    while True:
        found = literal[quote, raw].match(text, position)
        if found is not None:
            parts.append(Span(position, found.end()))
            position = found.end()
        if text[position] != "{":
            return tuple(parts), position
        field = _field(text, position, quote, raw)
        parts.append(field)
        position = field.span.end


def _field(text: str, start: int, quote: str, raw: bool) -> Field:
    position = _expression_end(text, start + 1)
    value = Span(start + 1, position)
    shown = None
    if text[position] == "=":
        position = _match(_BLANK, text, position + 1).end()
        shown = Span(start + 1, position)
    conversion = ""
    if text[position] == "!":
        found = _match(_CONVERSION, text, position)
        conversion = found.group(1)
        position = _match(_BLANK, text, found.end()).end()
    spec = None
    if text[position] == ":":
        parts, end = _parts(text, position + 1, quote, raw, _SPEC_TEXT)
        spec = Spec(Span(position + 1, end), parts)
        position = end
    if text[position] != "}":
        raise Refused(f"no }} at {position}")
    return Field(Span(start, position + 1), value, shown, conversion, spec)


def _expression_end(text: str, position: int) -> int:
    """Where the expression of a field ends: at the first `=`, `!`, `:` or `}` outside of brackets and strings."""
    depth = 0
    while True:
        found = _IN_EXPRESSION.search(text, position)
        if found is None:
            raise Refused(f"no }} after {position}")
        token = found[0]
        position = found.end()
        if token[-1] in "'\"" and token[0] != "#":
            position = literal_at(text, found.start()).span.end
        elif token in ("(", "[", "{"):
            depth += 1
        elif depth == 0 and len(token) == 1 and token != "#":
            return found.start()
        elif token in (")", "]", "}"):
            depth -= 1
