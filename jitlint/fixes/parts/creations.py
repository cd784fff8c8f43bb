"""Where a transform is applied to something new: what that is, what it needs, and where it is called."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import libcst as cst

from jitlint.fixes.scopes import bindings, free_names, scope_of, targets_of, uses
from jitlint.fixes.site import Site
from jitlint.fixes.tree import Statement, Tree, walk

_DIFFERENTIATING = frozenset(
    f"jax.{name}"
    for name in ("grad", "value_and_grad", "jacfwd", "jacrev", "jacobian", "hessian", "checkpoint", "remat", "jit")
)
"""Transforms that hand on all arguments after the first."""
_HARMLESS = frozenset(
    {"has_aux", "static_argnums", "static_argnames", "donate_argnums", "donate_argnames", "inline", "keep_unused"}
)
"""Options that mean the same if the function takes one more argument."""


@dataclass(frozen=True, slots=True)
class Creation:
    """A transformed function that is made anew each time.

    Attributes:
        node: the call of the transform, or the definition with the transform as decorator.
        statement: the statement that binds the transformed function to a name; None if it is called at once.
        name: that name, or "".
    """

    node: cst.Call | cst.FunctionDef
    statement: Statement | None = None
    name: str = ""


def creation_at(site: Site) -> Creation | None:
    """What is created at the place of an event."""
    tree = site.tree
    for node in tree.nodes_at(site.event.place):
        parent = next(tree.parents(node), None)
        if isinstance(parent, cst.Decorator):
            function = tree.around(parent, cst.FunctionDef)
            alone = function is not None and len(function.decorators) == 1
            return Creation(function, function, function.name.value) if function is not None and alone else None
        if isinstance(node, cst.Call):
            return _of_call(tree, node)
    return None


def _of_call(tree: Tree, call: cst.Call) -> Creation:
    parents = tree.parents(call)
    match next(parents), next(parents, None):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]), cst.SimpleStatementLine() as line:
            if len(line.body) == 1:
                return Creation(call, line, name)
    return Creation(call)


@dataclass(slots=True)
class Needs:
    """What a creation needs from where it stands.

    Attributes:
        makers: statements there that make functions that it needs, and that can move with it.
        varying: other names that are bound there.
    """

    makers: list[Statement] = field(default_factory=list)
    varying: set[str] = field(default_factory=set)


def needs(site: Site, node: cst.CSTNode, own: str, bound: Collection[str], container: cst.CSTNode) -> Needs:
    """What must move with an expression or statement out of a container that binds names."""
    found = Needs()
    waiting: list[cst.CSTNode] = [node]
    seen = {own}
    while waiting:
        for name in sorted(free_names(waiting.pop()) & set(bound) - seen):
            seen.add(name)
            maker = _maker(site, name, container)
            if maker is None:
                found.varying.add(name)
            else:
                found.makers.append(maker)
                waiting.append(maker)
    found.makers.sort(key=site.tree.line)
    return found


def _maker(site: Site, name: str, container: cst.CSTNode) -> Statement | None:
    """The only statement in a container that binds a name, if it makes a function and does nothing else."""
    if binding_count(container, name) != 1:
        return None
    for node in walk(container):
        match node:
            case cst.FunctionDef(name=cst.Name(value=found), asynchronous=None) if found == name:
                return node
            case cst.SimpleStatementLine(
                body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=found))], value=value)]
            ) if found == name:
                return node if _makes_function(site, value) else None
    return None


def binding_count(container: cst.CSTNode, name: str) -> int:
    """How often code binds a name, in the functions within it, too; a parameter counts."""
    found: list[str] = []
    if not isinstance(container, (cst.FunctionDef, cst.Lambda)):
        found += bindings(container)
    for node in walk(container):
        if isinstance(node, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            found += bindings(node.body)
        elif isinstance(node, cst.Param):
            found.append(node.name.value)
        elif isinstance(node, (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)):
            found += targets_of(node)
    return found.count(name)


def _makes_function(site: Site, value: cst.BaseExpression) -> bool:
    if isinstance(value, cst.Lambda):
        return True
    name = site.names.qualified(value.func) if isinstance(value, cst.Call) else ""
    return name == "functools.partial" or name in _DIFFERENTIATING or name in ("jax.vmap", "jax.pmap")


def transformed(site: Site, creation: Creation) -> cst.BaseExpression | None:
    """What a chain of transforms such as `jax.jit(jax.grad(…))` is applied to, if all of them hand on any arguments
    that come after its first."""
    node: cst.BaseExpression | None = creation.node if isinstance(creation.node, cst.Call) else None
    while isinstance(node, cst.Call) and site.names.qualified(node.func) in _DIFFERENTIATING:
        options = [arg.keyword.value for arg in node.args if arg.keyword is not None]
        positional = [arg for arg in node.args if arg.keyword is None]
        if len(positional) != 1 or positional[0].star or not set(options) <= _HARMLESS:
            return None
        node = positional[0].value
    return node


def calls_of(site: Site, creation: Creation, container: cst.CSTNode) -> list[cst.Call] | None:
    """The calls of what is created, if that is all that is done with it, in the container and its own function."""
    tree = site.tree
    if creation.statement is None:
        parent = next(tree.parents(creation.node))
        return [parent] if isinstance(parent, cst.Call) and parent.func is creation.node else None
    scope = scope_of(tree, creation.statement)
    found: list[cst.Call] = []
    for use in uses(scope, creation.name):
        parent = next(tree.parents(use))
        if parent is creation.node or isinstance(parent, cst.AssignTarget):
            continue
        if not isinstance(parent, cst.Call) or parent.func is not use or tree.function(parent) is not scope:
            return None
        if container not in tree.parents(parent):
            return None
        found.append(parent)
    return found


def name_for(call: cst.Call, site: Site) -> str:
    """A name for what a transform makes of a function: `jitted_step`, `loss_grad`."""
    words = list(_words(call, site))
    return "_".join(words) if words and words != ["jitted"] else "jitted_function"


def _words(node: cst.BaseExpression, site: Site) -> Iterator[str]:
    match node:
        case cst.Call(args=[first, *_]):
            transform = site.names.qualified(node.func).rpartition(".")[2]
            inner = list(_words(first.value, site))
            if transform == "jit":
                yield from inner if len(inner) > 1 else ["jitted", *inner]
            elif transform in ("grad", "value_and_grad", "hessian", "vmap") and inner:
                yield from [*inner, "and_grad" if transform == "value_and_grad" else transform]
            elif transform == "partial":
                yield from inner
        case cst.Lambda(body=cst.Call(func=cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)))):
            yield name
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
            yield name.strip("_")
