"""Python conditions on arrays become `jax.lax.cond` of functions that hold the arms."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import libcst as cst

from jitlint.fixes.bindings import assigned, bound_before, bound_outside, here, local_name, read_below
from jitlint.fixes.branches import Branch, guarded_branch, leaves, only, recurs, suite, tested
from jitlint.fixes.conditions import PythonOnlyError, on_arrays
from jitlint.fixes.edit import Grade
from jitlint.fixes.expressions import has_lines_in_strings, in_place_of, text_of
from jitlint.fixes.kinds import is_function
from jitlint.fixes.purity import Doing, changes_objects, doing
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import names_in

_MESSAGE = "Choose with jax.lax.cond"


def propose(site: Site) -> Iterator[Proposal]:
    """Runs the arms of an `if`, or the sides of a conditional expression, as functions of `jax.lax.cond`."""
    holder, test = tested(site)
    if test is None:
        return
    try:
        match holder:
            case cst.IfExp():
                sides = [holder.body, holder.orelse]
                grade = _grade(site, sides)
                if grade is not None and not any(_is_nothing(site, each) for each in sides):
                    arms = ", ".join(f"lambda: {_result(site, each)}" for each in sides)
                    text = f"{site.names.of('jax.lax.cond')}({on_arrays(test, site)}, {arms})"
                    yield site.proposal(_MESSAGE, grade, in_place_of(site.tree, holder, text))
            case cst.If():
                branch = guarded_branch(site, holder)
                if branch is not None and (lines := _written(site, branch)) is not None:
                    grade = _grade(site, [*branch.body, *branch.orelse])
                    if grade is not None:
                        yield site.proposal(_MESSAGE, grade, branch.replaced(site.tree, lines))
    except PythonOnlyError:
        return


def _grade(site: Site, both: Sequence[cst.CSTNode]) -> Grade | None:
    """None if an arm has an effect that would show once, while tracing."""
    most = max(doing(each, site.names) for each in both)
    if most is Doing.EFFECT or recurs(site, both):
        return None
    return Grade.UNSAFE if most is Doing.UNKNOWN else Grade.SAFE


def _result(site: Site, value: cst.BaseExpression) -> str:
    text = text_of(site.tree, value)
    return f"({text})" if isinstance(value, cst.Tuple) and not value.lpar else text


def _is_nothing(site: Site, value: cst.BaseExpression | None) -> bool:
    """Whether a value is none that JAX could choose: None, a text or a function."""
    return (
        value is None
        or isinstance(value, (cst.BaseString, cst.Lambda))
        or (isinstance(value, cst.Name) and value.value == "None")
        or is_function(site, value)
    )


def _values(statements: Sequence[cst.BaseStatement]) -> Iterator[cst.BaseExpression]:
    return (node.value for each in statements for node in here(each) if isinstance(node, cst.Assign))


def _written(site: Site, branch: Branch) -> str | None:
    """The statements in the place of an `if`, None if an arm leaves in another way than by one `return` at its end."""
    arms = [branch.body, branch.orelse]
    both = [*branch.body, *branch.orelse]
    if changes_objects(both) or has_lines_in_strings(both) or any(_is_nothing(site, each) for each in _values(both)):
        return None
    if assigned(both).keys() & bound_outside(site.tree, branch.node):
        return None
    test = on_arrays(branch.test, site)
    names = [local_name(site.tree, branch.node, *each) for each in (("then", "then_arm"), ("otherwise", "else_arm"))]
    cond = site.names.of("jax.lax.cond")
    if all(_returns(site, arm) for arm in arms):
        defined = [
            _function(site, name, arm, _renewed(site, branch, arm)) for name, arm in zip(names, arms, strict=True)
        ]
        return "".join([*defined, f"return {cond}({test}, {', '.join(names)})\n"])
    given, targets = _carried(site, branch)
    if not targets or any(leaves(arm) for arm in arms):
        return None
    result = ", ".join(targets)
    defined = [_function(site, name, arm, given, f"return {result}") for name, arm in zip(names, arms, strict=True)]
    call = ", ".join([test, *names, *given])
    return "".join([*defined, f"{result} = {cond}({call})\n"])


def _carried(site: Site, branch: Branch) -> tuple[list[str], list[str]]:
    """The names that the arms take, and those that they give; none if one arm alone binds what is read below."""
    bound = [assigned(branch.body), assigned(branch.orelse)]
    known, below = bound_before(site.tree, branch.node), read_below(site.tree, branch.node)
    if ((bound[0].keys() ^ bound[1].keys()) - known) & below:
        return [], []
    changed = [name for name in dict.fromkeys([*bound[0], *bound[1]]) if name in below]
    read = {name for each in (*branch.body, *branch.orelse) for name in names_in(each)}
    return [name for name in changed if name in known and name in read], changed


def _function(
    site: Site, name: str, arm: Sequence[cst.BaseStatement], parameters: Sequence[str], last: str = ""
) -> str:
    lines = "".join(site.tree.module.code_for_node(each) for each in arm) + (f"{last}\n" if last else "")
    return f"def {name}({', '.join(parameters)}):\n{textwrap.indent(lines, site.tree.indent)}\n"


def _renewed(site: Site, branch: Branch, arm: Sequence[cst.BaseStatement]) -> list[str]:
    """Parameters for the names that an arm reads and binds anew: inside a function they would be names of its own."""
    known = bound_before(site.tree, branch.node)
    read = {name for each in arm for name in names_in(each)}
    return [f"{name}={name}" for name in assigned(arm) if name in known and name in read]


def _returns(site: Site, arm: Sequence[cst.BaseStatement]) -> bool:
    """Whether an arm ends in a `return` of something, in each of its own arms, and has no other."""
    if not arm or leaves(arm[:-1]):
        return False
    last = arm[-1]
    if isinstance(last, cst.If):
        body = suite(last.body) or ()
        match last.orelse:
            case cst.Else(body=orelse):
                return _returns(site, body) and _returns(site, suite(orelse) or ())
            case cst.If():
                return _returns(site, body) and _returns(site, (last.orelse,))
        return False
    small = only(last)
    return isinstance(small, cst.Return) and not _is_nothing(site, small.value)
