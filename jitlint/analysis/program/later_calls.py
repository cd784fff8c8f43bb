"""What a document does after a change: nothing imports it, so that nothing else calls its functions again."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator

from jitlint.analysis.machine.state import StateRead, StateWrite
from jitlint.source.text import SourceFile

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Import, ast.ImportFrom, ast.Delete)


class LaterCalls:
    """Whether what a traced body has read can matter after a change, by the text of the document that both lie in."""

    def __init__(self, sources: Iterable[SourceFile]) -> None:
        self._texts = {source.display: source.text for source in sources if source.document is not None}
        self._bodies: dict[str, list[ast.stmt]] = {}

    def matters(self, read: StateRead, write: StateWrite) -> bool:
        """Whether the function that has read may run again after a change; True wherever the text does not tell."""
        path = write.place.path
        if path not in self._texts or {read.place.path, read.entry.place.path} != {path}:
            return True
        body = self._body(path)
        lines = (read.place.line, read.entry.place.line, write.place.line)
        made, applied, changed = (_holding(body, line) for line in lines)
        if made is None or applied is None or changed is None or _is_within(write.place.line, body[changed]):
            return True
        if made > changed:
            return False  # it is made after the change
        inside = not isinstance(body[changed], (*_SIMPLE, *_DEFINITIONS))
        if inside and changed in (made, applied):
            return True
        function = read.entry.function.rpartition(":")[2]
        named = function != "" and "." not in function
        names = {function, *_bound(body[made]), *_bound(body[applied])}
        for statement in body[made + 1 : changed]:
            names = _names_after(statement, names, named=named)
        if inside and not names.isdisjoint(_read(body[changed])):
            return True
        for statement in body[changed + 1 :]:
            if not names.isdisjoint(_read(statement)):
                return True
            names -= _bound(statement)
        return False

    def _body(self, path: str) -> list[ast.stmt]:
        if path not in self._bodies:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self._bodies[path] = ast.parse(self._texts[path]).body
            except (SyntaxError, ValueError, RecursionError, MemoryError):  # newer than this Python
                self._bodies[path] = []
        return self._bodies[path]


def _holding(body: list[ast.stmt], line: int) -> int | None:
    """Which of the statements a line is in."""
    for at, statement in enumerate(body):
        decorators = statement.decorator_list if isinstance(statement, _DEFINITIONS) else []
        first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
        if first <= line <= (statement.end_lineno or line):
            return at
    return None


def _is_within(line: int, statement: ast.stmt) -> bool:
    """Whether a line is in the body of a definition, which may run at any time."""
    return isinstance(statement, _DEFINITIONS) and line >= statement.body[0].lineno


def _names_after(statement: ast.stmt, names: set[str], *, named: bool) -> set[str]:
    """The names that lead to a function after a statement; if it is not `named` itself, what calls give may do, too."""
    bound = _bound(statement)
    leads = _handed_on(statement) if named and not isinstance(statement, _DEFINITIONS) else _read(statement)
    return names - bound if names.isdisjoint(leads) else names | bound


def _handed_on(statement: ast.stmt) -> set[str]:
    """The names that a statement reads, but for those that it only calls."""
    called = {id(node.func) for node in ast.walk(statement) if isinstance(node, ast.Call)}
    return {node.id for node in _reads(statement) if id(node) not in called}


def _read(statement: ast.stmt) -> set[str]:
    return {node.id for node in _reads(statement)}


def _reads(statement: ast.stmt) -> Iterator[ast.Name]:
    yield from (node for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, _DEFINITIONS):
        return {statement.name}
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
