"""Positions: the protocol's (from 0, in units that the client chose) and jitlint's (from 1, in characters)."""

from __future__ import annotations

import re

from lsprotocol import types

_ENDS = re.compile(r"\r\n|\r|\n")
_UNITS = {types.PositionEncodingKind.Utf8: ("utf-8", 1), types.PositionEncodingKind.Utf16: ("utf-16-le", 2)}
"""What a character is encoded with, and the bytes of one unit; without an entry, a character is a unit."""


class Lines:
    """A text's lines, as editors count them."""

    def __init__(self, text: str, encoding: types.PositionEncodingKind | str) -> None:
        """
        Args:
            text: the whole text, with any newlines.
            encoding: what the client counts columns in.
        """
        self._lines = _ENDS.split(text)
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self._units = _UNITS.get(types.PositionEncodingKind(encoding))

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, line: int) -> str:
        """A line, counted from 1, without its end; "" where there is none."""
        return self._lines[line - 1] if 1 <= line <= len(self._lines) else ""

    def position(self, line: int, column: int) -> types.Position:
        """Where a character is, for the client."""
        return types.Position(line - 1, self._width(self[line][: column - 1]))

    def end(self, line: int) -> types.Position:
        """The end of a line, for the client."""
        return types.Position(line - 1, self._width(self[line]))

    def character(self, position: types.Position) -> tuple[int, int]:
        """Line and column of a position of the client's; of one within a character, that character's."""
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
