"""Arms of an `if` that return become one `return` of what `jnp.where` selects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from jitlint.fixes.bindings import assigned, bound_outside, local_name
from jitlint.fixes.branches import Branch, leaves, only, suite
from jitlint.fixes.conditions import on_arrays
from jitlint.fixes.purity import changes_objects
from jitlint.fixes.selection import NoFormError, Value, all_selected, joined, parts_of
from jitlint.fixes.site import Site
from jitlint.fixes.tree import names_in, walk

_SIMPLE = (cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Pass)


def returns(statements: Sequence[cst.BaseStatement]) -> bool:
    """Whether statements end in a `return`."""
    return bool(statements) and isinstance(only(statements[-1]), cst.Return)


def returned(site: Site, test: str, branch: Branch) -> Iterator[str]:
    """The lines of a `return` in place of those of both arms.

    Raises:
        NoFormError: the arms do something that shows, or return what is no array.
    """
    one, other = _value(site, branch.body), _value(site, branch.orelse)
    _check(one, other, names_in(branch.test))
    if (len(one.parts) > 1 or assigned([*one.before, *other.before]).keys() & names_in(branch.test)) and (
        not test.isidentifier()
    ):
        name = local_name(site.tree, branch.node, "condition", "chosen")
        yield f"{name} = {test}\n"
        test = name
    values = all_selected(site, test, one.parts, other.parts)
    yield from (site.tree.module.code_for_node(each) for each in (*one.before, *other.before))
    yield f"return {joined(values)}\n"


@dataclass(frozen=True, slots=True)
class _Returned:
    """What statements return: those that run before, the parts of the value, and the names that all of it reads."""

    before: tuple[cst.BaseStatement, ...]
    parts: Sequence[Value]
    names: frozenset[str]


def _check(one: _Returned, other: _Returned, tested: set[str]) -> None:
    """Refuses arms of which one binds what the other reads."""
    for some, others in ((one, other), (other, one)):
        if assigned(some.before).keys() & (others.names | tested):
            raise NoFormError


def _value(site: Site, statements: Sequence[cst.BaseStatement]) -> _Returned:
    """What statements return; `if`s among them that choose by arrays are selected, too."""
    for at, statement in enumerate(statements):
        if isinstance(statement, cst.If) and leaves([statement]):
            return _chosen(site, statement, statements[:at], statements[at + 1 :])
    if not returns(statements) or leaves(statements[:-1]):
        raise NoFormError
    last = only(statements[-1])
    assert isinstance(last, cst.Return)
    names = frozenset(name for each in statements for name in names_in(each))
    return _Returned(_runs_in_any_case(site, statements[:-1]), parts_of(site, last.value), names)


def _chosen(
    site: Site, node: cst.If, above: Sequence[cst.BaseStatement], below: Sequence[cst.BaseStatement]
) -> _Returned:
    if not site.chooses_by_array(node) or any(isinstance(each, cst.NamedExpr) for each in walk(node.test)):
        raise NoFormError
    branch = _within(node, below)
    one, other = _value(site, branch.body), _value(site, branch.orelse)
    _check(one, other, names_in(branch.test))
    test = on_arrays(branch.test, site)
    before = (*_runs_in_any_case(site, above), *one.before, *other.before)
    names = frozenset(name for each in (node, *above) for name in names_in(each))
    return _Returned(before, all_selected(site, test, one.parts, other.parts), names | one.names | other.names)


def _runs_in_any_case(site: Site, statements: Sequence[cst.BaseStatement]) -> tuple[cst.BaseStatement, ...]:
    """Statements of an arm that can run whatever the condition says: they bind names, and nothing else."""
    for each in statements:
        simple = isinstance(each, cst.SimpleStatementLine) and all(isinstance(small, _SIMPLE) for small in each.body)
        if not simple or changes_objects([each]) or assigned([each]).keys() & bound_outside(site.tree, each):
            raise NoFormError
    return tuple(statements)


def _within(node: cst.If, below: Sequence[cst.BaseStatement]) -> Branch:
    body = suite(node.body)
    if body is None or not returns(body):
        raise NoFormError
    match node.orelse:
        case cst.Else(body=orelse):
            return Branch(node, node.test, tuple(body), suite(orelse) or ())
        case cst.If():
            return Branch(node, node.test, tuple(body), (node.orelse, *below))
        case None:
            return Branch(node, node.test, tuple(body), tuple(below))
    raise NoFormError
