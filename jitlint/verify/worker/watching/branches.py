"""Why a line was not reached: the nearest branch on the way to it that went the other way."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from ..user_code.sites import Site

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def missed(site: Site, source: str, executed: Collection[tuple[str, int]]) -> str:
    """What kept the code from a place, in words.

    Args:
        site: a place that was not reached.
        source: the text of its file.
        executed: the lines that ran, with their files.
    """
    lines = {line for file, line in executed if file == site.file}
    way = list(_way(ast.parse(source), site))
    for at, node in enumerate(way):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not _ran_any(node.body, lines):
            return f"`{node.name}` is not called"
        if isinstance(node, ast.stmt) and at and not _ran(node, lines):
            return _before(way[at - 1], node, lines) or _entered(way[at - 1], node)
    inner = [(node, way[at + 1]) for at, node in enumerate(way[:-1])]
    conditional = next((_entered(node, part) for node, part in reversed(inner) if _entered(node, part)), "")
    return conditional or "no input tried got there"


def _way(tree: ast.AST, site: Site) -> Iterator[ast.AST]:
    """The nodes around a place, outermost first."""
    node: ast.AST | None = tree
    while node is not None:
        yield node
        node = next((part for part in _parts(node) if _holds(part, site)), None)


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one, seen through those that have no place of their own."""
    for part in ast.iter_child_nodes(node):
        if hasattr(part, "lineno"):
            yield part
        else:
            yield from _parts(part)


def _holds(node: ast.AST, site: Site) -> bool:
    begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.decorator_list:
        begin = min((one.lineno, one.col_offset) for one in node.decorator_list)
    return begin <= (site.line, site.column) and (site.end_line, site.end_column) <= end


def _ran(statement: ast.stmt, lines: set[int]) -> bool:
    """Whether a statement, or the head of a compound one, ran."""
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if isinstance(body, list) and body else statement.end_lineno or statement.lineno
    return any(line in lines for line in range(statement.lineno, max(last, statement.lineno) + 1))


def _ran_any(statements: list[ast.stmt], lines: set[int]) -> bool:
    return any(_ran(statement, lines) for statement in statements)


def _before(parent: ast.AST, statement: ast.stmt, lines: set[int]) -> str:
    """The statement of the same block at which the code left it."""
    for name in ("body", "orelse", "finalbody", "handlers"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and statement in block:
            ran = [other for other in block[: block.index(statement)] if _ran(other, lines)]
            if not ran:
                return ""
            left = next((one for one in reversed(ran) if any(isinstance(n, _LEAVING) for n in ast.walk(one))), None)
            return _test(left) if left is not None else f"the code stops in line {ran[-1].lineno}"
    return ""


def _entered(parent: ast.AST, part: ast.AST) -> str:
    """What decides whether a part of a statement or expression runs; "" if nothing does."""
    if isinstance(parent, ast.ExceptHandler):
        return f"the handler in line {parent.lineno} did not run"
    if isinstance(parent, (ast.If, ast.While, ast.IfExp)) and part is not parent.test:
        return _test(parent)
    if isinstance(parent, (ast.For, ast.AsyncFor, ast.Match)):
        return _test(parent)
    if isinstance(parent, ast.BoolOp) and part is not parent.values[0]:
        return f"branch on `{_short(parent.values[0])}` in line {parent.lineno}"
    if isinstance(parent, ast.Lambda):
        return f"the lambda in line {parent.lineno} is not called"
    return ""


def _test(statement: ast.AST) -> str:
    if isinstance(statement, (ast.If, ast.While, ast.IfExp)):
        return f"branch on `{_short(statement.test)}` in line {statement.test.lineno}"
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return f"loop over `{_short(statement.iter)}` in line {statement.lineno}"
    if isinstance(statement, ast.Match):
        return f"match on `{_short(statement.subject)}` in line {statement.lineno}"
    return f"the code leaves in line {getattr(statement, 'lineno', 0)}"


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else f"{text[:59]}…"
