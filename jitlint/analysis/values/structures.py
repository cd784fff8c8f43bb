"""Comparisons of the structures of pytrees: `jax.tree.structure(a) != jax.tree.structure(b)`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from jitlint.analysis.values import NEVER, Array, Dict, Instance, List, TreeStructure, Tuple, Value, is_none


def differ(left: Value, right: Value) -> bool:
    """Whether two values are structures of trees that surely differ."""
    if not isinstance(left, TreeStructure) or not isinstance(right, TreeStructure):
        return False
    return _trees_differ(left.tree, right.tree)


def _trees_differ(one: Value, other: Value) -> bool:
    kinds = _kind(one), _kind(other)
    if None in kinds or kinds[0] != kinds[1]:
        return None not in kinds
    parts, others = _parts(one), _parts(other)
    if parts is None or others is None:
        return False
    return parts.keys() != others.keys() or any(_trees_differ(part, others[key]) for key, part in parts.items())


def _kind(tree: Value) -> Hashable:
    """What tells a node or leaf from others; None if that is not known. An object may be of a subclass."""
    if isinstance(tree, Tuple):
        return "tuple", tree.cls
    if isinstance(tree, List):
        return tree.kind
    if isinstance(tree, Instance):
        return None if tree.guessed else "object"
    known = {"None": is_none(tree), "leaf": isinstance(tree, Array), "dict": isinstance(tree, Dict)}
    return next((kind for kind, fits in known.items() if fits), None)


def _parts(tree: Value) -> Mapping[object, Value] | None:
    """The parts of a node; None if they are not all known. Lists may have got longer elsewhere."""
    if isinstance(tree, Tuple):
        return dict(enumerate(tree.elements))
    if isinstance(tree, Dict) and tree.rest is NEVER and not tree.unsure and not tree.maybe:
        return tree.entries
    return None
