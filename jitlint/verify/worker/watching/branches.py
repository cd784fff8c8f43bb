"""Why a line was not reached: the nearest branch on the way to it that went the other way."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from ..messages import Line, Words
from ..user_code.sites import Site

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def missed(site: Site, source: str, executed: Collection[tuple[str, int]]) -> str | Words:
    """Says what kept the code from a place.

    Args:
        site: a place that was not reached.
        source: the text of its file.
        executed: the lines that ran, with their files.
    """
    return _Path(site, source, executed).missed()


class _Path:
    """The syntax nodes around a place, outermost first, and which lines of its file ran."""

    def __init__(self, site: Site, source: str, executed: Collection[tuple[str, int]]) -> None:
        self._file = site.file
        self._ran_lines = {line for file, line in executed if file == site.file}
        self._nodes = list(_around(ast.parse(source), site))

    def missed(self) -> str | Words:
        nodes = self._nodes
        for at, node in enumerate(nodes):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not any(map(self._ran, node.body)):
                return f"`{node.name}` is not called"
            if isinstance(node, ast.stmt) and at and not self._ran(node):
                return self._left_before(nodes[at - 1], node) or self._decided(nodes[at - 1], node) or ""
        pairs = zip(reversed(nodes[:-1]), reversed(nodes[1:]), strict=True)
        return next(filter(None, (self._decided(*pair) for pair in pairs)), "no input tried got there")

    def _ran(self, statement: ast.stmt) -> bool:
        """Whether a statement, or the head of a compound one, ran."""
        body = getattr(statement, "body", None)
        last = body[0].lineno - 1 if isinstance(body, list) and body else statement.end_lineno or statement.lineno
        return any(line in self._ran_lines for line in range(statement.lineno, max(last, statement.lineno) + 1))

    def _left_before(self, parent: ast.AST, statement: ast.stmt) -> Words | None:
        """Names the statement of the same block at which the code left it; None if none ran."""
        for name in ("body", "orelse", "finalbody", "handlers"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and statement in block:
                ran = [other for other in block[: block.index(statement)] if self._ran(other)]
                if not ran:
                    return None
                left = next((one for one in reversed(ran) if any(isinstance(n, _LEAVING) for n in ast.walk(one))), None)
                return self._test(left) if left is not None else self._said("the code stops in ", ran[-1].lineno)
        return None

    def _decided(self, parent: ast.AST, part: ast.AST) -> Words | None:
        """Names what decides whether a part of a statement or expression runs; None if nothing does."""
        if isinstance(parent, ast.ExceptHandler):
            return self._said("the handler in ", parent.lineno, " did not run")
        if isinstance(parent, (ast.If, ast.While, ast.IfExp)) and part is not parent.test:
            return self._test(parent)
        if isinstance(parent, (ast.For, ast.AsyncFor, ast.Match)):
            return self._test(parent)
        if isinstance(parent, ast.BoolOp) and part is not parent.values[0]:
            return self._said(f"branch on `{_short(parent.values[0])}` in ", parent.lineno)
        if isinstance(parent, ast.Lambda):
            return self._said("the lambda in ", parent.lineno, " is not called")
        return None

    def _test(self, statement: ast.AST) -> Words:
        if isinstance(statement, (ast.If, ast.While, ast.IfExp)):
            return self._said(f"branch on `{_short(statement.test)}` in ", statement.test.lineno)
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            return self._said(f"loop over `{_short(statement.iter)}` in ", statement.lineno)
        if isinstance(statement, ast.Match):
            return self._said(f"match on `{_short(statement.subject)}` in ", statement.lineno)
        return self._said("the code leaves in ", getattr(statement, "lineno", 0))

    def _said(self, before: str, line: int, after: str = "") -> Words:
        return Words((before, Line(self._file, line), after))


def _around(tree: ast.AST, site: Site) -> Iterator[ast.AST]:
    node: ast.AST | None = tree
    while node is not None:
        yield node
        node = next((part for part in _parts(node) if _holds(part, site)), None)


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one; below nodes that have no place of their own, such as `ast.arguments`, their children."""
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


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else f"{text[:59]}…"
