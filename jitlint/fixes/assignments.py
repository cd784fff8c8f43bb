"""Arms of an `if` that assign become assignments of what `jnp.where` selects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from jitlint.fixes.bindings import bound_before, bound_in_loops, bound_outside, local_name
from jitlint.fixes.branches import Branch, orelse_of, suite
from jitlint.fixes.conditions import on_arrays
from jitlint.fixes.expressions import is_tight, operand_of
from jitlint.fixes.kinds import Kind, kind
from jitlint.fixes.selection import NoFormError, Value, selected, value_of
from jitlint.fixes.site import Site
from jitlint.fixes.tree import names_in, walk

_OPERATORS: dict[type[cst.BaseAugOp], cst.BaseBinaryOp] = {
    cst.AddAssign: cst.Add(), cst.SubtractAssign: cst.Subtract(), cst.MultiplyAssign: cst.Multiply(),
    cst.DivideAssign: cst.Divide(), cst.PowerAssign: cst.Power(), cst.FloorDivideAssign: cst.FloorDivide(),
    cst.ModuloAssign: cst.Modulo(), cst.MatrixMultiplyAssign: cst.MatrixMultiply(), cst.BitAndAssign: cst.BitAnd(),
    cst.BitOrAssign: cst.BitOr(), cst.BitXorAssign: cst.BitXor(),
}  # fmt: skip


@dataclass(slots=True)
class _Arm:
    """The assignments of one arm.

    Attributes:
        values: by their targets, in their order.
        reads: the names that each value reads.
        targets: the expressions that are assigned to.
        updated: those that are there before.
        together: those that are assigned at once, in a tuple whose values read them.
    """

    values: dict[str, Value] = field(default_factory=dict)
    reads: dict[str, set[str]] = field(default_factory=dict)
    targets: dict[str, cst.CSTNode] = field(default_factory=dict)
    updated: set[str] = field(default_factory=set)
    together: set[str] = field(default_factory=set)


class _Selecting:
    """Writes the assignments of one `if`."""

    def __init__(self, site: Site, node: cst.If) -> None:
        self.site = site
        self.node = node
        known = bound_before(site.tree, node)
        self.looped = bound_in_loops(site.tree, node) - known
        self.known = known | _items(site, node.test)
        self.outside = bound_outside(site.tree, node)
        self.conditions: list[str] = []
        self.named: list[str] = []

    def name(self, test: str) -> str:
        """A name for a condition, which is computed before all assignments."""
        wanted = [f"condition_{at}" if at > 1 else "condition" for at in range(1, len(self.named) + 2)]
        name = local_name(self.site.tree, self.node, *(each for each in wanted if each not in self.named))
        self.named.append(name)
        self.conditions.append(f"{name} = {test}\n")
        return name

    def arm(self, statements: Sequence[cst.BaseStatement]) -> _Arm:
        arm = _Arm()
        for statement in statements:
            if isinstance(statement, cst.If) and self.site.chooses_by_array(statement):
                self.add_nested(arm, statement)
                continue
            if not isinstance(statement, cst.SimpleStatementLine):
                raise NoFormError
            for small in statement.body:
                self.add(arm, small)
        return arm

    def add_nested(self, arm: _Arm, node: cst.If) -> None:
        """An `elif` or an `if` within an arm: what it assigns is selected by its own condition."""
        tested = names_in(node.test)
        if any(isinstance(each, cst.NamedExpr) for each in walk(node.test)) or tested & _roots(arm):
            raise NoFormError
        test = on_arrays(node.test, self.site)
        targets = _assigned_to(self.site, _both(node))
        if len(targets) > 1 and (not test.isidentifier() or test in targets):
            test = self.name(test)
        one, other = (self.arm(each) for each in _both(node))
        if one.together or other.together:
            raise NoFormError
        for target in _targets(one, other):
            if target in arm.values:
                raise NoFormError
            arm.updated |= {target} & (one.updated | other.updated)
            arm.targets[target] = one.targets.get(target) or other.targets[target]
            arm.values[target] = selected(
                self.site, test, self.or_old(target, one, arm), self.or_old(target, other, arm)
            )
            arm.reads[target] = one.reads.get(target, set()) | other.reads.get(target, set())
        for each in (one, other):
            _check_order(each, list(arm.values))

    def or_old(self, target: str, arm: _Arm, outer: _Arm) -> Value:
        """What an arm assigns to a target, else what the target was."""
        if target in arm.values:
            return arm.values[target]
        if target not in self.known and target not in outer.updated:
            raise NoFormError
        return Value(target, kind(self.site, outer.targets[target]))

    def add(self, arm: _Arm, small: cst.BaseSmallStatement) -> None:
        site = self.site
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
                raise NoFormError
        names = {site.tree.code(each) for each, _ in pairs}
        for assigned_to, part in pairs:
            name, value_ = site.tree.code(assigned_to), value_of(site, part)
            if isinstance(small, cst.AugAssign):
                arm.updated.add(name)
                value_ = self.updated(name, small)
            reads = _reads(site, part)
            if name in reads:
                arm.updated.add(name)
            if name in arm.values:
                raise NoFormError
            if len(pairs) > 1 and reads & names:
                arm.together |= names
            if not isinstance(assigned_to, cst.Name):
                _check_item(assigned_to, arm)
            arm.values[name], arm.reads[name], arm.targets[name] = value_, reads, assigned_to

    def updated(self, name: str, small: cst.AugAssign) -> Value:
        operator = _OPERATORS.get(type(small.operator))
        if operator is None:
            raise NoFormError
        right = operand_of(self.site.tree, small.value, factor=True)
        if isinstance(small.value, cst.BinaryOperation) and is_tight(operator) and not right.startswith("("):
            right = f"({right})"
        return Value(f"{name} {self.site.tree.code(operator)} {right}", Kind.ARRAY)

    def lines(self, test: str, one: _Arm, other: _Arm) -> Iterator[str]:
        """An assignment of each target that either arm assigns, or one of all if an arm assigns a tuple of them."""
        targets = _targets(one, other)
        if set(targets) & self.outside:
            raise NoFormError
        values = {target: self.value(test, target, one, other) for target in targets}
        if one.together or other.together:
            if any(arm.values and arm.together != set(targets) for arm in (one, other)):
                raise NoFormError
            yield f"{', '.join(targets)} = {', '.join(values[each] for each in targets)}\n"
            return
        for arm in (one, other):
            _check_order(arm, targets)
        yield from (f"{target} = {value}\n" for target, value in values.items())

    def value(self, test: str, target: str, one: _Arm, other: _Arm) -> str:
        """What a target becomes: of what one arm alone assigns, the other keeps what was there."""
        there = target in self.known or target in one.updated | other.updated
        both = target in one.values and target in other.values
        expression = one.targets.get(target) or other.targets[target]
        if not both and not there:
            if not isinstance(expression, cst.Name) or target in self.looped:
                raise NoFormError  # nobody knows whether it is there
            return (one.values.get(target) or other.values[target]).text
        old = Value(target, kind(self.site, expression))
        return selected(self.site, test, one.values.get(target, old), other.values.get(target, old)).text


def assignments(site: Site, test: str, branch: Branch) -> Iterator[str]:
    """An assignment of each target that either arm assigns.

    Raises:
        NoFormError: the arms do something else, or assign what is no array.
    """
    selecting = _Selecting(site, branch.node)
    arms = (branch.body, branch.orelse)
    targets = _assigned_to(site, arms)
    if len(targets) > 1 and (not test.isidentifier() or test in targets):
        test = selecting.name(test)
    one, other = (selecting.arm(each) for each in arms)
    if not one.values and not other.values:
        raise NoFormError
    lines = list(selecting.lines(test, one, other))
    yield from (*selecting.conditions, *lines)


def _assigned_to(site: Site, arms: Sequence[Sequence[cst.BaseStatement]]) -> set[str]:
    """The targets of all assignments in arms, as text."""
    targets: set[str] = set()
    for node in (node for arm in arms for statement in arm for node in walk(statement)):
        if isinstance(node, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign)):
            elements = node.target.elements if isinstance(node.target, (cst.Tuple, cst.List)) else ()
            targets |= {site.tree.code(each.value) for each in elements} or {site.tree.code(node.target)}
    return targets


def _both(node: cst.If) -> list[Sequence[cst.BaseStatement]]:
    """The statements of an `if`, and of what is behind its `else` or `elif`."""
    body, orelse = suite(node.body), orelse_of(node)
    if body is None or orelse is None:
        raise NoFormError
    return [body, orelse]


def _targets(one: _Arm, other: _Arm) -> list[str]:
    return list(dict.fromkeys([*one.values, *other.values]))


def _roots(arm: _Arm) -> set[str]:
    """The names that an arm has changed, or parts of which."""
    return {_root(each) for each in arm.targets.values()}


def _root(target: cst.CSTNode) -> str:
    while isinstance(target, (cst.Attribute, cst.Subscript)):
        target = target.value
    return target.value if isinstance(target, cst.Name) else ""


def _reads(site: Site, part: cst.CSTNode) -> set[str]:
    """The names that an expression reads, and its items and attributes with those that hold them, as text."""
    if isinstance(part, (cst.Attribute, cst.Subscript)) and _is_constant(part):
        around = set() if isinstance(part.value, cst.Name) else _reads(site, part.value)
        return {site.tree.code(part)} | around
    if isinstance(part, cst.Attribute):
        return _reads(site, part.value)
    own = {part.value} if isinstance(part, cst.Name) else set()
    return own.union(*(_reads(site, each) for each in part.children))


def _is_constant(node: cst.CSTNode) -> bool:
    """Whether a place in an object is always the same: `state.x`, `state["x"]`, `point[0]`."""
    while isinstance(node, (cst.Attribute, cst.Subscript)):
        if isinstance(node, cst.Subscript):
            indices = [each.slice.value if isinstance(each.slice, cst.Index) else None for each in node.slice]
            if not all(isinstance(each, (cst.SimpleString, cst.Integer)) for each in indices):
                return False
        node = node.value
    return isinstance(node, cst.Name)


def _items(site: Site, test: cst.BaseExpression) -> set[str]:
    """The items and attributes that a condition reads, as text: they are there."""
    return {site.tree.code(each) for each in walk(test) if isinstance(each, (cst.Attribute, cst.Subscript))}


def _check_item(target: cst.BaseExpression, arm: _Arm) -> None:
    """Refuses an item or attribute that may be one that the arm has assigned before under another name."""
    if not isinstance(target, (cst.Attribute, cst.Subscript)):
        raise NoFormError
    if not _is_constant(target) and _root(target) in _roots(arm):
        raise NoFormError


def _check_order(arm: _Arm, targets: Sequence[str]) -> None:
    """Refuses an arm whose values would read another target's value than they did, before or after it changes."""
    own = list(arm.values)
    for at, target in enumerate(own):
        for read in own:
            reads = any(read == one or read.startswith((f"{one}.", f"{one}[")) for one in arm.reads[target])
            if read != target and reads and (own.index(read) < at) != (targets.index(read) < targets.index(target)):
                raise NoFormError


def _pairs(
    target: cst.BaseExpression, value: cst.BaseExpression
) -> list[tuple[cst.BaseExpression, cst.BaseExpression]]:
    if not isinstance(target, (cst.Tuple, cst.List)):
        return [(target, value)]
    if not isinstance(value, (cst.Tuple, cst.List)) or len(value.elements) != len(target.elements):
        raise NoFormError
    if any(isinstance(each, cst.StarredElement) for each in (*target.elements, *value.elements)):
        raise NoFormError
    return [(one.value, other.value) for one, other in zip(target.elements, value.elements, strict=True)]
