"""Texts with values in them, taken apart: what `jax.debug.print` needs as a template and arguments."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import libcst as cst

from jitlint.fixes.parts.host_calls import without_conversion
from jitlint.fixes.parts.nodes import Change, argument, changed, single_argument
from jitlint.fixes.site import Site
from jitlint.fixes.tree import walk


class Field(NamedTuple):
    """A value in a text: the expression, as text, and what stands in the braces (":.3f", "!r")."""

    value: str
    spec: str = ""


Piece = str | Field
"""A part of a text: what it says, or a value in it."""


class NoTemplateError(Exception):
    """The text has no form as a template with arguments."""


_PERCENT = re.compile(r"%(?P<flags>[-+ 0]*)(?P<width>\d*)(?P<precision>\.\d+)?(?P<type>[sdiufFeEgGr%])")
_HOSTING = frozenset({"numpy.asarray", "numpy.array", "jax.device_get"})
_NO_VALUES = (cst.NamedExpr, cst.Await, cst.Yield, cst.Lambda, cst.GeneratorExp)


def pieces_of(site: Site, node: cst.BaseExpression) -> list[Piece]:
    """What an expression's text is made of.

    Raises:
        NoTemplateError: it cannot be told.
    """
    match node:
        case cst.SimpleString():
            return [_said(node)]
        case cst.FormattedString():
            return list(_of_formatted(site, node))
        case cst.ConcatenatedString():
            return [*pieces_of(site, node.left), *pieces_of(site, node.right)]
        case cst.BinaryOperation(operator=cst.Add()) if _is_text(node.left) or _is_text(node.right):
            return [*pieces_of(site, node.left), *pieces_of(site, node.right)]
        case cst.BinaryOperation(operator=cst.Modulo(), left=cst.SimpleString() as left):
            return list(_of_percent(site, _said(left), node.right))
        case cst.Call(func=cst.Attribute(value=cst.SimpleString() as left, attr=cst.Name(value="format"))):
            return list(_of_format(site, _said(left), node))
        case cst.Call(func=cst.Name(value="str" | "repr")) if (inner := single_argument(node)) is not None:
            return [_field(site, inner)]
        case cst.Integer(value=value) | cst.Float(value=value):
            return [value]
        case cst.Name(value="None" | "True" | "False" as value):
            return [value]
    return [_field(site, node)]


def _is_text(node: cst.BaseExpression) -> bool:
    match node:
        case cst.SimpleString() | cst.FormattedString() | cst.ConcatenatedString():
            return True
        case cst.Call(func=cst.Name(value="str")):
            return True
        case cst.BinaryOperation(operator=cst.Add()):
            return _is_text(node.left) or _is_text(node.right)
    return False


def _said(node: cst.SimpleString) -> str:
    value = node.evaluated_value
    if not isinstance(value, str):
        raise NoTemplateError
    return value


def _of_formatted(site: Site, node: cst.FormattedString) -> Iterator[Piece]:
    for part in node.parts:
        if isinstance(part, cst.FormattedStringText):
            yield _unescaped(node, part.value)
            continue
        assert isinstance(part, cst.FormattedStringExpression)
        if part.equal is not None:
            code = site.tree.module.code_for_node
            yield code(part.expression) + code(part.equal)
        spec = ""
        for each in part.format_spec or ():
            if not isinstance(each, cst.FormattedStringText) or "\\" in each.value:
                raise NoTemplateError
            spec += each.value
        conversion = f"!{part.conversion}" if part.conversion else ""
        if isinstance(part.expression, cst.SimpleString) and not spec and not conversion:
            yield _said(part.expression)
            continue
        yield _field(site, part.expression, f"{conversion}:{spec}" if spec else conversion)


def _unescaped(node: cst.FormattedString, text: str) -> str:
    """What a part of an f-string says."""
    said = text.replace("{{", "{").replace("}}", "}")
    if "r" in node.prefix.lower() or "\\" not in said:
        return said
    if "\\N" in said:
        raise NoTemplateError
    value = ast.literal_eval(f"{node.quote}{said}{node.quote}")
    assert isinstance(value, str)
    return value


def _of_percent(site: Site, text: str, right: cst.BaseExpression) -> Iterator[Piece]:
    values = [each.value for each in right.elements] if isinstance(right, cst.Tuple) else [right]
    matches = list(_PERCENT.finditer(text))
    wanted = [each for each in matches if each["type"] != "%"]
    if text.count("%") != sum(2 if each["type"] == "%" else 1 for each in matches) or len(wanted) != len(values):
        raise NoTemplateError
    at = 0
    waiting = iter(values)
    for match in matches:
        yield text[at : match.start()]
        yield "%" if match["type"] == "%" else _field(site, next(waiting), _spec(match))
        at = match.end()
    yield text[at:]


def _spec(match: re.Match[str]) -> str:
    """What `%5.2f` is in braces."""
    kind, flags, width, precision = match["type"], match["flags"], match["width"], match["precision"] or ""
    if kind in "sr":
        if width or precision:
            raise NoTemplateError
        return "!r" if kind == "r" else ""
    if kind in "diu":
        if precision or flags.strip("-"):
            raise NoTemplateError
        kind = ""
    align = "<" if "-" in flags else ""
    spec = align + flags.replace("-", "") + width + precision + kind
    return f":{spec}" if spec else ""


def _of_format(site: Site, text: str, call: cst.Call) -> Iterator[Piece]:
    if any(arg.star for arg in call.args):
        raise NoTemplateError
    positional = [arg.value for arg in call.args if arg.keyword is None]
    named = {arg.keyword.value: arg.value for arg in call.args if arg.keyword is not None}
    waiting = iter(range(len(positional)))
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        raise NoTemplateError from None
    for said, name, spec, conversion in parsed:
        yield said
        if name is None:
            continue
        at = next(waiting, None) if name == "" else int(name) if name.isdecimal() else None
        value = positional[at] if at is not None and at < len(positional) else named.get(name)
        if value is None or "{" in (spec or ""):
            raise NoTemplateError
        yield _field(site, value, (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else ""))


def _field(site: Site, node: cst.BaseExpression, spec: str = "") -> Field:
    """A value as an argument: without conversions for the host, of which there is no need when it is printed."""
    if any(isinstance(each, _NO_VALUES) for each in walk(node)):
        raise NoTemplateError
    match node:
        case cst.Attribute(attr=cst.Name(value="shape")):
            return Field(f"str({argument(site.tree, node)})", spec)
        case cst.Call(func=cst.Name(value="float" | "bool")) if (inner := single_argument(node)) is not None:
            return _field(site, inner, spec)
        case cst.Call(func=cst.Attribute(value=inner, attr=cst.Name(value="item" | "tolist")), args=[]):
            return _field(site, inner, spec)
        case cst.Call() if site.names.qualified(node.func) in _HOSTING:
            inner = single_argument(node)
            if inner is not None:
                return _field(site, inner, spec)
    changes: dict[cst.CSTNode, Change] = {}
    for each in walk(node):
        if isinstance(each, cst.Call) and (conversion := without_conversion(site, each)) is not None:
            changes[each] = conversion.change
    return Field(argument(site.tree, changed(node, changes)), spec)


def escaped(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces of a text whose braces mean braces."""
    return [each.replace("{", "{{").replace("}", "}}") if isinstance(each, str) else each for each in pieces]


