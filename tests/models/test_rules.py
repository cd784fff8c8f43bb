"""The language of the models' rules."""

from __future__ import annotations

import pytest

from jitlint.models.rules import result_kind, result_rank

KINDS = {"b": "bool", "i": "int", "f": "float", "c": "complex", "n": "number"}
RANKS = {"a": 3, "b": 2, "v": 1, "len(shape)": 2}


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ("float", "float"),
        ("kind(i)", "int"),
        ("iifc(b)", "int"),
        ("bifc(b, f)", "float"),
        ("biff(c)", "float"),
        ("iifc(unknown)", None),
        ("fffc(unknown)", "float"),
        ("bifc(unknown, f)", "float"),
        ("bifc(unknown, c)", "complex"),
        ("iifc(n)", None),
        ("fffc(n)", "float"),
        ("..fc(i)", None),
        ("?", None),
    ],
)
def test_kinds(rule: str, kind: str | None) -> None:
    assert result_kind(rule, KINDS.get) == kind


@pytest.mark.parametrize(
    ("rule", "rank"),
    [
        ("2", 2),
        ("a", 3),
        ("a-1", 2),
        ("b+1", 3),
        ("v-2", 0),
        ("len(shape)", 2),
        ("a-len(shape)", 1),
        ("max(a, b)", 3),
        ("max(b, v)+1", 3),
        ("like(b, v)", 2),
        ("matmul(a, b)", 3),
        ("matmul(a, v)", 2),
        ("matmul(v, v)", 0),
        ("max(a, unknown)", None),
        ("unknown-1", None),
        ("?", None),
    ],
)
def test_ranks(rule: str, rank: int | None) -> None:
    assert result_rank(rule, RANKS.get) == rank
