"""What edits of expressions ask: parentheses where they are needed, comments that would get lost, values of names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import libcst as cst

from jitlint.fixes.expressions import in_place_of
from jitlint.fixes.scopes import bindings, local_names, parameters, targets
from jitlint.fixes.tree import Replacement, Tree, parenthesized, walk

Change = Callable[[cst.BaseExpression], cst.BaseExpression]
"""Makes of an expression, whose parts may have changed already, what takes its place."""

_CLOSED = (
    cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.List, cst.Dict, cst.Set, cst.ListComp, cst.SetComp,
    cst.DictComp, cst.SimpleString, cst.FormattedString, cst.Integer, cst.Float, cst.Imaginary,
)  # fmt: skip
"""Expressions that bind closer than any operator."""
_OPEN = (cst.Tuple, cst.GeneratorExp, cst.NamedExpr, cst.Yield)
"""Expressions that need parentheses nearly everywhere."""
_HOLDERS = (
    cst.Arg,
    cst.Assign,
    cst.AnnAssign,
    cst.AugAssign,
    cst.Return,
    cst.Expr,
    cst.Index,
    cst.Element,
    cst.LeftParen,
)
"""What an expression with operators can stand in without parentheses."""


def placed(tree: Tree, old: cst.BaseExpression, new: cst.BaseExpression) -> cst.BaseExpression:
    """An expression as it takes the place of another: in parentheses, where it would mean something else without."""
    if old.lpar:
        return new.with_changes(lpar=[*old.lpar, *new.lpar], rpar=[*new.rpar, *old.rpar])
    if len(new.lpar) == 1 and not any(isinstance(each, cst.Comment) for each in walk(new)):
        new = new.with_changes(lpar=[], rpar=[])
    holder = next(tree.parents(old), None)
    bare = isinstance(new, _CLOSED) or (isinstance(holder, _HOLDERS) and not isinstance(new, _OPEN))
    return new if bare and _on_its_own(tree, new) else parenthesized(new)


def _on_its_own(tree: Tree, node: cst.BaseExpression) -> bool:
    """Whether it can be read without parentheses around it, which allow line breaks."""
    try:
        cst.parse_expression(tree.code(node))
    except cst.ParserSyntaxError:
        return False
    return True


def keeps_comments(tree: Tree, old: cst.CSTNode, *kept: cst.CSTNode) -> bool:
    """Whether all comments of a node are in the parts of it that are kept."""
    return _comments(old) == sum(map(_comments, kept))


def _comments(node: cst.CSTNode) -> int:
    return sum(isinstance(each, cst.Comment) for each in walk(node))


def single_argument(call: cst.Call) -> cst.BaseExpression | None:
    """The argument of a call with just one, given by its position."""
    match call.args:
        case [cst.Arg(keyword=None, star="", value=value)]:
            return value
    return None


def positional(call: cst.Call) -> list[cst.BaseExpression]:
    """The arguments that are given by their positions."""
    return [arg.value for arg in call.args if arg.keyword is None and not arg.star]


def plain(call: cst.Call) -> bool:
    """Whether no argument is `*args` or `**options`."""
    return not any(arg.star for arg in call.args)


def put(tree: Tree, old: cst.BaseExpression, text: str) -> dict[cst.CSTNode, Replacement] | None:
    """The replacement that puts an expression, as text, in the place of another; None if a comment would get lost."""
    new = cst.parse_expression(text)
    return {old: placed(tree, old, new)} if keeps_comments(tree, old, new) else None


def put_alone(tree: Tree, old: cst.BaseExpression, text: str) -> dict[cst.CSTNode, Replacement] | None:
    """The replacement that puts an expression, as text, in the place of another, where nothing else changes.

    Its comments go above the statement, and lines that get too long are wrapped.
    """
    new = cst.parse_expression(text)
    return in_place_of(tree, old, text) if isinstance(new, _CLOSED) else put(tree, old, text)


def removal(
    tree: Tree, line: cst.SimpleStatementLine, small: cst.BaseSmallStatement
) -> dict[cst.CSTNode, Replacement] | None:
    """The removal of a statement; its comments go to the statement below. None if there is none."""
    if len(line.body) > 1:
        kept = [each for each in line.body if each is not small]
        kept[-1] = kept[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
        return {line: line.with_changes(body=kept)}
    found = tree.block(line)
    if found is None:
        return None
    block, at = found
    if len(block.body) == 1:
        return {line: line.with_changes(body=[cst.Pass()])}
    comments = [each for each in line.leading_lines if each.comment]
    if line.trailing_whitespace.comment is not None:
        comments.append(cst.EmptyLine(comment=line.trailing_whitespace.comment))
    if not comments:
        return {line: cst.RemoveFromParent()}
    if at + 1 == len(block.body):
        return None
    below = block.body[at + 1]
    assert isinstance(below, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
    return {
        line: cst.RemoveFromParent(),
        below: below.with_changes(leading_lines=[*comments, *below.leading_lines]),
    }


def argument(tree: Tree, node: cst.BaseExpression) -> str:
    """An expression as the text of an argument, which needs no parentheses around it."""
    bare = node.with_changes(lpar=[], rpar=[])
    needed = len(node.lpar) != 1 or isinstance(node, _OPEN) or not keeps_comments(tree, node, bare)
    return tree.code(node) if needed else tree.code(bare)


def factor(tree: Tree, node: cst.BaseExpression) -> str:
    """An expression as the text of what an operator or a method belongs to."""
    return tree.code(node if isinstance(node, _CLOSED) else parenthesized(node))


def is_display(node: cst.CSTNode) -> bool:
    """Whether an expression makes a list or tuple, or consumes one."""
    return isinstance(node, (cst.List, cst.Tuple, cst.ListComp, cst.GeneratorExp))


def value_of(tree: Tree, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """What a name stands for: the only value that its function or the module binds it to; of what is no name, itself.

    None if it is a parameter, bound in another way, or more than once.
    """
    if not isinstance(node, cst.Name):
        return node
    function = _function_of(tree, node)
    if function is None:
        if node.value in local_names(tree, node):
            return None
        return _only_value(tree.module, node.value)
    if node.value in parameters(function):
        return None
    return _only_value(function.body, node.value)


def _function_of(tree: Tree, node: cst.Name) -> cst.FunctionDef | cst.Lambda | None:
    """The function whose parameter or local variable a name is."""
    for each in tree.parents(node):
        if not isinstance(each, (cst.FunctionDef, cst.Lambda)):
            continue
        if node.value in parameters(each) or node.value in set(bindings(each.body)):
            return each
    return None


def is_unpacked_shape(tree: Tree, node: cst.Name) -> bool:
    """Whether a name stands for the length of an axis: `rows, columns = x.shape` is its only binding."""
    function = _function_of(tree, node)
    if function is None or not _bound_once(tree, node):
        return False
    for each in walk(function.body):
        match each:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Tuple() as target)],
                value=cst.Attribute(attr=cst.Name(value="shape")),
            ):
                elements = (part for part in target.elements if isinstance(part, cst.Element))
                if any(isinstance(part.value, cst.Name) and part.value.value == node.value for part in elements):
                    return True
    return False


def keeps_value(tree: Tree, node: cst.BaseExpression) -> bool:
    """Whether no name of an expression is bound twice in its function: it has the same value throughout."""
    return all(_bound_once(tree, each) for each in walk(node) if isinstance(each, cst.Name))


def _bound_once(tree: Tree, node: cst.Name) -> bool:
    function = _function_of(tree, node)
    if function is None:
        return True
    return bindings_within(function.body).count(node.value) == int(node.value not in parameters(function))


def _only_value(scope: cst.CSTNode, name: str) -> cst.BaseExpression | None:
    if sum(each == name for each in bindings_within(scope)) != 1:
        return None
    for node in walk(scope):
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=target))], value=value) if target == name:
                return value
            case cst.AnnAssign(target=cst.Name(value=target), value=cst.BaseExpression() as value) if target == name:
                return value
    return None


def bindings_within(scope: cst.CSTNode) -> list[str]:
    """The names that a scope binds itself, and those that a `global` or `nonlocal` in it lets others bind."""
    found = [name for child in scope.children for name in bindings(child)]
    for node in walk(scope):
        if isinstance(node, (cst.Global, cst.Nonlocal)):
            found += [item.name.value for item in node.names for _ in range(2)]
        elif isinstance(node, cst.CompFor):
            found += targets(node.target)
    return found


def changed(node: cst.BaseExpression, changes: Mapping[cst.CSTNode, Change]) -> cst.BaseExpression:
    """An expression with changes of its parts, from the inside out."""
    new = node.visit(_Changing(changes))
    assert isinstance(new, cst.BaseExpression)
    return new


class _Changing(cst.CSTTransformer):
    def __init__(self, changes: Mapping[cst.CSTNode, Change]) -> None:
        super().__init__()
        self._changes = {id(old): change for old, change in changes.items()}

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        change = self._changes.get(id(original_node))
        return change(updated_node) if change is not None else updated_node  # type: ignore[arg-type]


def outermost(tree: Tree, nodes: Mapping[cst.CSTNode, Change]) -> list[cst.BaseExpression]:
    """Those of some expressions that stand in none of the others."""
    known = set(map(id, nodes))
    return [
        node
        for node in nodes
        if isinstance(node, cst.BaseExpression) and not any(id(parent) in known for parent in tree.parents(node))
    ]
