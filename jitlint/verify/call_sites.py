"""Finds calls in the project whose arguments may be evaluated, and makes each a small program.

The program contains what the arguments need and binds two names: `_function()` returns the called function,
`_arguments()` the positional and named arguments. For `step(x, n=2)` after `x = jnp.ones(3)` in a test:

    import jax.numpy as jnp
    from model import step
    x = jnp.ones(3)
    _function = lambda: step
    _arguments = lambda: (lambda *args, **kwargs: (args, kwargs))(x, n=2)

A program for a call in the function's own module runs among that module's names; any other brings the statements of
its module's top level along. Only the worker, which runs it, sees whether it works and calls the right function.
"""

from __future__ import annotations

import ast
import builtins
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from jitlint.source.text import SourceFile
from jitlint.verify.worker.messages import CallProgram

_MOST = 4
"""The most calls of one function in one file."""
_LONGEST = 300
"""The most characters of an argument list; a longer one cannot be shown."""
_BUILTINS = frozenset(dir(builtins))
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.If | None
"""What a call stands in: a function, `if __name__ == "__main__"`, or the top level (None)."""


class CallSites:
    """The calls in a project's files, by the last part of the name that is called."""

    def __init__(self, sources: Sequence[SourceFile]) -> None:
        self._sources = list(sources)
        self._files: dict[str, _File | None] = {}

    def of(self, names: Collection[str], file: str) -> list[CallProgram]:
        """Programs for calls of functions with these names; those in `file`, which defines them, come first."""
        found: list[CallProgram] = []
        for source in sorted(self._sources, key=lambda source: os.path.abspath(source.path) != file):
            called = [name for name in names if name in source.text]
            if called and (parsed := self._file(source)) is not None:
                inside = os.path.abspath(source.path) == file
                for name in called:
                    found += parsed.programs(name, inside=inside)
        return found

    def _file(self, source: SourceFile) -> _File | None:
        if source.display not in self._files:
            try:
                self._files[source.display] = _File.of(ast.parse(source.text))
            except (SyntaxError, ValueError, RecursionError):
                self._files[source.display] = None
        return self._files[source.display]


@dataclass(frozen=True, slots=True)
class _File:
    """What a file says about calls.

    Attributes:
        calls: its calls by the last part of the called name, each with its scope.
        aliases: other names of functions there.
        top: the statements of its top level by the names that they bind.
        order: the position of each of these statements.
    """

    calls: dict[str, list[tuple[_Scope, ast.Call]]]
    aliases: dict[str, list[str]]
    top: dict[str, list[ast.stmt]]
    order: dict[ast.stmt, int]

    @classmethod
    def of(cls, tree: ast.Module) -> _File:
        calls: dict[str, list[tuple[_Scope, ast.Call]]] = {}
        top: dict[str, list[ast.stmt]] = {}
        for scope, call in _calls(tree, None):
            calls.setdefault(_last_name(call.func), []).append((scope, call))
        aliases: dict[str, list[str]] = {}
        for name, alias in _aliases(tree):
            aliases.setdefault(name, []).append(alias)
        for statement in tree.body:
            for name in _bound(statement) if not _is_main_guard(statement) else ():
                top.setdefault(name, []).append(statement)
        return cls(calls, aliases, top, {statement: at for at, statement in enumerate(tree.body)})

    def programs(self, name: str, *, inside: bool) -> Iterator[CallProgram]:
        texts: set[str] = set()
        called = dict.fromkeys((name, *self.aliases.get(name, ())))
        for scope, call in [one for other in called for one in self.calls.get(other, ())]:
            text = ast.unparse(call).removeprefix(ast.unparse(call.func))
            if len(texts) == _MOST or text in texts or len(text) > _LONGEST:
                continue
            if (program := self._program(scope, call, inside=inside)) is not None:
                texts.add(text)
                yield CallProgram(name, text, *program)

    def _program(self, scope: _Scope, call: ast.Call, *, inside: bool) -> tuple[str, tuple[str, ...] | None] | None:
        """A call's program, and what it needs of the module; None if it needs what only runs inside a function."""
        local = _before(scope, call)
        missing = _read(call).union(*map(_read, local)) - frozenset[str]().union(*map(_bound, local))
        if missing & _parameters(scope) or not missing <= self.top.keys() | _BUILTINS:
            return None
        outer = [] if inside else self._needed(missing)
        pack = ast.parse("lambda: (lambda *args, **kwargs: (args, kwargs))()", mode="eval").body
        assert isinstance(pack, ast.Lambda) and isinstance(pack.body, ast.Call)
        pack.body.args, pack.body.keywords = call.args, call.keywords
        lines = [ast.unparse(statement) for statement in [*outer, *local]]
        lines += [f"_function = lambda: {ast.unparse(call.func)}", f"_arguments = {ast.unparse(pack)}"]
        return "\n".join(lines), tuple(sorted(missing)) if inside else None

    def _needed(self, names: Collection[str]) -> list[ast.stmt]:
        """The statements of the top level that bind names, with those that they need in turn."""
        found: set[ast.stmt] = set(self.top.get("annotations", ()))  # from __future__, if it is that
        waiting = list(names)
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                new = [statement for statement in self.top.get(name, ()) if statement not in found]
                found.update(new)
                waiting += [read for statement in new for read in _read(statement)]
        return sorted(found, key=self.order.__getitem__)


