"""The names in view at a place when it ran, and what code there stands for."""

from __future__ import annotations

import ast
import dis
import types
from dataclasses import dataclass
from typing import Any


@dataclass
class Scope:
    """The names in view at a place when it ran."""

    globals: dict[str, Any]
    locals: dict[str, Any]
    cells: dict[str, types.CellType]


def value_of(node: ast.expr, scope: Scope, default: Any = None) -> Any:
    """The value of a name, attribute or item among the names in view; `default` if it cannot be read."""
    try:
        return read(node, scope)
    except Exception:  # noqa: BLE001  a property of the user's may raise anything
        return default


def item(holder: Any, key: Any) -> Any:
    """A container's item under a key, None if there is none."""
    try:
        return holder[key]
    except Exception:  # noqa: BLE001  a container of the user's may raise anything
        return None


def read(node: ast.expr, scope: Scope) -> Any:
    """The value of a name, attribute, item or literal; raises what reading it raises, or LookupError."""
    if isinstance(node, ast.Name):
        for names in (scope.locals, scope.globals):
            if node.id in names:
                return names[node.id]
        raise LookupError(node.id)
    if isinstance(node, ast.Attribute):
        return getattr(read(node.value, scope), node.attr)
    if isinstance(node, ast.Subscript):
        return read(node.value, scope)[read(node.slice, scope)]
    if isinstance(node, ast.Tuple):
        return tuple([read(element, scope) for element in node.elts])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setdefault":
        return read(node.func.value, scope)[read(node.args[0], scope)]
    if isinstance(node, ast.Call) and not node.args and not node.keywords:
        function = read(node.func, scope)
        if _only_reads(function):
            return function()
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError) as error:
        raise LookupError(ast.dump(node)) from error


def _only_reads(function: Any) -> bool:
    """Whether a function or method does nothing but to return what a name, attribute or item holds: `settings()`."""
    code = getattr(function, "__code__", None)
    return isinstance(code, types.CodeType) and all(
        instruction.opname.startswith(_READING) for instruction in dis.get_instructions(code)
    )


_READING = ("RESUME", "COPY_FREE_VARS", "NOP", "LOAD_", "BINARY_SUBSCR", "RETURN_VALUE", "RETURN_CONST")
"""Instructions that change nothing. Source: https://docs.python.org/3/library/dis.html"""
