"""What the text of a module tells of the calls at its top level."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator


class TopLevel:
    """The calls of one module's text."""

    def __init__(self, source: str) -> None:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            tree = ast.Module([], [])
        names = (part for part in ast.walk(tree) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
        self._bindings = Counter(name.id for name in names)
        self._guarded = set(_guarded(tree))

    def means_the_same_later(self, arguments: str) -> bool:
        """Whether a call with this argument list may be made once all of the module has run, and fails as it did there.

        That is so if no name in it is bound again, and nobody stands by to catch what it raises.
        """
        try:
            call = ast.parse(f"f{arguments}", mode="eval").body
        except SyntaxError:
            return False
        used = {part.id for part in ast.walk(call) if isinstance(part, ast.Name)}
        return all(self._bindings[name] <= 1 for name in used) and ast.unparse(call) not in self._guarded


def _guarded(tree: ast.Module) -> Iterator[str]:
    """The argument lists of calls in the bodies of `try` statements that catch something, as calls of `f`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and node.handlers:
            for part in ast.walk(ast.Module(node.body, [])):
                if isinstance(part, ast.Call):
                    yield ast.unparse(ast.Call(ast.Name("f", ast.Load()), part.args, part.keywords))
