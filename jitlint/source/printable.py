"""Text from outside, such as paths, lines of source and messages, as it may be printed.

A terminal obeys control characters: they change its title, hide lines, or paste what it never showed. Each is printed
as one visible character instead, so that columns stay where they are.
"""

from __future__ import annotations

import re

_BEYOND_ASCII = "\x80-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""A second set of control characters, and what changes the direction of text or ends a line."""
_VISIBLE = {number: chr(0x2400 + number) for number in range(32) if chr(number) not in "\t\n"} | {0x7F: "␡"}
_REPLACED = re.compile(f"[{_BEYOND_ASCII}]")
_RAW_IN_JSON = re.compile(f"[\x7f{_BEYOND_ASCII}]")


def printable(text: str) -> str:
    """A text of one or more lines, without any control characters."""
    return _REPLACED.sub("\ufffd", text.translate(_VISIBLE))


def printable_line(text: str) -> str:
    """A text that takes one line: a newline in it is printed as a space."""
    return printable(text).replace("\n", " ")


def printable_path(path: str) -> str:
    """A path. If it looks like a command to GitHub's runner at the beginning of a line, it gets a folder in front."""
    shown = printable(path).replace("\n", "␊")
    return f"./{shown}" if shown.startswith("::") else shown


def printable_json(text: str) -> str:
    """JSON that stays the same, without the control characters that JSON allows in strings."""
    return _RAW_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