def _calls(node: ast.AST, scope: _Scope) -> Iterator[tuple[_Scope, ast.Call]]:
    for child in ast.iter_child_nodes(node):
        inner = scope
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) or _is_main_guard(child):
            inner = child  # type: ignore[assignment]
        if isinstance(child, ast.Call):
            yield scope, child
        yield from _calls(child, inner)


def _aliases(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Pairs of a name and its alias, from `from model import step as s` and `fast = jax.jit(step)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((alias.name, alias.asname) for alias in node.names if alias.asname)
        elif (
            isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call)
        ):
            for part in ast.walk(node.value):
                if isinstance(part, (ast.Name, ast.Attribute)):
                    yield _last_name(part), node.targets[0].id


def _before(scope: _Scope, call: ast.Call) -> list[ast.stmt]:
    """The assignments in a scope that bind a call's names; a loop's target gets its first item."""
    if scope is None:
        return []
    found: list[ast.stmt] = []
    wanted = _read(call)
    candidates = [part for part in ast.walk(scope) if isinstance(part, ast.stmt) and part.lineno < call.lineno]
    for statement in sorted(candidates, key=lambda part: -part.lineno):
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            turns = ast.Call(ast.Name("iter", ast.Load()), [statement.iter], [])
            first = ast.Call(ast.Name("next", ast.Load()), [turns], [])
            statement = ast.Assign([statement.target], first, lineno=statement.lineno)
        if (
            isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom))
            and _bound(statement) & wanted
        ):
            found.insert(0, statement)
            wanted |= _read(statement)
    return found


def _bound(statement: ast.stmt) -> frozenset[str]:
    """The names that a statement binds in its scope."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return frozenset((statement.name,))
    found: set[str] = set()
    for part in ast.walk(statement):
        if isinstance(part, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in part.names}
        elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(part.name)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            found.add(part.id)
    return frozenset(found)


def _read(node: ast.AST) -> frozenset[str]:
    """The names that a tree reads and does not bind itself in a comprehension or function."""
    read = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    own = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    for part in ast.walk(node):
        if isinstance(part, ast.comprehension):
            own |= {name.id for name in ast.walk(part.target) if isinstance(name, ast.Name)}
        elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            own |= _bound(part) | frozenset[str]().union(*map(_bound, part.body))
    return frozenset(read - own)


def _parameters(scope: _Scope) -> frozenset[str]:
    if not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return frozenset()
    return frozenset(part.arg for part in ast.walk(scope.args) if isinstance(part, ast.arg))


def _is_main_guard(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "__name__" in _read(node.test)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
