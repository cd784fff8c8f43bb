"""Which names are bound where."""

from __future__ import annotations

import libcst as cst
import pytest

from jitlint.fixes.bindings import assigned, bound_before, bound_in_loops, bound_outside, local_name, read_below
from jitlint.fixes.tree import Tree, walk

FUNCTION = """
def around(a, *, b=1):
    global outer
    if a:
        c = 1
    else:
        with a as (d, e):
            def inner(z):
                hidden = z
        for i in a:
            late = 0
            while HERE:
                f, (g, *h) = a
            i.attribute = late
            later = f
    below(k=after)
"""
TREE = Tree("a.py", FUNCTION)
HERE = next(node for node in walk(TREE.module) if isinstance(node, cst.While))


def test_names_are_bound_on_the_way_to_a_statement() -> None:
    assert bound_before(TREE, HERE) == {"a", "b", "d", "e", "inner", "i", "late"}


def test_a_loop_around_may_have_bound_more() -> None:
    assert bound_in_loops(TREE, HERE) == {"i", "late", "f", "g", "h", "later"}


def test_names_are_read_below_and_in_the_loop_around() -> None:
    read = read_below(TREE, HERE)
    assert {"below", "after", "late", "i", "f"} <= read
    assert read.isdisjoint({"c", "hidden", "g", "HERE"})


def test_names_of_scopes_around_are_declared() -> None:
    assert bound_outside(TREE, HERE) == {"outer"}


def test_a_new_name_is_none_of_the_function() -> None:
    assert local_name(TREE, HERE, "body", "loop_body") == "body"
    assert local_name(TREE, HERE, "late", "hidden") == "hidden_2"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x = y = 1", ["x", "y"]),
        ("(a, [b, *c]), d.e, f[0] = g", ["a", "b", "c"]),
        ("x += 1", ["x"]),
        ("x: int = 1", ["x"]),
        ("import a.b, c as d", ["a", "d"]),
        ("use(n := 1)", ["n"]),
        ("def f(x):\n    y = x", ["f"]),
        ("f = lambda: (x := 1)", ["f"]),
    ],
)
def test_statements_bind_names(text: str, names: list[str]) -> None:
    assert list(assigned(Tree("a.py", text).module.body)) == names
