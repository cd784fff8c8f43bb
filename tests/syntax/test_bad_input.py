"""Text that is no Python, or more than the parser can take."""

from __future__ import annotations

import pytest

from jitlint.syntax import SyntaxProblem, lower
from jitlint.syntax.from_cst.parsing import MAX_BRACKETS


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("x = 1\ndef f(:\n", 2, 7, "invalid syntax"),
        ("x = 'é\n", 1, 5, "unterminated string"),
        ("x = (\n", 1, 5, "never closed"),
        ("x = 1\ny = 0777\n", 2, 5, "leading zeros"),
        ("class A(metaclass=M, *b): pass\n\n\n1 +\n", 4, 4, "invalid syntax"),
        ("if x:\npass\n", 2, 1, "indented block"),
        ("ok = 1\na\0b\n", 2, 2, "NUL"),
        ("try: pass\nexcept: pass\nexcept A: pass\n", 2, 1, "must be last"),
        ("x = '\ud800'\n", 1, 1, "surrogates"),
        ("x = " + "(" * 500 + ")" * 500, 1, 5 + MAX_BRACKETS, "nested brackets"),
        ("f(')', " * 20_000, 1, 7 * MAX_BRACKETS + 2, "nested brackets"),
        ("[" * 100_000, 1, 1 + MAX_BRACKETS, "nested brackets"),
        ("x = " + " + ".join("a" * 21_000), 1, 1, "nested too deeply"),
    ],
)
def test_problems(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(SyntaxProblem, match=words) as caught:
        lower(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("strings", ["'a' b'b'", "b'' f'{x}'"])
def test_mixed_strings(strings: str) -> None:
    with pytest.raises(SyntaxProblem, match="mix bytes") as caught:
        lower(f"x = 1\ny = {strings}\n")
    assert caught.value.line == 2


@pytest.mark.parametrize("text", ["", "\n", "\f\n", "# only a comment", "\\\n\n", "  # c\n\n\t\n", "pass", "'doc'"])
def test_nothing_to_lower(text: str) -> None:
    assert lower(text).body == ()


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * (MAX_BRACKETS - 1) + "1" + ")" * (MAX_BRACKETS - 1),
        "x = " + " + ".join("a" * 1500),
        "x = " + "not " * 500 + "a",
        "x" + ".a" * 1500,
        "x" + "()" * 1500,
        "x = " + "lambda: " * 200 + "0",
        "if a: pass\n" + "elif b: pass\n" * 1500,
        "x = [" + "'(', " * 1000 + "]  # " + "{" * 300,
        "x = [" + "(1, {2: [3]}),\n" * 2_000 + "]",
    ],
    ids=["parentheses", "sum", "not", "attributes", "calls", "lambdas", "elif", "brackets in strings", "long table"],
)
def test_deep_and_long_code(text: str) -> None:
    assert len(lower(text).body) == 1
