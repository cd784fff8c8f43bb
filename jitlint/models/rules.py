"""The small language in which models say what the kind and rank of a result are, given those of the arguments.

Kinds of dtypes, each giving way to the next, are bool, int, float and complex (and key). A rule for kinds is a kind,
`kind(dtype)` (the kind that an argument names), or four letters and arguments: `iifc(a, b)` makes int of bool and int,
float of float, complex of complex, for what the arguments promote to; `.` is what the function refuses. A rule for
ranks is a number or built of an argument's rank (`a`), the length of a size (`len(shape)`: one for an integer), and
`max(a, b)`, `matmul(a, b)`, `+` and `-`; `like(a, b)` is the shape that these broadcast to. `?` is unknown.
"""

from __future__ import annotations

from collections.abc import Callable

KINDS = ("bool", "int", "float", "complex")
UNKNOWN = "?"
_LETTERS = {kind[0]: kind for kind in KINDS}


def result_kind(rule: str, kind_of: Callable[[str], str | None]) -> str | None:
    """The kind that a rule gives, from those of the arguments; None if it cannot be told.

    An argument of which nothing is known is taken to be real.
    """
    if rule == UNKNOWN:
        return None
    head, _, tail = rule.partition("(")
    if not tail:
        return rule
    found = [kind_of(name) for name in tail.removesuffix(")").split(", ")]
    if head == "kind":
        return found[0]
    becomes = {kind: _LETTERS.get(letter) for kind, letter in zip(KINDS, head, strict=True)}
    known = [kind for kind in found if kind in becomes]
    if len(known) == len(found):
        return becomes[promoted(known)]
    # what is not known can only promote further: sure where nothing that may come of it differs
    least = max((KINDS.index(kind) for kind in known), default=int("number" in found))
    possible = {becomes[kind] for kind in KINDS[least : max(3, least + 1)]} - {None}
    return possible.pop() if len(possible) == 1 else None


def promoted(kinds: list[str]) -> str:
    """The kind that arguments of these kinds promote to."""
    return KINDS[max(map(KINDS.index, kinds))]


def result_rank(rule: str, rank_of: Callable[[str], int | None]) -> int | None:
    """The rank that a rule gives, from the ranks (`a`) and lengths (`len(a)`) of arguments; None if it is not known."""
    if rule.isdigit():
        return int(rule)
    for sign, factor in (("-", -1), ("+", 1)):
        head, found, tail = rule.partition(sign)
        if found:
            left, right = result_rank(head, rank_of), result_rank(tail, rank_of)
            return None if left is None or right is None else max(left + factor * right, 0)
    head, found, tail = rule.partition("(")
    if not found or head == "len":
        return rank_of(rule)
    values = [rank_of(name) for name in tail.removesuffix(")").split(", ")]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    if head == "matmul":
        return sum(known) - 2 if min(known) == 1 else max(known)
    return max(known)
