"""Functions of NumPy, `math` and SciPy become those of `jax.numpy` and `jax.scipy` that mean the same."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.counterparts import counterpart
from jitlint.fixes.parts.downstream import proposals
from jitlint.fixes.parts.host_calls import with_jax, written
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import walk


def propose(site: Site) -> Iterator[Proposal]:
    """Calls the function of JAX that means the same."""
    qualified = site.event.construct
    call = site.tree.at(site.event.place, cst.Call)
    if call is None:
        return
    if _calls(site, call, qualified):
        conversion = with_jax(site, call, qualified)
        if conversion is not None:
            yield from proposals(site, "Compute with JAX, not on the host", call, {call: conversion})
    elif (reference := _reference(site, call, qualified)) is not None:
        found = counterpart(qualified, cst.Call(reference, [cst.Arg(cst.Name("_"))]))
        if found is not None and not found.suffix:
            new = cst.parse_expression(written(site, reference, found.name))
            yield site.proposal("Give the function of JAX, not one of the host", Grade.UNSAFE, {reference: new})


def _calls(site: Site, call: cst.Call, qualified: str) -> bool:
    """Whether a call names the function itself, and not something that holds it."""
    known = site.names.qualified(call.func)
    if known:
        return known == qualified
    return isinstance(call.func, cst.Attribute) and _dotted_end(call.func, qualified)


def _dotted_end(node: cst.Attribute, qualified: str) -> bool:
    """Whether an imported module's function is meant: a function imports the module itself."""
    return isinstance(node.value, cst.Name) and node.attr.value == qualified.rpartition(".")[2]


def _reference(site: Site, call: cst.Call, qualified: str) -> cst.BaseExpression | None:
    """Where the function is given to what calls it: among the arguments of the call, or once in the file."""
    for scope in (call, site.tree.module):
        called = {id(each.func) for each in walk(scope) if isinstance(each, cst.Call)}
        found = [
            each
            for each in walk(scope)
            if isinstance(each, (cst.Name, cst.Attribute))
            and id(each) not in called
            and site.names.qualified(each) == qualified
            and not _imports(site, each)
        ]
        if len(found) == 1:
            return found[0]
    return None


def _imports(site: Site, node: cst.CSTNode) -> bool:
    return any(isinstance(each, (cst.Import, cst.ImportFrom)) for each in site.tree.parents(node))
