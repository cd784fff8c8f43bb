"""Python conditions on arrays become `jax.lax.cond` of functions that hold the arms."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import libcst as cst

from jitlint.fixes.branches import Branch, assigned, bound_before, branch_of, leaves, only, read_below, recurs, tested
from jitlint.fixes.conditions import PythonOnlyError, on_arrays
from jitlint.fixes.edit import Grade
from jitlint.fixes.purity import Doing, doing
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import names_in, walk

_MESSAGE = "Choose with jax.lax.cond"


def propose(site: Site) -> Iterator[Proposal]:
    """Runs the arms of an `if`, or the sides of a conditional expression, as functions of `jax.lax.cond`."""
    holder, test = tested(site)
    if test is None:
        return
    try:
        match holder:
            case cst.IfExp():
                code = site.tree.code
                cond = site.names.of("jax.lax.cond")
                text = f"{cond}({on_arrays(test, site)}, lambda: {code(holder.body)}, lambda: {code(holder.orelse)})"
                grade = _grade(site, [holder.body, holder.orelse])
                if grade is not None:
                    yield site.proposal(_MESSAGE, grade, {holder: cst.parse_expression(text)})
            case cst.If():
                branch = branch_of(site, holder)
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


def _written(site: Site, branch: Branch) -> str | None:
    """The statements in the place of an `if`, None if an arm leaves in another way than by one `return` at its end."""
    test = on_arrays(branch.test, site)
    cond = site.names.of("jax.lax.cond")
    arms = [_without_continue(branch.body), _without_continue(branch.orelse)]
    returning = [_returns(arm) for arm in arms]
    if all(returning):
        names = [site.names.fresh("then", "then_arm"), site.names.fresh("otherwise", "else_arm")]
        defined = [
            _function(site, name, arm, _renewed(site, branch, arm), "") for name, arm in zip(names, arms, strict=True)
        ]
        return "".join([*defined, f"return {cond}({test}, {', '.join(names)})\n"])
    if any(leaves(arm) for arm in arms):
        return None
    bound = [assigned(arm) for arm in arms]
    known = bound_before(site.tree, branch.node)
    below = read_below(site.tree, branch.node)
    targets = [
        name
        for name in dict.fromkeys([*bound[0], *bound[1]])
        if name in known or (name in below and _both(name, bound))
    ]
    if not targets or any(_changes_objects(arm) for arm in arms) or any(name in below for name in _lost(bound, known)):
        return None
    names = [site.names.fresh("then", "then_arm"), site.names.fresh("otherwise", "else_arm")]
    given = [name for name in targets if name in known]
    result = ", ".join(targets)
    defined = [_function(site, name, arm, given, f"return {result}") for name, arm in zip(names, arms, strict=True)]
    call = ", ".join([test, *names, *given])
    return "".join([*defined, f"{result} = {cond}({call})\n"])


def _both(name: str, bound: Sequence[dict[str, None]]) -> bool:
    return all(name in each for each in bound)


def _lost(bound: Sequence[dict[str, None]], known: set[str]) -> set[str]:
    """The names that only one arm binds, and that nothing above does."""
    return (bound[0].keys() ^ bound[1].keys()) - known


def _function(site: Site, name: str, arm: Sequence[cst.BaseStatement], parameters: Sequence[str], last: str) -> str:
    lines = "".join(site.tree.module.code_for_node(each) for each in arm) + (f"{last}\n" if last else "")
    return f"def {name}({', '.join(parameters)}):\n{textwrap.indent(lines, site.tree.indent)}\n"


def _renewed(site: Site, branch: Branch, arm: Sequence[cst.BaseStatement]) -> list[str]:
    """Parameters for the names that an arm reads and binds anew: inside a function they would be names of its own."""
    known = bound_before(site.tree, branch.node)
    read = {name for each in arm for name in names_in(each)}
    return [f"{name}={name}" for name in assigned(arm) if name in known and name in read]


def _without_continue(arm: Sequence[cst.BaseStatement]) -> tuple[cst.BaseStatement, ...]:
    return tuple(arm[:-1]) if arm and isinstance(only(arm[-1]), cst.Continue) else tuple(arm)


def _returns(arm: Sequence[cst.BaseStatement]) -> bool:
    """Whether an arm ends in a `return`, in each of its own arms."""
    if not arm:
        return False
    last = arm[-1]
    if isinstance(last, cst.If):
        body = last.body.body if isinstance(last.body, cst.IndentedBlock) else ()
        match last.orelse:
            case cst.Else(body=cst.IndentedBlock(body=orelse)):
                return _returns(tuple(body)) and _returns(tuple(orelse))
            case cst.If():
                return _returns(tuple(body)) and _returns((last.orelse,))
        return False
    return isinstance(only(last), cst.Return)


def _changes_objects(arm: Sequence[cst.BaseStatement]) -> bool:
    """Whether statements assign items or attributes, which outlive the arm."""
    return any(
        isinstance(target, (cst.Subscript, cst.Attribute))
        for each in arm
        for node in walk(each)
        if isinstance(node, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign))
        for target in [node.target]
    )
