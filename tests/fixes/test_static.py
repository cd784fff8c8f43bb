"""The edit that makes an argument static; what an editor offers of it is in tests/lsp/test_actions.py."""

from __future__ import annotations

import pytest

from jitlint.fixes.edits.control_flow.static import made_static
from jitlint.fixes.tree import Tree
from jitlint.source.places import LineTable, Place, Span

STEP = "def step(x, n):\n    return x * n\n"


def edited(text: str, applied: str) -> str | None:
    """The text with `n` of `step` made static where a transform is applied."""
    start = text.index(applied)
    place = LineTable(text).place("a.py", Span(start, start + len(applied)))
    return made_static(Tree("a.py", text), place, "step", "n")


@pytest.mark.parametrize(
    ("decorator", "after"),
    [
        ("partial(jax.jit, inline=True)", 'partial(jax.jit, inline=True, static_argnames="n")'),
        ('partial(jax.jit, static_argnames="m")', 'partial(jax.jit, static_argnames=("m", "n"))'),
        ('partial(jax.jit, static_argnames=["m",],)', 'partial(jax.jit, static_argnames=["m", "n"],)'),
        ("partial(jax.jit, static_argnums=0)", "partial(jax.jit, static_argnums=(0, 1))"),
        ("jax.jit", 'partial(jax.jit, static_argnames="n")'),
    ],
)
def test_a_decorator_names_the_argument(decorator: str, after: str) -> None:
    text = "from functools import partial\nimport jax\n\n\n@{}  # fast\n" + STEP
    assert edited(text.format(decorator), decorator) == text.format(after)


def test_partial_is_imported_if_it_is_not_there() -> None:
    assert edited("import jax\n\n@jax.jit\n" + STEP, "jax.jit") == (
        'import jax\nfrom functools import partial\n\n@partial(jax.jit, static_argnames="n")\n' + STEP
    )


def test_a_call_that_names_the_function_names_the_argument() -> None:
    text = STEP + "\nfast = jax.jit(step)  # fast\n"
    assert edited(text, "jax.jit(step)") == STEP + '\nfast = jax.jit(step, static_argnames="n")  # fast\n'


@pytest.mark.parametrize(
    ("text", "applied"),
    [
        ("partial = 3\n@jax.jit\n" + STEP, "jax.jit"),
        ("@partial(jax.jit, static_argnums=k)\n" + STEP, "partial(jax.jit, static_argnums=k)"),
        ("@partial(jax.jit, **options)\n" + STEP, "partial(jax.jit, **options)"),
        ("@partial(jax.jit, static_argnames=names)\n" + STEP, "partial(jax.jit, static_argnames=names)"),
        ("@partial(jax.jit, static_argnames=[m])\n" + STEP, "partial(jax.jit, static_argnames=[m])"),
        ("@jax.jit\ndef step(x):\n    return x\n", "jax.jit"),
        (STEP + STEP + "fast = jax.jit(step)\n", "jax.jit(step)"),
        (STEP + "fast = jax.jit(other)\n", "jax.jit(other)"),
        (STEP + "fast = jax.jit(*steps)\n", "jax.jit(*steps)"),
    ],
)
def test_what_is_not_certain_is_not_edited(text: str, applied: str) -> None:
    assert edited(text, applied) is None


def test_a_place_where_nothing_is_applied_is_not_edited() -> None:
    assert made_static(Tree("a.py", STEP), Place("a.py", 1, 1, 1, 4), "step", "n") is None
