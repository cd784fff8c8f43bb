"""Comments that leave findings out."""

from __future__ import annotations

import pytest

from jitlint.source.pragmas import Pragmas, read_pragmas


@pytest.mark.parametrize(
    ("comment", "suppressed", "shown"),
    [
        ("# noqa", "JIT101 JIT601", ""),
        ("# NoQA", "JIT101", ""),
        ("# noqa: JIT101", "JIT101", "JIT102"),
        ("# noqa:JIT101,E501", "JIT101", "JIT501"),
        ("# noqa: E501 JIT101", "JIT101", "JIT102"),
        ("# noqa: JIT1", "JIT101 JIT110", "JIT201"),
        ("# noqa: jit101", "JIT101", "JIT102"),
        ("# noqa: E501", "", "JIT101"),
        ("# fine  # noqa: JIT101  # really", "JIT101", "JIT102"),
        ("# jitlint: ignore[JIT101] n is a Python int", "JIT101", "JIT102"),
        ("# jitlint:ignore[JIT101, JIT2]", "JIT101 JIT203", "JIT301"),
        ("# jitlint: ignore", "JIT101", ""),
        ("# jitlint: ignored[JIT101]", "", "JIT101"),
        ("# jitlint: ignore[", "", "JIT101"),
        ("# type: ignore", "", "JIT101"),
    ],
)
def test_a_comment_suppresses_its_codes_on_its_line(comment: str, suppressed: str, shown: str) -> None:
    pragmas = read_pragmas(f"x = 1\nif x:  {comment}\n    y = 2\n")
    assert all(pragmas.suppresses(code, (2, 2)) for code in suppressed.split())
    assert not any(pragmas.suppresses(code, (2, 2)) for code in shown.split())
    assert not pragmas.suppresses("JIT101", (1, 1))
    assert not pragmas.suppresses("JIT101", (3, 3))


def test_the_first_and_the_last_line_count() -> None:
    pragmas = read_pragmas("if (\n    x  # noqa\n):\n    pass\n")
    assert pragmas.suppresses("JIT101", (1, 2))
    assert pragmas.suppresses("JIT101", (2, 3))
    assert not pragmas.suppresses("JIT101", (1, 3))


def test_noqa_can_be_left_to_flake8() -> None:
    pragmas = read_pragmas("a  # noqa\nb  # jitlint: ignore[JIT1]\n")
    assert not pragmas.suppresses("JIT101", (1, 1), noqa=False)
    assert pragmas.suppresses("JIT101", (2, 2), noqa=False)


def test_skip_file_suppresses_everything() -> None:
    assert read_pragmas("x = 1\n# jitlint: skip-file\n").suppresses("JIT101", (1, 1))


def test_strings_are_no_comments() -> None:
    assert read_pragmas("x = '# noqa'\ny = '''\n# jitlint: skip-file\n'''\n") == Pragmas()


@pytest.mark.parametrize("broken", ["x = (\n", "  x\n y\n", "'''\n", "x = $\n"])
def test_comments_are_read_in_text_that_is_not_python(broken: str) -> None:
    assert read_pragmas(f"a = 1  # noqa: JIT101\n{broken}").suppresses("JIT101", (1, 1))


def test_comments_are_read_after_text_that_is_not_python() -> None:
    assert read_pragmas("if x:\n    a\n  b\nc  # noqa: JIT101\n").suppresses("JIT101", (4, 4))
