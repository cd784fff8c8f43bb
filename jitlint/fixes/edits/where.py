"""Python conditions on arrays become `jnp.where`, and conditions on arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from jitlint.fixes.branches import Branch, assigned, bound_before, branch_of, leaves, only, recurs, tested
from jitlint.fixes.conditions import PythonOnlyError, on_arrays
from jitlint.fixes.edit import Grade
from jitlint.fixes.purity import Doing, doing
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, names_in

_NO_ARRAYS = (cst.List, cst.Dict, cst.Set, cst.SimpleString, cst.FormattedString, cst.ConcatenatedString, cst.Lambda)
_OPERATORS = {
    cst.AddAssign: "+", cst.SubtractAssign: "-", cst.MultiplyAssign: "*", cst.DivideAssign: "/", cst.PowerAssign: "**",
    cst.FloorDivideAssign: "//", cst.ModuloAssign: "%", cst.MatrixMultiplyAssign: "@", cst.BitAndAssign: "&",
    cst.BitOrAssign: "|", cst.BitXorAssign: "^",
}  # fmt: skip


class _NoFormError(Exception):
    """There is no form of this with `jnp.where`."""


def propose(site: Site) -> Iterator[Proposal]:
    """Selects with `jnp.where` what an `if` or a conditional expression chooses by an array."""
    holder, test = tested(site)
    if test is None:
        return
    try:
        match holder:
            case cst.IfExp():
                text = _selected(site, on_arrays(test, site), _parts(site, holder.body), _parts(site, holder.orelse))
                yield _proposal(site, [holder.body, holder.orelse], {holder: cst.parse_expression(text)})
            case cst.If():
                branch = branch_of(site, holder)
                if branch is not None:
                    yield _branch(site, branch)
    except (_NoFormError, PythonOnlyError):
        return


def _proposal(site: Site, both: Sequence[cst.CSTNode], replacements: Mapping[cst.CSTNode, Replacement]) -> Proposal:
    """The fix; it is safe if nothing shows that both sides are computed."""
    most = max((doing(each, site.names) for each in both), default=Doing.TOTAL)
    if most is Doing.EFFECT or recurs(site, both):
        raise _NoFormError
    grade = Grade.SAFE if most is Doing.TOTAL else Grade.UNSAFE
    return site.proposal("Select with jnp.where, which computes both sides", grade, replacements)


def _selected(site: Site, test: str, one: Sequence[str], other: Sequence[str]) -> str:
    """`jnp.where`, for each element if both sides are tuples."""
    if len(one) != len(other):
        raise _NoFormError
    where = site.names.of("jax.numpy.where")
    return ", ".join(f"{where}({test}, {a}, {b})" for a, b in zip(one, other, strict=True))


def _parts(site: Site, value: cst.BaseExpression | None) -> list[str]:
    """A value as text; the elements of a tuple."""
    if isinstance(value, cst.Tuple):
        return [_part(site, each.value if isinstance(each, cst.Element) else None) for each in value.elements]
    return [_part(site, value)]


def _part(site: Site, value: cst.BaseExpression | None) -> str:
    if value is None or isinstance(value, (*_NO_ARRAYS, cst.Tuple)):
        raise _NoFormError
    if isinstance(value, cst.Name) and value.value == "None":
        raise _NoFormError
    return site.tree.code(value)


def _branch(site: Site, branch: Branch) -> Proposal:
    tree = site.tree
    lines, test = _named(site, branch.test)
    if _returns(branch.body):
        text = "".join([*lines, *_returned(site, test, branch)])
    elif leaves(branch.orelse) or (leaves(branch.body) and not _is_continue(branch)):
        raise _NoFormError
    else:
        text = "".join([*lines, *_assigned(site, test, branch)])
    return _proposal(site, [*branch.body, *branch.orelse], branch.replaced(tree, text))


def _named(site: Site, test: cst.BaseExpression) -> tuple[list[str], str]:
    """The lines that bind what a condition names with `:=`, and the condition."""
    if isinstance(test, cst.Comparison) and isinstance(named := test.left, cst.NamedExpr):
        name, value = site.tree.code(named.target), site.tree.code(named.value)
        return [f"{name} = {value}\n"], on_arrays(test.with_changes(left=cst.Name(name)), site)
    return [], on_arrays(test, site)


def _is_continue(branch: Branch) -> bool:
    return len(branch.body) == 1 and isinstance(only(branch.body[0]), cst.Continue)


def _returns(statements: Sequence[cst.BaseStatement]) -> bool:
    return bool(statements) and isinstance(only(statements[-1]), cst.Return)


@dataclass(frozen=True, slots=True)
class _Value:
    """What statements return: those that run before, as text, and the parts of the value."""

    before: tuple[cst.BaseStatement, ...]
    parts: Sequence[str]
    names: frozenset[str]


def _returned(site: Site, test: str, branch: Branch) -> Iterator[str]:
    """The lines of a `return` in place of those of both arms."""
    one, other = _value(site, branch.body), _value(site, branch.orelse)
    for some, others in ((one, other), (other, one)):
        if assigned(some.before).keys() & (others.names | names_in(branch.test)):
            raise _NoFormError
    if len(one.parts) > 1 and not test.isidentifier():
        name = site.names.fresh("condition", "chosen")
        yield f"{name} = {test}\n"
        test = name
    yield from (site.tree.module.code_for_node(each) for each in (*one.before, *other.before))
    yield f"return {_selected(site, test, one.parts, other.parts)}\n"


def _value(site: Site, statements: Sequence[cst.BaseStatement]) -> _Value:
    """What statements return; `if`s among them that choose by arrays are selected, too."""
    for at, statement in enumerate(statements):
        if isinstance(statement, cst.If) and leaves([statement]):
            if not site.chooses_by_array(statement):
                raise _NoFormError
            branch = _within(statement, statements[at + 1 :])
            lines, test = _named(site, branch.test)
            if lines:
                raise _NoFormError
            one, other = _value(site, branch.body), _value(site, branch.orelse)
            before = (*statements[:at], *one.before, *other.before)
            bound = assigned([*one.before, *other.before])
            if bound.keys() & names_in(branch.test) or assigned(other.before).keys() & one.names:
                raise _NoFormError
            names = frozenset(name for each in (statement, *statements[:at]) for name in names_in(each))
            return _Value(before, [_selected(site, test, one.parts, other.parts)], names | one.names | other.names)
    if not _returns(statements) or leaves(statements[:-1]):
        raise _NoFormError
    last = only(statements[-1])
    assert isinstance(last, cst.Return)
    names = frozenset(name for each in statements for name in names_in(each))
    return _Value(tuple(statements[:-1]), _parts(site, last.value), names)


def _within(node: cst.If, below: Sequence[cst.BaseStatement]) -> Branch:
    body = node.body.body if isinstance(node.body, cst.IndentedBlock) else None
    if body is None or not _returns(body):
        raise _NoFormError
    match node.orelse:
        case cst.Else(body=cst.IndentedBlock(body=orelse)):
            return Branch(node, node.test, tuple(body), tuple(orelse))
        case cst.If():
            return Branch(node, node.test, tuple(body), (node.orelse,))
        case None:
            return Branch(node, node.test, tuple(body), tuple(below))
    raise _NoFormError


@dataclass(slots=True)
class _Arm:
    """The assignments of one arm: the values by their targets, in their order, and the names that each reads."""

    values: dict[str, str]
    reads: dict[str, set[str]]
    updated: set[str] = field(default_factory=set)


def _assigned(site: Site, test: str, branch: Branch) -> Iterator[str]:
    """An assignment of each target that either arm assigns."""
    one = _arm(site, () if _is_continue(branch) else branch.body)
    other = _arm(site, branch.orelse)
    targets = list(dict.fromkeys([*one.values, *other.values]))
    if not targets:
        raise _NoFormError
    for arm in (one, other):
        _check_order(arm, targets)
    changes_test = any(target.partition("[")[0] in names_in(branch.test) for target in targets[:-1])
    if changes_test or (len(targets) > 1 and not test.isidentifier()):
        name = site.names.fresh("condition", "chosen")
        yield f"{name} = {test}\n"
        test = name
    known = bound_before(site.tree, branch.node)
    where = site.names.of("jax.numpy.where")
    for target in targets:
        there = target in known or target in one.updated | other.updated
        if not there and not target.isidentifier() and not (target in one.values and target in other.values):
            raise _NoFormError  # nobody knows whether the item is there
        if target in one.values and target in other.values:
            yield f"{target} = {where}({test}, {one.values[target]}, {other.values[target]})\n"
        elif target in one.values:
            value = one.values[target]
            yield f"{target} = {where}({test}, {value}, {target})\n" if there else f"{target} = {value}\n"
        else:
            value = other.values[target]
            yield f"{target} = {where}({test}, {target}, {value})\n" if there else f"{target} = {value}\n"


def _check_order(arm: _Arm, targets: Sequence[str]) -> None:
    """Refuses an arm whose values would read another target's value than they did, before or after it changes."""
    own = list(arm.values)
    for at, target in enumerate(own):
        for read in arm.reads[target] & set(own) - {target}:
            if (own.index(read) < at) != (targets.index(read) < targets.index(target)):
                raise _NoFormError


