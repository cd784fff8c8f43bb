"""The blocks of Python in Markdown."""

from __future__ import annotations

import pytest

from jitlint.source.markdown import code_blocks


@pytest.mark.parametrize(
    "info",
    [
        "python",
        "py",
        "Python",
        "python3",
        "ipython3",
        " python ",
        'py title="a.py" hl_lines="1"',
        "{python}",
        "{.python}",
        "{python, echo=FALSE}",
        "{ .py .annotate }",
        "{code-cell} ipython3",
        "{code-cell}",
        "{code-block} python",
        "python tags=[]",
        "pycon",
    ],
)
def test_words_that_say_python(info: str) -> None:
    (block,) = code_blocks(f"text\n```{info}\nx = 1\n```\n")
    assert block == (3, ("x = 1",), (0,))


@pytest.mark.parametrize(
    "info", ["", "bash", "console", "pythonic", "{code-cell} julia", "{code-block}", "r", "{r}", "text python", "c++"]
)
def test_words_that_say_something_else(info: str) -> None:
    assert not list(code_blocks(f"```{info}\nx = 1\n```\n"))


def test_fences_close_with_their_own_kind() -> None:
    nested = "````md\n```python\nx = 1\n```\n````\n~~~python\na\n```\nb\n~~~~\n```python\nopen\n"
    assert [(block.first, block.lines) for block in code_blocks(nested)] == [(7, ("a", "```", "b")), (12, ("open", ""))]
    assert not list(code_blocks("`` `python` ``\n```inline``` python\n"))


def test_lines_are_moved_by_what_stands_before_the_fence() -> None:
    (listed,) = code_blocks("- a\n\n  ```python\n  if x:\n      y\n\n z\n  ```\n")
    assert listed == (4, ("if x:", "    y", "", "z"), (2, 2, 0, 1))
    (quoted,) = code_blocks("> ```python\n> if x:\n>     y\n> ```\n")
    assert quoted == (2, ("if x:", "    y"), (2, 2))


def test_options_of_directives_are_no_code() -> None:
    (block,) = code_blocks("```{code-cell} ipython3\n:tags: [hide-input]\n:name: a\n\nx = 1\n```\n")
    assert block.lines == ("", "", "", "x = 1")
    (block,) = code_blocks("```{code-cell}\n---\ntags: [a]\n---\nx = 1\n```\n")
    assert block.lines == ("", "", "", "x = 1")
