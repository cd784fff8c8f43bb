"""Python loops on arrays become loops of JAX: `jax.lax.while_loop`, `jax.lax.fori_loop`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.bindings import assigned, local_name, read_below
from jitlint.fixes.branches import suite, tested
from jitlint.fixes.conditions import PythonOnlyError, on_arrays_as_bool
from jitlint.fixes.expressions import text_of
from jitlint.fixes.parts.breaks import leaving_in, until_left
from jitlint.fixes.parts.carried import carried, code_of, counted, function
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import names_in


def propose(site: Site) -> Iterator[Proposal]:
    """Repeats the body of a `while`, or of a `for` over a range, in a loop of JAX that carries what it changes."""
    holder, test = tested(site)
    proposal = None
    try:
        if isinstance(holder, cst.While) and test is not None:
            proposal = _while(site, holder, test)
        elif isinstance(holder, cst.If):
            proposal = until_left(site, holder)
        elif isinstance(loop := _range_loop(site), cst.For):
            proposal = _for(site, loop)
    except PythonOnlyError:
        return
    if proposal is not None:
        yield proposal


def _range_loop(site: Site) -> cst.For | None:
    """The `for` over a range whose bound, or whose body's unrolling, is the event."""
    node = site.node
    if node is None:
        return None
    loop = node if isinstance(node, cst.For) else site.tree.around(node, cst.For)
    if loop is None:
        return None
    inside = loop is node or any(each is loop.iter for each in (node, *site.tree.parents(node)))
    return loop if inside else None


def _while(site: Site, node: cst.While, test: cst.BaseExpression) -> Proposal | None:
    body = suite(node.body) or ()
    if (leaving := leaving_in(body)) is not None:
        return until_left(site, leaving)
    carry = carried(site, node, body, names_in(test))
    if carry is None or assigned([test]):
        return None
    while_loop = site.names.of("jax.lax.while_loop")
    goes_on, round_ = (
        local_name(site.tree, node, "goes_on", "loop_goes_on"),
        local_name(site.tree, node, "body", "loop_body"),
    )
    text = function(site, node, goes_on, carry.names, f"return {on_arrays_as_bool(test, site)}\n")
    lines = f"{code_of(site, body)}return {', '.join(carry.names)}\n"
    text += function(site, node, round_, carry.names, lines)
    return carry.proposal(site, text, f"{while_loop}({goes_on}, {round_}, {carry.value})")


def _for(site: Site, node: cst.For) -> Proposal | None:
    body, bounds = suite(node.body) or (), counted(node)
    if (leaving := leaving_in(body)) is not None:
        return until_left(site, leaving)
    carry = carried(site, node, body, ())
    if carry is None or bounds is None or not isinstance(node.target, cst.Name):
        return None
    counter = node.target.value
    if counter in read_below(site.tree, node) or counter in assigned(body):
        return None
    fori_loop = site.names.of("jax.lax.fori_loop")
    start, stop = (text_of(site.tree, each) if each is not None else "0" for each in bounds)
    round_ = local_name(site.tree, node, "body", "loop_body")
    lines = f"{code_of(site, body)}return {', '.join(carry.names)}\n"
    text = function(site, node, round_, carry.names, lines, [counter])
    return carry.proposal(site, text, f"{fori_loop}({start}, {stop}, {round_}, {carry.value})")