def template(pieces: Sequence[Piece], given: Sequence[str]) -> tuple[str, list[str]]:
    """A template, and the arguments that it needs, in their order.

    Args:
        pieces: the text; the braces in it are fields for what is given.
        given: the arguments for those fields, as text.

    Raises:
        NoTemplateError: the fields and the arguments do not go together.
    """
    text = ""
    values: list[str] = []
    waiting = list(given)
    for piece in pieces:
        if isinstance(piece, Field):
            text += f"{{{piece.spec}}}"
            values.append(piece.value)
            continue
        text += piece
        for name in _fields(piece):
            if name.isdecimal():
                raise NoTemplateError
            if name == "" and waiting:
                values.append(waiting.pop(0))
    for value in waiting:
        text += "{}" if not text or text[-1] in " =\n\t([" else " {}"
        values.append(value)
    if values and _fields(text) and next(iter(string.Formatter().parse(text)))[1] is None:
        raise NoTemplateError  # JAX takes a template with a brace before its first field for one without fields
    return text, values


def _fields(text: str) -> list[str]:
    try:
        return [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]
    except ValueError:
        raise NoTemplateError from None


def quoted(text: str, quote: str) -> str:
    """A text as a string literal of Python, with other quotes if these are in it."""
    if quote in text:
        quote = next((each for each in "\"'" if each not in text), quote)
    escapes = {"\\": "\\\\", quote: f"\\{quote}", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    said = (escapes.get(each) or (each if each.isprintable() else repr(each)[1:-1]) for each in text)
    return f"{quote}{''.join(said)}{quote}"
