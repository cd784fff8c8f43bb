"""Axes that are named in strings: the dimensions of jaxtyping annotations, the patterns of einops."""

from __future__ import annotations

import re

from jitlint import ir
from jitlint.analysis.values.outside import External

_DTYPES = (
    ("Bool", "bool"),
    ("Int", "int"),
    ("UInt", "int"),
    ("Float", "float"),
    ("Complex", "complex"),
    ("Key", "key"),
    ("PRNGKey", "key"),
)
"""What the names begin with, and the dtype kind that they mean."""

_SCALARS = frozenset({"Scalar", "ScalarLike"})
_NO_ARRAYS = frozenset({"PyTree", "PyTreeDef", "AbstractArray", "AbstractDtype"})


class DeclaredArray(External):
    """An annotation of jaxtyping that means an array of a dtype kind and a rank, each None if it leaves them open."""

    __slots__ = ("dtype", "rank")

    def __init__(self, name: str, dtype: str | None, rank: int | None) -> None:
        super().__init__(name)
        self.dtype = dtype
        self.rank = rank


def declared_array(name: str, item: ir.Expr | None = None) -> DeclaredArray | None:
    """The array that `jaxtyping.Float[Array, "b 3"]` means (`item`: what stands in brackets); None if it means none."""
    kind = name.removeprefix("jaxtyping.")
    if kind == name or kind in _NO_ARRAYS:
        return None
    dtype = next((dtype for prefix, dtype in _DTYPES if kind.startswith(prefix)), None)
    rank = 0 if kind in _SCALARS else None
    if isinstance(item, ir.Display) and len(item.elements) == 2 and isinstance(item.elements[1], ir.Const):
        rank = rank_of_dimensions(str(item.elements[1].value))
    return DeclaredArray(name, dtype, rank)


def rank_of_dimensions(text: str) -> int | None:
    """The rank that jaxtyping's dimensions ("batch #n 3", "*batch 3", "") stand for; None if it is open."""
    names = text.split()
    return None if any("..." in name or "*" in name[:3] for name in names) else len(names)


def rank_of_pattern(pattern: str) -> int | None:
    """The rank of what an einops pattern ("b (h w) c -> b h w c") gives; None if it is open."""
    result = re.sub(r"\([^()]*\)", "group", pattern.rpartition("->")[2])
    return None if "..." in result or "*" in result else len(result.split())
