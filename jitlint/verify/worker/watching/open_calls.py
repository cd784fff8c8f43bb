"""Calls of a traced function that no run has come to: they may pass what the others do not."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from ..messages import Line


@dataclass(frozen=True)
class OpenCall:
    """A call that did not run: its text, and where it stands."""

    text: str
    line: Line


def of(name: str, sources: Mapping[str, str], executed: Collection[tuple[str, int]]) -> OpenCall | None:
    """The first call of a function that did not run, if others did; None if all or none of them ran.

    Args:
        name: the last part of the function's name.
        sources: the texts of the user's files; a text without the name has no call.
        executed: the lines that ran, with their files.
    """
    calls = [(file, call) for file, text in sources.items() if name and name in text for call in _calls(name, text)]
    waiting = [(file, call) for file, call in calls if (file, call.lineno) not in executed]
    if not waiting or len(waiting) == len(calls):
        return None
    file, call = waiting[0]
    return OpenCall(f"{ast.unparse(call.func)}(…)", Line(file, call.lineno))


def _calls(name: str, text: str) -> Iterator[ast.Call]:
    with contextlib.suppress(SyntaxError, ValueError, RecursionError):
        for node in ast.walk(ast.parse(text)):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(node, ast.Call) and name in (getattr(called, "id", ""), getattr(called, "attr", "")):
                yield node
