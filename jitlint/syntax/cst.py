"""The concrete syntax tree that lowering sees: LibCST's nodes as plain records of the same names and fields.

LibCST's native parser makes each node by calling the class of its name in the module `libcst`, with the fields as
keywords. Those classes, frozen dataclasses that check again what the parser made sure of, take longer than the parser
itself, and two of five nodes are whitespace. So for the time of a parse the parser finds another module under that
name, whose classes are filled without running any Python.

Only the parser sees it: the exchange, the parse and the restoration happen in one step of the interpreter, and no
other thread runs Python meanwhile. Where that is not so (Python without its global lock, a parser that keeps its
classes), LibCST's own tree is copied into records.
"""

from __future__ import annotations

import dataclasses
import functools
import gc
import sys
from collections.abc import Callable
from functools import partial
from operator import call, setitem
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import libcst
from libcst import native  # type: ignore[attr-defined]

if TYPE_CHECKING:
    from libcst import *  # noqa: F403

_WHITESPACE = (
    libcst.SimpleWhitespace,
    libcst.ParenthesizedWhitespace,
    libcst.TrailingWhitespace,
    libcst.EmptyLine,
    libcst.Newline,
    libcst.Comment,
)


def _record(node: type[Any]) -> type[SimpleNamespace]:
    """A class for records of a LibCST node. What the parser leaves out is found in the class: the field's default."""
    defaults = {
        field.name: field.default
        for field in dataclasses.fields(node)
        if field.default is not dataclasses.MISSING  # what has a factory is always given
    }
    return type(node.__name__, (SimpleNamespace,), {"__slots__": (), **defaults})


_RECORDS: dict[type, type[SimpleNamespace]] = {
    node: _record(node)
    for node in vars(libcst).values()
    if isinstance(node, type) and issubclass(node, libcst.CSTNode) and node not in _WHITESPACE
}
globals().update({record.__name__: record for record in _RECORDS.values()})

_PARSERS_MODULE = ModuleType("libcst")
_PARSERS_MODULE.__spec__ = libcst.__spec__
vars(_PARSERS_MODULE).update(
    {record.__name__: record for record in _RECORDS.values()},
    **dict.fromkeys([node.__name__ for node in _WHITESPACE], "".format),  # takes any keywords, and keeps nothing
    ParserSyntaxError=SimpleNamespace,
    MaybeSentinel=libcst.MaybeSentinel,
)


def read_module(text: str) -> Any:
    """The module of a text, as records without whitespace. Raises what `libcst.parse_module` raises."""
    return _parse(native.parse_module, libcst.parse_module, text)


def read_expression(text: str) -> Any:
    """The expression that a text is, as records without whitespace. Raises what `libcst.parse_expression` raises."""
    return _parse(native.parse_expression, libcst.parse_expression, text)


def _parse(parser: Callable[[str], Any], stock: Callable[[str], libcst.CSTNode], text: str) -> Any:
    if _can_exchange():
        try:
            return _exchanged(parser, text)
        except BaseException:  # noqa: BLE001 - LibCST's own way says what is wrong with the text
            pass
    return copied(stock(text))


@functools.cache
def _can_exchange() -> bool:
    """Whether only the parser would see an exchange, and looks its classes up each time."""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return False
    native.parse_module("")  # if it keeps classes, then LibCST's
    return type(_exchanged(native.parse_module, "")) is _RECORDS[libcst.Module]


def _exchanged(parser: Callable[[str], Any], text: str) -> Any:
    """What the parser makes of a text with its module exchanged.

    One instruction unpacks all steps, and none of them runs Python code: collecting garbage might.
    """
    enabled = gc.isenabled()
    exchange = partial(setitem, sys.modules, libcst.__name__)
    steps: tuple[Callable[[], Any], ...] = (
        gc.disable,
        partial(exchange, _PARSERS_MODULE),
        partial(parser, text),
        partial(exchange, libcst),
    )
    tree: Any
    try:
        _, _, tree, _ = map(call, steps)
    finally:
        sys.modules[libcst.__name__] = libcst
        if enabled:
            gc.enable()
    return tree


def copied(tree: libcst.CSTNode) -> Any:
    """A LibCST tree as records."""
    pending: list[tuple[libcst.CSTNode, SimpleNamespace]] = []

    def begun(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return tuple([begun(item) for item in value])
        if type(value) not in _RECORDS:
            return value
        record = _RECORDS[type(value)]()
        pending.append((value, record))
        return record

    root = begun(tree)
    while pending:
        node, record = pending.pop()
        vars(record).update({field.name: begun(getattr(node, field.name)) for field in dataclasses.fields(node)})
    return root
