"""Reads files of TOML, however wrong they are."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from jitlint.source.reading import SETTINGS_BYTES, read_file

_MOST_DOTS = 1_000
"""In one line: the time to read a key grows with the square of its parts."""


class TomlError(Exception):
    """A file is not valid TOML; the message says what is wrong with it, and where."""


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a file of TOML.

    Raises:
        OSError: it cannot be read.
        TomlError: it is not TOML.
    """
    data = read_file(path, SETTINGS_BYTES)
    try:
        text = data.decode()
        for number, line in enumerate(text.split("\n"), 1):
            if line.count(".") > _MOST_DOTS:
                raise TomlError(f"line {number} has more than {_MOST_DOTS:,} dots")
        return tomllib.loads(text)
    except UnicodeDecodeError as error:
        line_number = data.count(b"\n", 0, error.start) + 1
        raise TomlError(f"line {line_number} is not valid utf-8") from error
    except tomllib.TOMLDecodeError as error:
        raise TomlError(str(error)) from error
    except ValueError as error:
        raise TomlError("a number in it has too many digits") from error
    except RecursionError as error:
        raise TomlError("its values nest too deep") from error
