"""The rules by which models say what dtype and rank a result has, given those of the arguments.

Rules for kinds of dtype. The kinds are bool, int, float and complex, in the order of promotion (and key, apart):

float          always this kind
kind(dtype)    the kind that the argument `dtype` names
iifc(a, b)     a letter for each kind that `a` and `b` promote to: int for bool, int for int, float for float, complex
               for complex; `.` where the function refuses that kind

Rules for ranks:

2              always this rank
a              the rank of the argument `a`
len(shape)     the length of the argument `shape`; 1 for an integer
like(a, b)     the rank of the shape that `a` and `b` broadcast to
max(a, b), matmul(a, b), a+1, a-len(axis)

`?` stands for unknown. Of several options that are given, each with itself among the arguments of `like` or of what
kinds promote to, all count: `loc: like(x, loc), scale: like(x, scale)` becomes `like(x, loc, scale)`.
"""

from __future__ import annotations

from collections.abc import Callable

KINDS = ("bool", "int", "float", "complex")
UNKNOWN = "?"
_LETTERS = {kind[0]: kind for kind in KINDS}


def result_kind(rule: str, kind_of: Callable[[str], str | None]) -> str | None:
    """The kind of dtype that a rule gives; None if it cannot be told.

    An argument about which nothing is known counts as real: complex ones are rare.

    Args:
        rule: the rule.
        kind_of: the kind of an argument by its name; None if it is not known, "number" if it is at least an int.
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
    # An unknown argument can only promote further. The result is known if all kinds that may come of it give the same.
    least = max((KINDS.index(kind) for kind in known), default=int("number" in found))
    possible = {becomes[kind] for kind in KINDS[least : max(3, least + 1)]} - {None}
    return possible.pop() if len(possible) == 1 else None


def promoted(kinds: list[str]) -> str:
    """The kind that arguments of these kinds promote to."""
    return KINDS[max(map(KINDS.index, kinds))]


def result_rank(rule: str, rank_of: Callable[[str], int | None]) -> int | None:
    """The rank that a rule gives; None if it cannot be told.

    Args:
        rule: the rule.
        rank_of: the rank of an argument ("a"), or its length ("len(a)"); None if it is not known.
    """
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
