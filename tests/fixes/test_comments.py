"""Comments that leave findings out, written and removed."""

from __future__ import annotations

import sys

import pytest

from jitlint.fixes.comments import removing, suppressing
from jitlint.fixes.edit import Fix
from jitlint.source.pragmas import suppressions


def edited(text: str, fix: Fix | None) -> str | None:
    """The text with a fix of one edit within one line."""
    if fix is None:
        return None
    ((place, replacement),) = fix.edits
    lines = text.split("\n")
    line = lines[place.line - 1]
    assert place.path == "a.py" and place.end_line == place.line
    lines[place.line - 1] = line[: place.column - 1] + replacement + line[place.end_column - 1 :]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("if x:\n    y", "if x:  # jitlint: ignore[JIT101] TODO: why\n    y"),
        ("if x:  # why\n    y", "if x:  # why  # jitlint: ignore[JIT101] TODO: why\n    y"),
        ("if x:  # jitlint: ignore[JIT2] why\n    y", "if x:  # jitlint: ignore[JIT2, JIT101] why\n    y"),
        ("if x > \\\n 2:\n    y", "if x > \\\n 2:  # jitlint: ignore[JIT101] TODO: why\n    y"),
        ('if len("""\n"""):\n    y', 'if len("""\n"""):  # jitlint: ignore[JIT101] TODO: why\n    y'),
        ('if "# jitlint: ignore[]":\n    y', 'if "# jitlint: ignore[]":  # jitlint: ignore[JIT101] TODO: why\n    y'),
    ],
)
def test_a_code_is_left_out_on_the_first_line_that_can_have_a_comment(text: str, after: str) -> None:
    fix = suppressing("a.py", text, (1, 2), "JIT101")
    assert fix is not None and fix.message == "Leave out JIT101 here, with a reason"
    assert edited(text, fix) == after


@pytest.mark.parametrize("text", ['x = """\n\n"""', "x = 1 + \\\n  \\\n  2", "x = (\n"])
def test_where_no_comment_can_stand_none_is_written(text: str) -> None:
    assert suppressing("a.py", text, (1,), "JIT101") is None


@pytest.mark.skipif(sys.version_info < (3, 12), reason="before, the tokenizer gives format strings as a whole")
def test_a_line_that_ends_within_a_format_string_has_no_comment() -> None:
    assert suppressing("a.py", 'x = f"""\n{y}\n"""', (1, 2), "JIT101") is None


def test_a_comment_is_removed_with_the_space_before_it() -> None:
    text = "x = 1   # jitlint: ignore[JIT101] no more\ny = 2"
    (comment,) = suppressions(text)
    fix = removing("a.py", text, comment)
    assert fix.message == "Remove the comment"
    assert edited(text, fix) == "x = 1\ny = 2"
