"""Mutations of the code that is there: an expression turned into what a NumPy programmer would have written."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

TRACED_CONSTANT = "traced constant"
"""A static value made a traced one: what fails then, if anything does, fails later."""
_NUMPY = frozenset(
    [
        "abs",
        "arange",
        "array",
        "asarray",
        "clip",
        "concatenate",
        "cos",
        "cumsum",
        "diff",
        "dot",
        "exp",
        "expand_dims",
        "eye",
        "floor",
        "full",
        "isfinite",
        "isnan",
        "log",
        "log1p",
        "logical_and",
        "max",
        "maximum",
        "mean",
        "min",
        "minimum",
        "ones",
        "outer",
        "power",
        "prod",
        "reshape",
        "sign",
        "sin",
        "sqrt",
        "square",
        "squeeze",
        "stack",
        "std",
        "sum",
        "tanh",
        "tile",
        "transpose",
        "where",
        "zeros",
    ]
)
_MATH = frozenset(["ceil", "cos", "exp", "floor", "isfinite", "isnan", "log", "log1p", "sin", "sqrt", "tan", "tanh"])
_JNP = frozenset({"jnp", "jax.numpy", "np"})


class Rewrite(NamedTuple):
    """The replacement text of a node, and the kind of bug that it is."""

    kind: str
    node: ast.AST
    text: str


def rewrites(statement: ast.stmt, source: str) -> Iterator[Rewrite]:
    """All rewrites of the expressions of a simple statement, or of the head of a compound one."""

    def text(node: ast.AST) -> str:
        return ast.get_source_segment(source, node) or ""

    for node in _own_nodes(statement):
        if isinstance(node, ast.Call):
            yield from _calls(node, text)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
            word = "and" if isinstance(node.op, ast.BitAnd) else "or"
            yield Rewrite("boolean operator", node, f"({text(node.left)} {word} {text(node.right)})")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            yield Rewrite("boolean operator", node, f"(not {text(node.operand)})")
    yield from _values(statement, text)


def _calls(node: ast.Call, text: Callable[[ast.AST], str]) -> Iterator[Rewrite]:
    owner, _, name = ast.unparse(node.func).rpartition(".")
    arguments = [text(argument) for argument in node.args]
    plain = not node.keywords and not any(isinstance(argument, ast.Starred) for argument in node.args)
    if owner in _JNP and plain:
        yield from _array_function(node, owner, name, arguments)
    if owner in ("lax", "jax.lax") and name == "cond" and plain and len(arguments) >= 3:
        rest = ", ".join(arguments[3:])
        yield Rewrite("ternary", node, f"({arguments[1]}({rest}) if {arguments[0]} else {arguments[2]}({rest}))")
    if owner in _JNP and owner != "np" and name in _NUMPY:
        yield Rewrite("numpy", node.func, f"np.{name}")
    if owner in _JNP and owner != "np" and name in _MATH:
        yield Rewrite("math", node.func, f"math.{name}")


def _array_function(node: ast.Call, owner: str, name: str, arguments: list[str]) -> Iterator[Rewrite]:
    match name, arguments:
        case "where", [condition, one, other]:
            yield Rewrite("ternary", node, f"(({one}) if {condition} else ({other}))")
        case "maximum" | "minimum", [one, other]:
            yield Rewrite("deciding builtin", node, f"{name[:3]}({one}, {other})")
        case "logical_and", [one, other]:
            yield Rewrite("boolean operator", node, f"({one} and {other})")
        case "logical_or", [one, other]:
            yield Rewrite("boolean operator", node, f"({one} or {other})")
        case "logical_not", [one]:
            yield Rewrite("boolean operator", node, f"(not {one})")
        case "any" | "all", [one]:
            yield Rewrite("deciding builtin", node, f"{name}({one})")
        case "clip", [value, low, high]:
            yield Rewrite("deciding builtin", node, f"min(max({value}, {low}), {high})")
        case "zeros" | "ones" | "arange", [size]:
            yield Rewrite("traced size", node, f"{owner}.{name}({owner}.asarray({size}))")


def _values(statement: ast.stmt, text: Callable[[ast.AST], str]) -> Iterator[Rewrite]:
    if not isinstance(statement, ast.Return | ast.Assign) or statement.value is None:
        return
    if isinstance(statement, ast.Assign) and not isinstance(statement.targets[0], ast.Name):
        return
    if isinstance(statement.value, ast.Lambda | ast.Constant | ast.Tuple | ast.Dict | ast.List | ast.Yield):
        return
    value = f"({text(statement.value)})"
    yield Rewrite("number conversion", statement.value, f"float{value}")
    yield Rewrite("array to Python", statement.value, f"{value}.item()")
    yield Rewrite("array to Python", statement.value, f"{value}.tolist()")
    yield Rewrite("numpy", statement.value, f"np.asarray{value}")
    yield Rewrite(TRACED_CONSTANT, statement.value, f"jax.lax.stop_gradient{value}")
    yield Rewrite(TRACED_CONSTANT, statement.value, f"jnp.asarray{value}")
    at_set = statement.value
    if (
        isinstance(statement, ast.Assign)
        and isinstance(at_set, ast.Call)
        and isinstance(at_set.func, ast.Attribute)
        and at_set.func.attr == "set"
        and isinstance(at_set.func.value, ast.Subscript)
        and isinstance(at_set.func.value.value, ast.Attribute)
        and len(at_set.args) == 1
    ):
        array, index = at_set.func.value.value.value, at_set.func.value.slice
        name = text(statement.targets[0])
        changed = f"{name} = {text(array)}; {name}[{text(index)}] = {text(at_set.args[0])}"
        yield Rewrite("in-place", statement, changed)


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expression nodes of a statement, without those of statements and functions inside it."""
    pending: list[ast.AST] = [statement]
    while pending:
        for child in ast.iter_child_nodes(pending.pop()):
            if not isinstance(child, ast.stmt | ast.Lambda | ast.ExceptHandler | ast.match_case):
                yield child
                pending.append(child)
