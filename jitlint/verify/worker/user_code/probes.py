"""One suspicion that a worker looks into, with its place as Python's instructions name it."""

from __future__ import annotations

import ast
import contextlib
import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..messages import Extent, ProbeRequest
from .sites import Site


@dataclass(frozen=True)
class Probe:
    """A suspicion: an event of this kind at this place.

    Attributes:
        id: the linter's number for it.
        kind: the kind of event, by its value in the linter's `EventKind`.
        construct: what stands at the place, such as "if".
        site: the place.
        symbol: the qualified name of the function around the place.
        entry_transform: the transform that traces the place, such as "jax.jit"; "" if it is not known.
        entry_function: the traced function as "module:qualname"; "" if it is not known.
        entry_site: where the transform is applied.
        root_module: the module in which the analyzer began.
        root_qualname: the function in which it began; "" for the module's top level.
        calls: the argument lists of that function's calls at the module's top level.
        lines: the lines of the root's file on the way from the root to the place.
        source: the function and its parameter that the value at the place comes from, if it comes from one.
        origin: where the value at the place comes from, or the loop that a derivative goes through.
        assumed: what the suspicion rests on, in words.
        detail: what else the analyzer knows, by name.
        expression: the expression at the place, None if the text there is no whole expression.
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
    source: tuple[str, str] | None = None
    origin: Site | None = None
    assumed: tuple[str, ...] = ()
    detail: Mapping[str, str] = field(default_factory=dict)
    expression: ast.expr | None = None


def probe_of(request: ProbeRequest, sources: Mapping[str, str]) -> Probe:
    """The probe of a request; `sources`, the texts of the user's files, turn columns of characters into bytes."""
    entry, root = request.entry, request.root
    site = _site(request.place, sources)
    return Probe(
        id=request.id,
        kind=request.kind,
        construct=request.construct,
        site=site,
        symbol=request.symbol,
        entry_transform=entry.transform if entry is not None else "",
        entry_function=entry.function if entry is not None else "",
        entry_site=_site(entry.place, sources) if entry is not None else None,
        root_module=root.module,
        root_qualname=root.qualname,
        calls=root.calls,
        lines=root.lines,
        source=_parameter_at(_site(request.source, sources), sources) if request.source is not None else None,
        origin=_site(request.source, sources) if request.source is not None else None,
        assumed=request.assumed,
        detail=request.detail,
        expression=expression_at(site, sources.get(site.file, "")),
    )


def _site(place: Extent, sources: Mapping[str, str]) -> Site:
    lines = sources.get(place.file, "").split("\n")

    def in_bytes(line: int, column: int) -> int:
        text = lines[line - 1] if line <= len(lines) else ""
        return len(text[: column - 1].encode())

    begin, end = in_bytes(place.line, place.column), in_bytes(place.end_line, place.end_column)
    return Site(place.file, place.line, begin, place.end_line, end, "")


def _parameter_at(site: Site, sources: Mapping[str, str]) -> tuple[str, str] | None:
    """The names of the function and of its parameter that is written at a place."""
    for function in _functions(sources.get(site.file, "")):
        given = function.args
        for parameter in (*given.posonlyargs, *given.args, *given.kwonlyargs):
            if (parameter.lineno, parameter.col_offset) == (site.line, site.column):
                return function.name, parameter.arg
    return None


@functools.lru_cache(16)
def _functions(source: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def attributes_around(site: Site, source: str) -> frozenset[str]:
    """The attributes that the innermost function around a place names: `steps` for `self.config.steps`."""
    around = [one for one in _functions(source) if one.lineno <= site.line <= (one.end_lineno or one.lineno)]
    if not around:
        return frozenset()
    innermost = max(around, key=lambda one: one.lineno)
    return frozenset(part.attr for part in ast.walk(innermost) if isinstance(part, ast.Attribute))


def names_quoted(texts: Iterable[str]) -> frozenset[str]:
    """The names in the quoted code of texts: `search` in "`search` is given another value"."""
    quoted = (code for text in texts for code in re.findall(r"`([^`]+)`", text))
    return frozenset(name for code in quoted for name in re.findall(r"[^\W\d]\w*", code))


def typed(texts: Iterable[str]) -> dict[str, Any]:
    """The options in what a text says of a command line: "the command line gives `keep_best=True, method='beam'`".

    One of which the value is not known has `...`.
    """
    found: dict[str, Any] = {}
    for code in (code for text in texts for code in re.findall(r"the command line gives `([^`]+)`", text)):
        with contextlib.suppress(SyntaxError, ValueError):
            call = ast.parse(f"f({code.replace('…', '...')})", mode="eval").body
            assert isinstance(call, ast.Call)
            found.update({each.arg: ast.literal_eval(each.value) for each in call.keywords if each.arg})
    return found


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
