"""Which calls at a module's top level can be made again once the module has run."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator


class RepeatableCalls:
    """Says of calls in one module whether they can be repeated."""

    def __init__(self, source: str) -> None:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            tree = ast.Module([], [])
        names = (part for part in ast.walk(tree) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
        self._bindings = Counter(name.id for name in names)
        self._guarded = set(_guarded(tree))

    def can_be_repeated(self, arguments: str) -> bool:
        """Whether a call with this argument list still means the same once all of the module has run.

        It does if the module binds no name in it twice, and no `try` catches what the call raises.
        """
        try:
            call = ast.parse(f"f{arguments}", mode="eval").body
        except SyntaxError:
            return False
        used = {part.id for part in ast.walk(call) if isinstance(part, ast.Name)}
        return all(self._bindings[name] <= 1 for name in used) and ast.unparse(call) not in self._guarded


def _guarded(tree: ast.Module) -> Iterator[str]:
    """The calls inside `try` bodies with handlers, written as calls of `f` so that only arguments count."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and node.handlers:
            for part in ast.walk(ast.Module(node.body, [])):
                if isinstance(part, ast.Call):
                    yield ast.unparse(ast.Call(ast.Name("f", ast.Load()), part.args, part.keywords))
