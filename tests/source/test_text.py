"""Reading files: encodings, newlines, and what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from jitlint.source.text import SourceError, decode, read_source


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"a = 1\r\nb = 2\r\n", "a = 1\nb = 2\n"),
        (b"a = 1\rb = 2\r", "a = 1\nb = 2\n"),
        (b"\xef\xbb\xbfa = 1\n", "a = 1\n"),
        ("# ünï\n".encode(), "# ünï\n"),
        ("# coding: latin-1\na = 'é'\n".encode("latin-1"), "# coding: latin-1\na = 'é'\n"),
        ("#!/usr/bin/python\n# -*- coding: cp1252 -*-\n'€'\n".encode("cp1252"), None),
    ],
)
def test_text_is_decoded_as_python_would(data: bytes, text: str | None) -> None:
    decoded = decode(data)
    assert text is None or decoded == text
    assert "\r" not in decoded and "\ufeff" not in decoded
    assert text is not None or "'€'" in decoded


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"# coding: no-such-thing\n", "unknown encoding: no-such-thing"),
        (b"a = 1\nb = '\xff'\n", "line 2 is not valid utf-8"),
        ("a = 1\n".encode("utf-16"), "encoding"),
        (b"a = 1\nb = 2\0\n", "line 2 contains a NUL byte"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "encoding problem"),
        (b"# coding: rot13\na = 1\n", "not a text encoding"),
        (b"# coding: utf-7\n+AGE- = '+'\n# +//\n", "is not valid utf-7"),
    ],
)
def test_what_is_no_text_is_said_with_a_remedy(data: bytes, words: str) -> None:
    with pytest.raises(SourceError) as raised:
        decode(data)
    assert words in str(raised.value)
    assert ";" in str(raised.value)


def test_a_missing_file_and_a_folder_are_errors(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file or directory; check the spelling"):
        read_source(tmp_path / "missing.py", "missing.py")
    with pytest.raises(SourceError, match="not a regular file"):
        read_source(tmp_path, "folder")