def _arm(site: Site, statements: Sequence[cst.BaseStatement]) -> _Arm:
    arm = _Arm({}, {})
    for statement in statements:
        if isinstance(statement, cst.If) and site.chooses_by_array(statement):
            _add_nested(site, arm, statement)
            continue
        if not isinstance(statement, cst.SimpleStatementLine):
            raise _NoFormError
        for small in statement.body:
            _add(site, arm, small)
    return arm


def _add_nested(site: Site, arm: _Arm, node: cst.If) -> None:
    """An `elif` or an `if` within an arm: what it assigns is selected by its own condition."""
    body = node.body
    orelse = node.orelse.body if isinstance(node.orelse, cst.Else) else None
    inner_orelse: Sequence[cst.BaseStatement] = ()
    if isinstance(node.orelse, cst.If):
        inner_orelse = (node.orelse,)
    elif isinstance(orelse, cst.IndentedBlock):
        inner_orelse = tuple(orelse.body)
    if not isinstance(body, cst.IndentedBlock):
        raise _NoFormError
    one, other = _arm(site, tuple(body.body)), _arm(site, inner_orelse)
    test = on_arrays(node.test, site)
    where = site.names.of("jax.numpy.where")
    for target in dict.fromkeys([*one.values, *other.values]):
        if target in arm.values:
            raise _NoFormError
        there, otherwise = one.values.get(target, target), other.values.get(target, target)
        arm.values[target] = f"{where}({test}, {there}, {otherwise})"
        arm.reads[target] = names_in(node) - {target}


