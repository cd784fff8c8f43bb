"""Converts positions: the protocol counts from 0, in units that the client chooses; jitlint from 1, in characters."""

from __future__ import annotations

import re

from lsprotocol import types

_ENDS = re.compile(r"\r\n|\r|\n")
_UNITS = {types.PositionEncodingKind.Utf8: ("utf-8", 1), types.PositionEncodingKind.Utf16: ("utf-16-le", 2)}
"""By the client's unit: the encoding that has it, and its size in bytes. For other clients a character is a unit."""


class Lines:
    """The lines of a text, as editors count them."""

    def __init__(self, text: str, encoding: types.PositionEncodingKind | str) -> None:
        """
        Args:
            text: the whole text, with any newlines.
            encoding: the unit in which the client counts columns.
        """
        self._lines = _ENDS.split(text)
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self._units = _UNITS.get(types.PositionEncodingKind(encoding))

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, line: int) -> str:
        """A line, counted from 1, without its newline; "" if there is no such line."""
        return self._lines[line - 1] if 1 <= line <= len(self._lines) else ""

    def position(self, line: int, column: int) -> types.Position:
        """The client's position of a character."""
        return types.Position(line - 1, self._width(self[line][: column - 1]))

    def end(self, line: int) -> types.Position:
        """The client's position of the end of a line."""
        return types.Position(line - 1, self._width(self[line]))

    def character(self, position: types.Position) -> tuple[int, int]:
        """Line and column of a client's position; a position within a character is that character's."""
        text = self[position.line + 1]
        if self._units is None:
            return position.line + 1, min(position.character, len(text)) + 1
        encoding, size = self._units
        before = text.encode(encoding, "surrogatepass")[: position.character * size]
        return position.line + 1, len(before.decode(encoding, "ignore")) + 1

    def _width(self, text: str) -> int:
        if self._units is None or text.isascii():
            return len(text)
        encoding, size = self._units
        return len(text.encode(encoding, "surrogatepass")) // size
