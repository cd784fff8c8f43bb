"""What tracing showed of each variable where it is read: records for comparing with the analyzer's stages."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypedDict

from tests.mutants.mutate import Base


class Read(TypedDict):
    """A local variable read at a place, and the stages that it had there: tracer, contains (a tracer inside), array (a
    concrete one) or static."""

    path: str
    function: str
    line: int
    column: int
    name: str
    stages: list[str]


def reads(base: Base, path: Path) -> list[Read]:
    """The variables read on the lines that ran, in source order. Columns count from 1.

    Left out are names that a lambda or a comprehension binds: they mean something else inside.
    """
    return [
        Read(
            path=str(path),
            function=base.lines[node.lineno]["function"],
            line=node.lineno,
            column=node.col_offset + 1,
            name=node.id,
            stages=base.lines[node.lineno]["variables"][node.id]["stages"],
        )
        for node in sorted(_loads(base.tree, frozenset()), key=lambda node: (node.lineno, node.col_offset))
        if node.lineno in base.lines and node.id in base.lines[node.lineno]["variables"]
    ]


def _loads(node: ast.AST, hidden: frozenset[str]) -> Iterator[ast.Name]:
    if isinstance(node, ast.Lambda):
        arguments = node.args
        hidden |= {found.arg for found in ast.walk(arguments) if isinstance(found, ast.arg)}
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        hidden |= {name.id for made in node.generators for name in ast.walk(made.target) if isinstance(name, ast.Name)}
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in hidden:
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _loads(child, hidden)


def save(records: Iterable[Read], path: Path) -> int:
    """Writes records as JSON lines; gives their number."""
    lines = [json.dumps(record) for record in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines)
