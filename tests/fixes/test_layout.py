"""Long lines of edits become several."""

from __future__ import annotations

from jitlint.fixes.layout import wrapped

ONE, TWO, THREE = "first_" * 6, "second_" * 5, "third_" * 6


def test_a_short_line_stays() -> None:
    assert wrapped("x = jnp.where(a, b, c)", 4, "    ") == "x = jnp.where(a, b, c)"


def test_a_long_call_has_a_line_for_each_argument() -> None:
    line = f"return jnp.where({ONE}, {TWO}, other={THREE})"
    assert wrapped(line, 0, "  ") == f"return jnp.where(\n  {ONE},\n  {TWO},\n  other={THREE},\n)"


def test_so_has_a_long_call_within() -> None:
    inner = f"jnp.where(\n        {ONE},\n        {TWO},\n        {THREE},\n    )"
    assert (
        wrapped(f"x = f({ONE}, jnp.where({ONE}, {TWO}, {THREE}))", 0, "    ") == f"x = f(\n    {ONE},\n    {inner},\n)"
    )


def test_what_is_no_call_stays() -> None:
    for line in (f"x = {ONE} + {TWO} + {THREE}", f"f({ONE}, {TWO}, {THREE})", f"x = f({ONE}, {TWO}, *{THREE})"):
        assert wrapped(line, 0, "    ") == line
