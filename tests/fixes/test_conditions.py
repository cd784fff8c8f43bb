"""Conditions of Python as conditions on arrays."""

from __future__ import annotations

import libcst as cst
import pytest

from jitlint.events.event import Event, EventKind
from jitlint.fixes.conditions import PythonOnlyError, guarded, on_arrays, on_arrays_as_bool
from jitlint.fixes.site import Site
from jitlint.fixes.tree import Tree, walk
from jitlint.source.places import Place

CODE = "import jax.numpy as jnp\nSIZES = (1, 2)\ndef f(x, y, xs):\n    done = x > 0\n    if {}:\n        pass\n"


def asked(condition: str) -> tuple[cst.BaseExpression, Site]:
    """A condition of an `if`, and the site of its event."""
    tree = Tree("a.py", CODE.format(condition))
    test = next(node.test for node in walk(tree.module) if isinstance(node, cst.If))
    event = Event(EventKind.BOOL, Place("a.py", 5, 8, 5, 8 + len(condition)), "if")
    return test, Site(event, lambda path: tree)


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("x > 0", "x > 0"),
        ("x > 0 and not y", "jnp.logical_and(x > 0, jnp.logical_not(y))"),
        ("0 < x <= y", "jnp.logical_and(0 < x, x <= y)"),
        ("bool(x == y or x != y)", "jnp.logical_or(x == y, x != y)"),
        ("x in (1, y)", "jnp.logical_or(x == 1, x == y)"),
        ("x not in SIZES", "jnp.logical_not(jnp.isin(x, jnp.asarray(SIZES)))"),
        ("x in xs", "jnp.isin(x, jnp.asarray(xs))"),
        ("done is False", "jnp.logical_not(done)"),
        ("all([x > 0, y])", "jnp.all(jnp.array([x > 0, y]))"),
        ("any(each > 0 for each in xs)", "jnp.any(jnp.array([each > 0 for each in xs]))"),
        ("x < xs.shape[0]", "x < xs.shape[0]"),
        ("(x\n        + y > 0)", "x + y > 0"),
    ],
)
def test_a_condition_has_a_form_for_arrays(condition: str, text: str) -> None:
    assert on_arrays(*asked(condition)) == text


@pytest.mark.parametrize(
    "condition",
    [
        "x is None",
        "x > 0 and isinstance(y, tuple)",
        "len(xs) > 2 or x > 0",
        "x.ndim == 2 and x > 0",
        "y == 'left'",
        "x in xs and y",
        "x in {**y}",
        "any([*xs, x])",
        "x < (z := y) < 3",
    ],
)
def test_what_asks_about_python_objects_has_none(condition: str) -> None:
    with pytest.raises(PythonOnlyError):
        on_arrays(*asked(condition))


@pytest.mark.parametrize(
    ("condition", "text"),
    [("x", "x != 0"), ("x % 2", "x % 2 != 0"), ("done", "done"), ("jnp.isnan(x)", "jnp.isnan(x)")],
)
def test_numbers_become_booleans_where_these_are_needed(condition: str, text: str) -> None:
    assert on_arrays_as_bool(*asked(condition)) == text


@pytest.mark.parametrize(
    ("condition", "first", "rest"),
    [
        ("x is not None and x > 0", "x is not None", "x > 0"),
        ("x is not None and xs.ndim == 1 and x > 0 and y > 0", "x is not None and xs.ndim == 1", "x > 0 and y > 0"),
        ("x > 0 and y is None", "", "x > 0 and y is None"),
        ("x is None or x > 0", "", "x is None or x > 0"),
    ],
)
def test_what_python_is_asked_first_is_told_from_the_rest(condition: str, first: str, rest: str) -> None:
    test, site = asked(condition)
    guard, others = guarded(test, site)
    assert (guard, site.tree.code(others)) == (first, rest)
