"""The items of dicts as state: a trace reads them once, and what changes them later is not seen."""

from __future__ import annotations

from collections.abc import Iterable

from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.names import record_read, record_write
from jitlint.analysis.values import Dict
from jitlint.source.places import Span


def item_read(interp: Interpreter, base: Dict, key: object, name: str, span: Span) -> None:
    """An item of a dict is read; `name` is how the code writes it."""
    trace = interp.trace
    if base.site is not None and trace is not None and trace.cached and base.depth < trace.stage:
        record_read(interp, _record(base, key), "item", name, span)


def items_changed(interp: Interpreter, base: Dict, keys: Iterable[object], span: Span) -> None:
    """Items of a dict get other values, or go."""
    if base.site is not None:
        for key in keys:
            record_write(interp, _record(base, key), span, ordered=False, initial=False)


def _record(base: Dict, key: object) -> tuple[object, ...]:
    assert base.site is not None
    return ("object", str(base.site[0].source.path), base.site[1], key)
