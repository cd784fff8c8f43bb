"""Axes that are named in strings: `Float[Array, "batch 3"]` of jaxtyping, `"b (h w) c -> b h w c"` of einops."""

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
"""How names of jaxtyping begin ("Float" as in "Float32"), and the dtype kind that they mean."""

_SCALARS = frozenset({"Scalar", "ScalarLike"})
"""Names of jaxtyping that mean an array of rank 0."""

_NO_ARRAYS = frozenset({"PyTree", "PyTreeDef", "AbstractArray", "AbstractDtype"})
"""Names of jaxtyping that mean no array of a dtype."""


class DeclaredArray(External):
    """An annotation of jaxtyping that means an array: `Float[Array, "batch 3"]` means dtype "float" and rank 2."""

    __slots__ = ("dtype", "rank")

    def __init__(self, name: str, dtype: str | None, rank: int | None) -> None:
        super().__init__(name)
        self.dtype = dtype
        """The dtype kind; None if the annotation leaves it open."""
        self.rank = rank
        """The rank; None if the annotation leaves it open."""


def declared_array(name: str, item: ir.Expr | None = None) -> DeclaredArray | None:
    """The array that an annotation means.

    Args:
        name: the annotation's qualified name: "jaxtyping.Float", or "jaxtyping.PyTree[]" of one with brackets.
        item: what stands in its brackets: `Array, "batch 3"`.

    Returns:
        None if the annotation is not jaxtyping's, or means no array.
    """
    kind = name.removeprefix("jaxtyping.").removesuffix("[]")
    if not name.startswith("jaxtyping.") or kind in _NO_ARRAYS:
        return None
    dtype = next((dtype for prefix, dtype in _DTYPES if kind.startswith(prefix)), None)
    rank = 0 if kind in _SCALARS else None
    if isinstance(item, ir.Display) and len(item.elements) == 2 and isinstance(item.elements[1], ir.Const):
        rank = rank_of_dimensions(str(item.elements[1].value))
    return DeclaredArray(name, dtype, rank)


def rank_of_dimensions(text: str) -> int | None:
    """The rank that jaxtyping's dimensions mean: 3 for "batch #n 3", 0 for "", None (open) for "*batch 3"."""
    names = text.split()
    return None if any("..." in name or "*" in name[:3] for name in names) else len(names)


def rank_of_pattern(pattern: str) -> int | None:
    """The rank of the result of an einops pattern: 4 for "b (h w) c -> b h w c", None (open) for "... c -> ..."."""
    result = re.sub(r"\([^()]*\)", "group", pattern.rpartition("->")[2])
    return None if "..." in result or "*" in result else len(result.split())
