"""What else in a function must change when a value becomes an array of JAX: what it goes to on the host."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.host_calls import Conversion, with_jax, without_conversion
from jitlint.fixes.parts.nodes import Change, changed, outermost
from jitlint.fixes.scopes import targets
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, walk

_STATIC = frozenset({"shape", "ndim", "size", "dtype"})
_ADDING = frozenset({"append", "extend", "insert"})


def proposals(
    site: Site, message: str, seed: cst.BaseExpression, conversions: Mapping[cst.CSTNode, Conversion]
) -> Iterator[Proposal]:
    """The fix that changes with an expression what its value goes to on the host; then the fix without that.

    Args:
        site: the place that is fixed.
        message: what the edits do.
        seed: the expression.
        conversions: what becomes of it, and of parts of it.
    """
    found = _downstream(site, seed)
    if found:
        yield _proposal(site, f"{message}, and what it goes to", {**found, **conversions})
    yield _proposal(site, message, conversions)


def _proposal(site: Site, message: str, conversions: Mapping[cst.CSTNode, Conversion]) -> Proposal:
    """The fix that makes conversions; it is as safe as the least safe of them."""
    grade = Grade.SAFE if all(each.grade is Grade.SAFE for each in conversions.values()) else Grade.UNSAFE
    changes: dict[cst.CSTNode, Change] = {node: each.change for node, each in conversions.items()}
    new: dict[cst.CSTNode, Replacement] = {node: changed(node, changes) for node in outermost(site.tree, changes)}
    return site.proposal(message, grade, new)


def _downstream(site: Site, seed: cst.BaseExpression) -> dict[cst.CSTNode, Conversion]:
    """The conversions of all calls that the value of an expression goes to, and theirs, within the function."""
    functions = [each for each in site.tree.parents(seed) if isinstance(each, cst.FunctionDef)]
    scope = functions[-1].body if functions else site.tree.statement(seed)
    found: dict[cst.CSTNode, Conversion] = {}
    flow = _Flow(seed)
    while scope is not None and flow.grows(scope):
        for node in walk(scope):
            if isinstance(node, cst.Call) and node is not seed and node not in found and flow.is_given(node):
                conversion = _conversion(site, node)
                if conversion is not None:
                    found[node] = conversion
                    flow.add(node)
    return found


def _conversion(site: Site, call: cst.Call) -> Conversion | None:
    return with_jax(site, call, site.names.qualified(call.func)) or without_conversion(site, call)


class _Flow:
    """The expressions and the names that have a value."""

    def __init__(self, seed: cst.CSTNode) -> None:
        self._nodes = {id(seed)}
        self._names: set[str] = set()
        self._seen = -1

    def add(self, node: cst.CSTNode) -> None:
        """An expression that has the value, too."""
        self._nodes.add(id(node))

    def grows(self, scope: cst.CSTNode) -> bool:
        """Follows the value through assignments; whether more has it than at the last call."""
        for node in walk(scope):
            self._names |= set(self._bound(node))
        size = len(self._nodes) + len(self._names)
        more, self._seen = size > self._seen, size
        return more

    def _bound(self, node: cst.CSTNode) -> Iterator[str]:
        match node:
            case cst.Assign(value=value) if self._has(value):
                for each in node.targets:
                    yield from targets(each.target)
            case cst.AnnAssign(target=target, value=cst.BaseExpression() as value) if self._has(value):
                yield from targets(target)
            case cst.AugAssign(target=target, value=value) if self._has(value):
                yield from targets(target)
            case cst.NamedExpr(target=target, value=value) if self._has(value):
                yield from targets(target)
            case cst.For(target=target, iter=value) | cst.CompFor(target=target, iter=value) if self._has(value):
                yield from targets(target)
            case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=method)), args=args):
                if method in _ADDING and any(self._has(arg.value) for arg in args):
                    yield name

    def is_given(self, call: cst.Call) -> bool:
        """Whether the value is among a call's arguments, or what its method is called on."""
        receiver = [call.func.value] if isinstance(call.func, cst.Attribute) else []
        return any(self._has(each) for each in (*receiver, *(arg.value for arg in call.args)))

    def _has(self, node: cst.CSTNode) -> bool:
        if id(node) in self._nodes:
            return True
        match node:
            case cst.Name(value=name):
                return name in self._names
            case cst.Attribute(value=value, attr=cst.Name(value=name)):
                return name not in _STATIC and self._has(value)
            case cst.Call(func=cst.Name(value="len")):
                return False
            case cst.Call(func=func, args=args):
                receiver = [func.value] if isinstance(func, cst.Attribute) else []
                return any(map(self._has, (*receiver, *(arg.value for arg in args))))
            case cst.Lambda():
                return False
        return any(map(self._has, node.children))
