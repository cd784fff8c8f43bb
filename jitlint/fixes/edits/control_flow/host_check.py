"""`assert` and `if …: raise` on arrays become checks that run with the program, on the host."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import libcst as cst

from jitlint.fixes.bindings import bound_before, inner_name, local_name
from jitlint.fixes.branches import only, suite, tested
from jitlint.fixes.conditions import PythonOnlyError, guarded, on_arrays
from jitlint.fixes.edit import Grade
from jitlint.fixes.expressions import lines_in_place_of
from jitlint.fixes.kinds import Kind, kind
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, walk

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
    if (given := _needed(site, line, statement.test, [statement.msg] if statement.msg else [])) is not None:
        holds = inner_name(line, "holds", "is_so")
        message = f", {site.tree.code(statement.msg)}" if statement.msg else ""
        yield _proposal(site, line, f"assert {holds}{message}", [holds, *given], on_arrays(statement.test, site))


def _raised(site: Site, node: cst.If, statement: cst.Raise) -> Iterator[Proposal]:
    if isinstance(next(site.tree.parents(node), None), cst.If):
        return  # an `elif`
    if (given := _needed(site, node, node.test, [statement])) is not None:
        fails = inner_name(node, "fails", "is_wrong")
        body = f"if {fails}:\n{site.tree.indent}{site.tree.code(statement)}"
        guard, test = guarded(node.test, site)
        yield _proposal(site, node, body, [fails, *given], on_arrays(test, site), guard)


def _needed(
    site: Site, statement: cst.BaseStatement, test: cst.BaseExpression, nodes: Sequence[cst.CSTNode]
) -> list[str] | None:
    """The local names that an error's text shows: on the host they are arguments. None if one may be no array."""
    local = bound_before(site.tree, statement)
    shown = [
        each
        for node in nodes
        for each in walk(node)
        if isinstance(each, cst.Name) and each.value in local and not _is_static(site, each)
    ]
    compared = {each.value for each in walk(test) if isinstance(each, cst.Name)}
    if any(each.value not in compared or kind(site, each) > Kind.PLAIN for each in shown):
        return None
    return sorted({each.value for each in shown})


def _is_static(site: Site, name: cst.Name) -> bool:
    """Whether only the shape or the dtype of a name is shown, which are known while tracing."""
    parent = next(site.tree.parents(name), None)
    return (
        isinstance(parent, cst.Attribute) and parent.value is name and parent.attr.value in ("shape", "dtype", "ndim")
    )


def _proposal(
    site: Site, old: cst.BaseStatement, body: str, parameters: Sequence[str], test: str, guard: str = ""
) -> Proposal:
    function = local_name(site.tree, old, "check", "check_values")
    callback = site.names.of("jax.debug.callback")
    inner = textwrap.indent(body, site.tree.indent)
    text = f"def {function}({', '.join(parameters)}):\n{inner}\n\n"
    text += f"{callback}({', '.join([function, test, *parameters[1:]])})\n"
    if guard:
        text = f"if {guard}:\n{textwrap.indent(text, site.tree.indent)}"
    replacements: dict[cst.CSTNode, Replacement] = {old: lines_in_place_of(site.tree, [old], text)}
    return site.proposal(_MESSAGE, Grade.UNSAFE, replacements)
