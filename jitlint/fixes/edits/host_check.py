"""`assert` and `if …: raise` on arrays become checks that run with the program, on the host."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import libcst as cst

from jitlint.fixes.branches import bound_before, only, suite, tested
from jitlint.fixes.conditions import PythonOnlyError, on_arrays
from jitlint.fixes.edit import Grade
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, names_in

_MESSAGE = "Check it when the program runs, with jax.debug.callback"


def propose(site: Site) -> Iterator[Proposal]:
    """Raises from a callback, once the values are known. The error comes later, and within one of JAX's own."""
    holder, test = tested(site)
    if test is None:
        return
    try:
        match holder:
            case cst.Assert():
                line = site.tree.around(holder, cst.SimpleStatementLine)
                if line is not None and len(line.body) == 1:
                    yield from _asserted(site, line, holder)
            case cst.If(orelse=None):
                body = suite(holder.body)
                if body is not None and isinstance(last := only(body[-1]), cst.Raise) and len(body) == 1:
                    yield from _raised(site, holder, last)
    except PythonOnlyError:
        return


def _asserted(site: Site, line: cst.SimpleStatementLine, statement: cst.Assert) -> Iterator[Proposal]:
    given = _needed(site, line, [statement.msg] if statement.msg else [])
    function, holds = site.names.fresh("check", "check_values"), site.names.fresh("holds", "is_so")
    message = f", {site.tree.code(statement.msg)}" if statement.msg else ""
    yield _proposal(site, line, function, f"assert {holds}{message}", [holds, *given], on_arrays(statement.test, site))


def _raised(site: Site, node: cst.If, statement: cst.Raise) -> Iterator[Proposal]:
    if isinstance(next(site.tree.parents(node), None), cst.If):
        return  # an `elif`
    given = _needed(site, node, [statement])
    function, fails = site.names.fresh("check", "check_values"), site.names.fresh("fails", "is_wrong")
    body = f"if {fails}:\n{site.tree.indent}{site.tree.code(statement)}"
    yield _proposal(site, node, function, body, [fails, *given], on_arrays(node.test, site))


def _needed(site: Site, statement: cst.BaseStatement, nodes: Sequence[cst.CSTNode]) -> list[str]:
    """The local names that an error's text shows: on the host they are arguments."""
    local = bound_before(site.tree, statement)
    return sorted({name for node in nodes for name in names_in(node)} & local)


def _proposal(
    site: Site, old: cst.BaseStatement, function: str, body: str, parameters: Sequence[str], test: str
) -> Proposal:
    callback = site.names.of("jax.debug.callback")
    inner = textwrap.indent(body, site.tree.indent)
    text = f"def {function}({', '.join(parameters)}):\n{inner}\n\n"
    text += f"{callback}({', '.join([function, test, *parameters[1:]])})\n"
    replacements: dict[cst.CSTNode, Replacement] = {old: site.tree.in_place_of([old], text)}
    return site.proposal(_MESSAGE, Grade.UNSAFE, replacements)
