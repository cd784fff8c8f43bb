"""Generator functions become functions that return lists."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, Tree, walk


def listing(site: Site) -> Iterator[Proposal]:
    """The generator function that an event is about returns a list of what it gave."""
    name, tree = site.event.subject, site.tree
    functions = [each for each in walk(tree.module) if isinstance(each, cst.FunctionDef) and each.name.value == name]
    if len(functions) != 1:
        return
    replacements = _changed(site, functions[0])
    if replacements:
        yield site.proposal(f"Return a list from '{name}'", Grade.UNSAFE, replacements)


def _changed(site: Site, function: cst.FunctionDef) -> dict[cst.CSTNode, Replacement]:
    tree, body = site.tree, function.body
    if function.asynchronous is not None or not isinstance(body, cst.IndentedBlock):
        return {}
    own = list(_own_nodes(function.body))
    yields = [each for each in own if isinstance(each, cst.Yield)]
    returns = [each for each in own if isinstance(each, cst.Return)]
    if any(isinstance(each, cst.While) for each in own) or any(each.value is not None for each in returns):
        return {}
    if function.returns is not None or not all(isinstance(next(tree.parents(each)), cst.Expr) for each in yields):
        return {}
    short = _comprehension(tree, body)
    if short is not None:
        return short
    results = site.names.fresh("results", "items")
    found: dict[cst.CSTNode, Replacement] = {}
    for each in yields:
        found[next(tree.parents(each))] = cst.Expr(cst.parse_expression(_added(tree, each, results)))
    for leaving in returns:
        found[leaving] = cst.Return(cst.Name(results))
    first = body.body[1] if _is_docstring(body.body[0]) and len(body.body) > 1 else body.body[0]
    last = body.body[-1]
    changed = function.visit(_Changing(found))
    assert isinstance(changed, cst.FunctionDef) and isinstance(changed.body, cst.IndentedBlock)
    statements = list(changed.body.body)
    at = list(body.body).index(first)
    following = statements[at]
    assert isinstance(following, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
    begin = [each.with_changes(leading_lines=following.leading_lines) for each in tree.statements(f"{results} = []\n")]
    end = [] if _is_return(last) else tree.statements(f"return {results}\n")
    statements[at : at + 1] = [*begin, following.with_changes(leading_lines=[])]
    return {function: changed.with_changes(body=changed.body.with_changes(body=[*statements, *end]))}


def _own_nodes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    if not isinstance(node, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
        for child in node.children:
            yield from _own_nodes(child)


def _added(tree: Tree, node: cst.Yield, results: str) -> str:
    match node.value:
        case cst.From(item=item):
            return f"{results}.extend({tree.code(item)})"
        case cst.Tuple(lpar=[]):
            return f"{results}.append(({tree.code(node.value)}))"
        case None:
            return f"{results}.append(None)"
    return f"{results}.append({tree.code(node.value)})"


def _comprehension(tree: Tree, body: cst.IndentedBlock) -> dict[cst.CSTNode, Replacement] | None:
    """`return [v * v for v in values]` in place of a loop that does nothing but yield."""
    loop = body.body[-1]
    if any(isinstance(each, (cst.Yield, cst.Return)) for other in body.body[:-1] for each in _own_nodes(other)):
        return None
    match loop:
        case cst.For(
            body=cst.IndentedBlock(body=[cst.SimpleStatementLine(body=[cst.Expr(value=cst.Yield(value=item))])]),
            orelse=None,
            asynchronous=None,
        ) if isinstance(item, cst.BaseExpression):
            text = tree.code(item)
            element = f"({text})" if isinstance(item, cst.Tuple) and not item.lpar else text
            values = tree.code(loop.iter)
            iterated = f"({values})" if isinstance(loop.iter, cst.Tuple) and not loop.iter.lpar else values
            line = f"return [{element} for {tree.code(loop.target)} in {iterated}]\n"
            return {loop: tree.in_place_of([loop], line)}
    return None


def _is_docstring(statement: cst.BaseStatement) -> bool:
    match statement:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString())]):
            return True
    return False


def _is_return(statement: cst.BaseStatement) -> bool:
    match statement:
        case cst.SimpleStatementLine(body=[cst.Return()]):
            return True
    return False


class _Changing(cst.CSTTransformer):
    def __init__(self, changes: dict[cst.CSTNode, Replacement]) -> None:
        super().__init__()
        self._changes = {id(old): new for old, new in changes.items()}

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        new = self._changes.get(id(original_node), updated_node)
        assert isinstance(new, cst.CSTNode)
        return new
