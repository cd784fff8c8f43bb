"""What the linter asks for: one probe per finding, as it arrives over the wire."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from .sites import Site


@dataclass(frozen=True)
class Probe:
    """A suspicion: this kind of event at this place, inside that traced function, reached from that root.

    `lines` are those of the root's file that the way from the root to the place goes through.
    """

    id: int
    kind: str
    construct: str
    site: Site
    symbol: str
    entry_transform: str
    entry_function: str
    entry_site: Site | None
    root_module: str
    root_qualname: str
    calls: tuple[str, ...]
    lines: tuple[int, ...] = ()
    detail: dict[str, str] = field(default_factory=dict)
    expression: ast.expr | None = None


def from_wire(item: dict[str, Any], sources: dict[str, str]) -> Probe:
    """A probe from its JSON form; `sources` are the texts of the user's files, to turn characters into bytes."""
    entry = item.get("entry") or {}
    root = item.get("root") or {}
    site = _site(item["place"], sources)
    return Probe(
        id=item["id"],
        kind=item["kind"],
        construct=item["construct"],
        site=site,
        symbol=item["symbol"],
        entry_transform=entry.get("transform", ""),
        entry_function=entry.get("function", ""),
        entry_site=_site(entry["place"], sources) if entry else None,
        root_module=root.get("module", ""),
        root_qualname=root.get("qualname", ""),
        calls=tuple(root.get("calls", ())),
        lines=tuple(root.get("lines", ())),
        detail=item["detail"],
        expression=expression_at(site, sources.get(site.file, "")),
    )


def _site(place: dict[str, Any], sources: dict[str, str]) -> Site:
    lines = sources.get(place["file"], "").split("\n")

    def column(line: int, column: int) -> int:
        text = lines[line - 1] if line <= len(lines) else ""
        return len(text[: column - 1].encode())

    return Site(
        place["file"],
        place["line"],
        column(place["line"], place["column"]),
        place["end_line"],
        column(place["end_line"], place["end_column"]),
        "",
    )


def text_at(site: Site, source: str) -> str:
    """The source text of a place."""
    lines = [line.encode() for line in source.split("\n")][site.line - 1 : site.end_line]
    if not lines:
        return ""
    lines[-1] = lines[-1][: site.end_column]
    lines[0] = lines[0][site.column :]
    return b"\n".join(lines).decode(errors="replace")


def expression_at(site: Site, source: str) -> ast.expr | None:
    """The expression at a place, None if the text there is no whole expression."""
    try:
        return ast.parse(f"({text_at(site, source)}\n)", mode="eval").body
    except SyntaxError:
        return None
