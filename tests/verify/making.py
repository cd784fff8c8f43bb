"""Findings made by hand, for tests that need no analyzer."""

from __future__ import annotations

from pathlib import Path

from jitlint.events.event import Entry, Event, EventKind, Root
from jitlint.findings.finding import Finding
from jitlint.rules.rule import Severity
from jitlint.source.places import LineTable, Place, Span
from jitlint.source.text import SourceFile


def source(path: Path, text: str | None = None) -> SourceFile:
    """A file as the linter sees it, written first if `text` is given."""
    if text is not None:
        path.write_text(text)
    return SourceFile(path, str(path), path.read_text())


def place(file: SourceFile, text: str, expression: str = "") -> Place:
    """The place of `expression` within the only occurrence of `text` (of all of it by default)."""
    assert file.text.count(text) == 1, f"{text!r} occurs {file.text.count(text)} times"
    begin = file.text.index(text)
    if expression:
        assert expression in text
        begin += text.index(expression)
    return LineTable(file.text).place(file.display, Span(begin, begin + len(expression or text)))


def finding(
    file: SourceFile,
    kind: EventKind,
    construct: str,
    text: str,
    expression: str = "",
    *,
    symbol: str = "",
    entry: str | None = None,
    function: str = "",
    transform: str = "jax.jit",
    root: str | None = None,
    calls: tuple[str, ...] = (),
    detail: dict[str, str] | None = None,
) -> Finding:
    """A finding at a place; `entry` is the text of its entry, `function` and `root` are names in the module."""
    module = file.path.stem
    traced = f"{module}:{function}" if function else ""
    event = Event(
        kind=kind,
        place=place(file, text, expression),
        construct=construct,
        symbol=f"{module}.{symbol or function}",
        entry=None if entry is None else Entry(place(file, entry), transform, traced),
        root=None if root is None else Root(file.display, module, root, calls),
        detail=detail or {},
    )
    return Finding("JIT000", "test", Severity.ERROR, "", event)
