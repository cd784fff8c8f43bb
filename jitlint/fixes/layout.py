"""Long lines of text become several, as a formatter writes them."""

from __future__ import annotations

import libcst as cst

WIDTH = 100
"""Longer lines become several, if they are calls."""


def wrapped(line: str, column: int, indent: str) -> str:
    """A statement on one line; a long call gets a line for each argument.

    Args:
        line: the statement.
        column: where it will begin.
        indent: one step of the file's indentation.
    """
    if column + len(line) <= WIDTH or "\n" in line:
        return line
    try:
        module = cst.parse_module(line)
    except cst.ParserSyntaxError:
        return line
    match module.body:
        case [
            cst.SimpleStatementLine(body=[cst.Assign(value=cst.Call() as call) | cst.Return(value=cst.Call() as call)])
        ]:
            pass
        case _:
            return line
    if call.lpar or not call.args or call.args[-1].star:
        return line
    text = module.code_for_node(call)
    if not line.endswith(text):
        return line
    pieces = [module.code_for_node(each.with_changes(comma=cst.MaybeSentinel.DEFAULT)).strip() for each in call.args]
    inner = "".join(f"{indent}{_argument(each, column, indent)},\n" for each in pieces)
    return f"{line.removesuffix(text)}{module.code_for_node(call.func)}(\n{inner})"


def _argument(text: str, column: int, indent: str) -> str:
    """An argument, itself in several lines if it is a long call."""
    inside = wrapped(f"_ = {text}", column + len(indent) - 4, indent).removeprefix("_ = ")
    return inside.replace("\n", f"\n{indent}")
