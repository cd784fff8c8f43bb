"""Python loops on arrays become loops of JAX: `jax.lax.while_loop`, `jax.lax.fori_loop`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from jitlint.fixes.bindings import assigned, bound_before, bound_outside, local_name, read_below
from jitlint.fixes.branches import leaves, suite, tested
from jitlint.fixes.conditions import PythonOnlyError, on_arrays_as_bool
from jitlint.fixes.edit import Grade
from jitlint.fixes.purity import Doing, changes_objects, doing
from jitlint.fixes.rewriting import has_lines_in_strings
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import names_in


def propose(site: Site) -> Iterator[Proposal]:
    """Repeats the body of a `while`, or of a `for` over a range, in a loop of JAX that carries what it changes."""
    holder, test = tested(site)
    try:
        if isinstance(holder, cst.While) and test is not None and not assigned([test]):
            loop = _loop(site, holder, names_in(test))
            if loop is not None:
                yield _while(site, holder, test, loop)
        elif isinstance(node := _range_loop(site), cst.For):
            loop = _loop(site, node, set())
            if loop is not None and isinstance(node.iter, cst.Call) and isinstance(node.target, cst.Name):
                yield from _for(site, node, node.iter, node.target.value, loop)
    except PythonOnlyError:
        return


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop's body, and the names that go from round to round."""

    body: tuple[cst.BaseStatement, ...]
    carry: tuple[str, ...]
    grade: Grade

    @property
    def names(self) -> str:
        return ", ".join(self.carry)


def _range_loop(site: Site) -> cst.For | None:
    """The `for` over a range whose bound, or whose body's unrolling, is the event."""
    node = site.node
    if node is None:
        return None
    loop = node if isinstance(node, cst.For) else site.tree.around(node, cst.For)
    if loop is None or not isinstance(loop.iter, cst.Call) or loop.asynchronous is not None:
        return None
    inside = loop is node or any(each is loop.iter for each in (node, *site.tree.parents(node)))
    called = isinstance(loop.iter.func, cst.Name) and loop.iter.func.value == "range"
    return loop if inside and called else None


def _loop(site: Site, node: cst.While | cst.For, tested_names: set[str]) -> _Loop | None:
    """A loop taken apart; None if it ends in another way than by its condition, or changes more than local names."""
    body = suite(node.body)
    if body is None or node.orelse is not None or leaves(body) or site.tree.block(node) is None:
        return None
    most = max(doing(each, site.names) for each in body)
    if most is Doing.EFFECT or changes_objects(body) or has_lines_in_strings(body):
        return None
    known, below = bound_before(site.tree, node), read_below(site.tree, node)
    changed = assigned(body)
    if changed.keys() & bound_outside(site.tree, node):
        return None
    carry = tuple(
        name for name in changed if name in known and (name in below | tested_names or _read_first(name, body))
    )
    if not carry or any(name in below and name not in known for name in changed):
        return None
    return _Loop(body, carry, Grade.UNSAFE if most is Doing.UNKNOWN else Grade.SAFE)


def _read_first(name: str, body: Sequence[cst.BaseStatement]) -> bool:
    """Whether a round may read what the round before has left in a name."""
    for statement in body:
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                value = small.value if isinstance(small, (cst.Assign, cst.AnnAssign)) else small
                if isinstance(small, cst.AugAssign) and name in names_in(small.target):
                    return True
                if value is not None and name in names_in(value):
                    return True
                if name in assigned([small]):
                    return False
        elif name in names_in(statement):
            return True
    return False


def _while(site: Site, node: cst.While, test: cst.BaseExpression, loop: _Loop) -> Proposal:
    while_loop = site.names.of("jax.lax.while_loop")
    goes_on, body = local_name(site.tree, node, "goes_on"), local_name(site.tree, node, "body", "loop_body")
    carry, unpack = _carried(site, node, loop)
    text = _function(site, goes_on, carry, f"{unpack}return {on_arrays_as_bool(test, site)}\n")
    text += _function(site, body, carry, f"{unpack}{_code(site, loop)}return {loop.names}\n")
    return _replaced(site, node, loop, text, f"{while_loop}({goes_on}, {body}, {_initial(loop)})", while_loop)


def _for(site: Site, node: cst.For, counted: cst.Call, counter: str, loop: _Loop) -> Iterator[Proposal]:
    if len(counted.args) > 2 or any(arg.star or arg.keyword is not None for arg in counted.args):
        return
    if counter in read_below(site.tree, node) or counter in loop.carry:
        return
    fori_loop = site.names.of("jax.lax.fori_loop")
    start = site.tree.code(counted.args[0].value) if len(counted.args) == 2 else "0"
    stop = site.tree.code(counted.args[-1].value)
    body = local_name(site.tree, node, "body", "loop_body")
    carry, unpack = _carried(site, node, loop)
    text = _function(site, body, f"{counter}, {carry}", f"{unpack}{_code(site, loop)}return {loop.names}\n")
    yield _replaced(site, node, loop, text, f"{fori_loop}({start}, {stop}, {body}, {_initial(loop)})", fori_loop)


def _carried(site: Site, node: cst.CSTNode, loop: _Loop) -> tuple[str, str]:
    """A function's parameter for the carry, and the line that takes it apart."""
    if len(loop.carry) == 1:
        return loop.carry[0], ""
    name = local_name(site.tree, node, "carry", "loop_carry")
    return name, f"{loop.names} = {name}\n"


def _replaced(site: Site, node: cst.While | cst.For, loop: _Loop, text: str, call: str, function: str) -> Proposal:
    new = site.tree.in_place_of([node], f"{text}{loop.names} = {call}\n")
    return site.proposal(f"Repeat with {function}", loop.grade, {node: new})


def _initial(loop: _Loop) -> str:
    return f"({loop.names})" if len(loop.carry) > 1 else loop.names


def _code(site: Site, loop: _Loop) -> str:
    return "".join(site.tree.module.code_for_node(each) for each in loop.body)


def _function(site: Site, name: str, parameters: str, lines: str) -> str:
    return f"def {name}({parameters}):\n{textwrap.indent(lines, site.tree.indent)}\n"
