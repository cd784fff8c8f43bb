"""Notebooks and Markdown: whether a traced function can be called again after the state it read has changed.

A jitted function that reads a global is stale only if it is called again after the global changes. For a module nobody
knows who may call it later. Nothing imports a document, however, so that the cells below the change decide.

Example: a cell defines `step`, which reads `rate`; a later cell sets `rate = 0.2`. That is no fault unless a cell after
it calls `step`, or calls something that may.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator

from jitlint.analysis.machine.state import StateRead, StateWrite
from jitlint.source.text import SourceFile

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Import, ast.ImportFrom, ast.Delete)


class LaterCalls:
    """Judges by the text of documents whether a traced function may run again after a change of what it read."""

    def __init__(self, sources: Iterable[SourceFile]) -> None:
        self._texts = {source.display: source.text for source in sources if source.document is not None}
        self._bodies: dict[str, list[ast.stmt]] = {}

    def may_follow(self, read: StateRead, write: StateWrite) -> bool:
        """Whether the function that read some state may be called after `write` has changed it.

        True in modules, and wherever the text of a document does not decide.

        Args:
            read: what the traced function read, and where the function was transformed.
            write: the change of the same state.
        """
        path = write.place.path
        if path not in self._texts or {read.place.path, read.entry.place.path} != {path}:
            return True
        body = self._body(path)
        lines = (read.place.line, read.entry.place.line, write.place.line)
        defined, applied, changed = (_statement_at(body, line) for line in lines)
        if defined is None or applied is None or changed is None or _is_in_body(write.place.line, body[changed]):
            return True
        if defined > changed:
            return False  # the function does not exist before the change
        # The parts of a compound statement, such as a loop, may run in any order: the function after the change, too.
        compound = not isinstance(body[changed], (*_SIMPLE, *_DEFINITIONS))
        if compound and changed in (defined, applied):
            return True
        function = read.entry.function.rpartition(":")[2]
        has_name = function != "" and "." not in function
        names = {function, *_names_bound(body[defined]), *_names_bound(body[applied])}
        for statement in body[defined + 1 : changed]:
            names = _names_after(statement, names, has_name=has_name)
        if compound and not names.isdisjoint(_names_read(body[changed])):
            return True
        for statement in body[changed + 1 :]:
            if not names.isdisjoint(_names_read(statement)):
                return True
            names -= _names_bound(statement)
        return False

    def _body(self, path: str) -> list[ast.stmt]:
        """The statements of a document; empty if Python cannot parse it."""
        if path not in self._bodies:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self._bodies[path] = ast.parse(self._texts[path]).body
            except (SyntaxError, ValueError, RecursionError, MemoryError):  # its syntax is newer than this Python, say
                self._bodies[path] = []
        return self._bodies[path]


def _statement_at(body: list[ast.stmt], line: int) -> int | None:
    """The number of the statement that a line belongs to; None if it belongs to none."""
    for at, statement in enumerate(body):
        decorators = statement.decorator_list if isinstance(statement, _DEFINITIONS) else []
        first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
        if first <= line <= (statement.end_lineno or line):
            return at
    return None


def _is_in_body(line: int, statement: ast.stmt) -> bool:
    """Whether a line is in the body of a definition: such a line may run at any time, not only where it is written."""
    return isinstance(statement, _DEFINITIONS) and line >= statement.body[0].lineno


def _names_after(statement: ast.stmt, names: set[str], *, has_name: bool) -> set[str]:
    """The names through which a function can be called after a statement has run, given those before it.

    `again = step` adds `again`; `step = None` removes `step`. `result = step(x)` adds nothing, unless the function has
    no name of its own (`has_name`): then `make_step()` may be what returns it.
    """
    bound = _names_bound(statement)
    leads = (
        _names_passed_on(statement) if has_name and not isinstance(statement, _DEFINITIONS) else _names_read(statement)
    )
    return names - bound if names.isdisjoint(leads) else names | bound


def _names_passed_on(statement: ast.stmt) -> set[str]:
    """The names that a statement reads, without those that it only calls."""
    called = {id(node.func) for node in ast.walk(statement) if isinstance(node, ast.Call)}
    return {node.id for node in _reads(statement) if id(node) not in called}


def _names_read(statement: ast.stmt) -> set[str]:
    """The names that a statement reads, those in nested functions among them."""
    return {node.id for node in _reads(statement)}


def _reads(statement: ast.stmt) -> Iterator[ast.Name]:
    """The places in a statement at which a name is read."""
    yield from (node for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))


def _names_bound(statement: ast.stmt) -> set[str]:
    """The names that a statement assigns or defines."""
    if isinstance(statement, _DEFINITIONS):
        return {statement.name}
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