def _add(site: Site, arm: _Arm, small: cst.BaseSmallStatement) -> None:
    code = site.tree.code
    match small:
        case cst.Pass():
            return
        case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
            pairs = _pairs(target, value)
        case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
            pairs = [(target, value)]
        case cst.AugAssign(target=target, value=value):
            pairs = [(target, value)]
        case _:
            raise _NoFormError
    names = [code(each) for each, _ in pairs]
    for each, part in pairs:
        name, text = code(each), _part(site, part)
        if isinstance(small, cst.AugAssign):
            arm.updated.add(name)
            operator = _OPERATORS.get(type(small.operator))
            text = (
                f"{name} {operator} ({text})" if isinstance(part, cst.BinaryOperation) else f"{name} {operator} {text}"
            )
            if operator is None:
                raise _NoFormError
        reads = names_in(part)
        if name in arm.values or (len(pairs) > 1 and reads & set(names)):
            raise _NoFormError
        arm.values[name], arm.reads[name] = text, reads


def _pairs(
    target: cst.BaseExpression, value: cst.BaseExpression
) -> list[tuple[cst.BaseExpression, cst.BaseExpression]]:
    if not isinstance(target, (cst.Tuple, cst.List)):
        return [(target, value)]
    if not isinstance(value, (cst.Tuple, cst.List)) or len(value.elements) != len(target.elements):
        raise _NoFormError
    if any(isinstance(each, cst.StarredElement) for each in (*target.elements, *value.elements)):
        raise _NoFormError
    return [(one.value, other.value) for one, other in zip(target.elements, value.elements, strict=True)]
