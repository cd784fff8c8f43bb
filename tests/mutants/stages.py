"""What tracing showed of each variable where it is read."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypedDict

from tests.mutants.observed import Line


class Read(TypedDict):
    """A local variable read at a place, and the stages that it had there: tracer, contains (a tracer inside), array (a
    concrete one) or static."""

    path: str
    function: str
    line: int
    column: int
    name: str
    stages: list[str]


def reads(tree: ast.Module, lines: Mapping[int, Line], path: Path) -> list[Read]:
    """The variables of the file `path` read on the lines that ran, in source order. Columns count from 1.

    Left out are names that are not read whenever the line runs (in an alternative, a lambda or a comprehension), or
    that are read after the line has changed something (in what is assigned to).
    """
    return [
        Read(
            path=str(path),
            function=lines[node.lineno]["function"],
            line=node.lineno,
            column=node.col_offset + 1,
            name=node.id,
            stages=lines[node.lineno]["variables"][node.id]["stages"],
        )
        for node in sorted(_loads(tree), key=lambda node: (node.lineno, node.col_offset))
        if node.lineno in lines and node.id in lines[node.lineno]["variables"]
    ]


def names(tree: ast.Module) -> dict[int, frozenset[str]]:
    """The names of which `reads` tells, by the line where they are read."""
    found: dict[int, set[str]] = defaultdict(set)
    for node in _loads(tree):
        found[node.lineno].add(node.id)
    return {line: frozenset(read) for line, read in found.items()}


def _loads(node: ast.AST) -> Iterator[ast.Name]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node
    for child in _always_evaluated(node):
        yield from _loads(child)


def _always_evaluated(node: ast.AST) -> Iterable[ast.AST]:
    match node:
        case ast.Assign(value=value) | ast.AugAssign(value=value):
            return [value]
        case ast.IfExp():
            return [node.test]
        case ast.BoolOp():
            return node.values[:1]
        case ast.Compare():
            return [node.left, node.comparators[0]]
        case ast.Lambda():
            return [*node.args.defaults, *(default for default in node.args.kw_defaults if default)]
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return [node.generators[0].iter]
    return ast.iter_child_nodes(node)
