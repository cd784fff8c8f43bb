"""Which instructions belong to a place, so that "executed" means the expression and not just its line."""

from __future__ import annotations

import ast
import types
from collections.abc import Collection, Iterator, Mapping

from ..user_code.probes import Probe
from ..user_code.sites import Site

Home = tuple[str, int]
"""A code object's name and first line (0 for a module's, whose statements are compiled one by one)."""


def homes(probes: Collection[Probe], sources: Mapping[str, str]) -> dict[int, Home]:
    """For each probe, the code object that holds its place's instructions (not a lambda inside the place)."""
    found: dict[int, Home] = {}
    for file, text in sources.items():
        wanted = [probe for probe in probes if probe.site.file == file]
        if not wanted:
            continue
        try:
            whole = compile(text, file, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
            codes = [(code, *_lines(code)) for code in _walk(whole)]
        except (SyntaxError, ValueError):
            continue
        for probe in wanted:
            near = [code for code, first, last in codes if first <= probe.site.end_line and probe.site.line <= last]
            best = min(((_rank(code, probe.site), at) for at, code in enumerate(near)), default=(3, 0))
            if best[0] < 3:
                found[probe.id] = home(near[best[1]])
    return found


def home(code: types.CodeType) -> Home:
    """What identifies a code object when the same text is compiled again."""
    return code.co_name, 0 if code.co_name == "<module>" else code.co_firstlineno


def offsets(
    code: types.CodeType, probes: Collection[Probe], known: Mapping[int, Home]
) -> Mapping[int, tuple[int, ...]]:
    """The byte offsets in a code object at which each probe's place counts as executed."""
    found: dict[int, list[int]] = {}
    for probe in probes:
        if probe.site.file == code.co_filename and known.get(probe.id) == home(code):
            ranks = list(_ranks(code, probe.site))
            best = min(ranks, default=3)
            for index, rank in enumerate(ranks):
                if rank == best < 3:
                    found.setdefault(index * 2, []).append(probe.id)
    return {offset: tuple(ids) for offset, ids in found.items()}


def _walk(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _walk(constant)


def _lines(code: types.CodeType) -> tuple[int, int]:
    """The first and the last line of a code object's instructions."""
    lines = [line for begin, end, _, _ in code.co_positions() for line in (begin, end) if line is not None]
    return min(lines, default=0), max(lines, default=0)


def _rank(code: types.CodeType, place: Site) -> int:
    return min(_ranks(code, place), default=3)


def _ranks(code: types.CodeType, place: Site) -> Iterator[int]:
    """Per instruction: 0 if it is the place, 1 if it lies inside, 2 if it encloses the place on its line, else 3."""
    begin, end = (place.line, place.column), (place.end_line, place.end_column)
    for line, end_line, column, end_column in code.co_positions():
        if line is None or end_line is None or column is None or end_column is None or end_column == 0:
            yield 3
            continue
        first, last = (line, column), (end_line, end_column)
        if (first, last) == (begin, end):
            yield 0
        elif begin <= first and last <= end:
            yield 1
        elif first <= begin and end <= last and line == place.line:
            yield 2
        else:
            yield 3
