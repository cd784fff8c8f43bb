"""Python conditions on arrays become `jnp.where`, and conditions on arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from jitlint.fixes.assignments import assignments
from jitlint.fixes.branches import Branch, guarded_branch, leaves, recurs, tested
from jitlint.fixes.conditions import PythonOnlyError, on_arrays
from jitlint.fixes.edit import Grade
from jitlint.fixes.expressions import in_place_of, text_of
from jitlint.fixes.kinds import Kind
from jitlint.fixes.purity import Doing, doing
from jitlint.fixes.returns import returned, returns
from jitlint.fixes.selection import NoFormError, Value, all_selected, joined, parts_of, selected, value_of
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement


def propose(site: Site) -> Iterator[Proposal]:
    """Selects with `jnp.where` what an `if` or a conditional expression chooses by an array."""
    holder, test = tested(site)
    if test is None:
        return
    try:
        match holder:
            case cst.IfExp():
                one, other = parts_of(site, holder.body), parts_of(site, holder.orelse)
                text = joined(all_selected(site, on_arrays(test, site), one, other))
                yield _proposal(site, [holder.body, holder.orelse], in_place_of(site.tree, holder, text))
            case cst.CompIf():
                yield from _summed(site, holder)
            case cst.If():
                branch = guarded_branch(site, holder)
                if branch is not None:
                    yield _branch(site, branch)
    except (NoFormError, PythonOnlyError):
        return


def _proposal(site: Site, both: Sequence[cst.CSTNode], replacements: Mapping[cst.CSTNode, Replacement]) -> Proposal:
    """The fix; it is safe if nothing shows that both sides are computed."""
    most = max((doing(each, site.names) for each in both), default=Doing.TOTAL)
    if most is Doing.EFFECT or recurs(site, both):
        raise NoFormError
    grade = Grade.SAFE if most is Doing.TOTAL else Grade.UNSAFE
    return site.proposal("Select with jnp.where, which computes both sides", grade, replacements)


def _summed(site: Site, condition: cst.CompIf) -> Iterator[Proposal]:
    """In a sum, what a comprehension leaves out becomes zero."""
    loop = site.tree.around(condition, cst.CompFor)
    comprehension = next(site.tree.parents(loop), None) if loop is not None else None
    if loop is None or not isinstance(comprehension, (cst.GeneratorExp, cst.ListComp)):
        return
    call = site.tree.around(comprehension, cst.Call)
    first = call.args[0].value if call is not None and call.args else None
    if call is None or first is not comprehension or not isinstance(call.func, cst.Name) or call.func.value != "sum":
        return
    if len(loop.ifs) > 1 or loop.inner_for_in is not None or site.tree.comments(comprehension):
        return
    one = value_of(site, comprehension.elt)
    value = selected(site, on_arrays(condition.test, site), one, Value("0", Kind.ARRAY))
    written = f"{value.text} {site.tree.code(loop.with_changes(ifs=[]))}"
    text = f"[{written}]" if isinstance(comprehension, cst.ListComp) else f"({written})"
    new = cst.parse_expression(text).with_changes(lpar=comprehension.lpar, rpar=comprehension.rpar)
    yield _proposal(site, [comprehension.elt], {comprehension: new})


def _branch(site: Site, branch: Branch) -> Proposal:
    lines, test = _named(site, branch.test)
    if returns(branch.body):
        text = "".join([*lines, *returned(site, test, branch)])
    elif leaves(branch.orelse) or leaves(branch.body):
        raise NoFormError
    else:
        text = "".join([*lines, *assignments(site, test, branch)])
    return _proposal(site, [*branch.body, *branch.orelse], branch.replaced(site.tree, text))


def _named(site: Site, test: cst.BaseExpression) -> tuple[list[str], str]:
    """The lines that bind what a condition names with `:=`, and the condition."""
    if isinstance(test, cst.Comparison) and isinstance(named := test.left, cst.NamedExpr):
        name, value = site.tree.code(named.target), text_of(site.tree, named.value)
        return [f"{name} = {value}\n"], on_arrays(test.with_changes(left=cst.Name(name)), site)
    return [], on_arrays(test, site)
