"""`print` in traced code becomes `jax.debug.print`, and its text a template that is filled when the program runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.host_calls import written
from jitlint.fixes.parts.nodes import argument, put_alone
from jitlint.fixes.parts.templates import Field, NoTemplateError, Piece, escaped, pieces_of, quoted, template
from jitlint.fixes.parts.values import is_bound
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import walk

_ABOUT_TRACING = re.compile("trac|compil|jit", re.IGNORECASE)
"""What a text says that is meant to show while JAX traces."""


_WHOLE = re.compile(r"%[-0-9]*[diu]")
"""Prints a float without its fraction; a template has no form of that."""


def propose(site: Site) -> Iterator[Proposal]:
    """Prints the values when the program runs."""
    call = _printing(site)
    if call is None:
        return
    try:
        text = _of_print(site, call) if isinstance(call.func, cst.Name) else _of_debug_print(site, call)
    except NoTemplateError:
        return
    replacements = put_alone(site.tree, call, text) if text else None
    if replacements is not None:
        grade = Grade.UNSAFE if _WHOLE.search(site.tree.code(call)) else Grade.SAFE
        yield site.proposal("Print with jax.debug.print", grade, replacements)


def _printing(site: Site) -> cst.Call | None:
    """The call of `print` or `jax.debug.print` that an event is about or within."""
    node = site.expression
    if node is None:
        return None
    for each in (node, *site.tree.parents(node)):
        if isinstance(each, (cst.Lambda, cst.BaseStatement)):
            return None
        if isinstance(each, cst.Call) and _is_print(site, each):
            return each
    return None


def _is_print(site: Site, call: cst.Call) -> bool:
    if isinstance(call.func, cst.Name) and call.func.value == "print":
        return not is_bound(site.tree, "print") and not site.names.qualified(call.func)
    return isinstance(call.func, cst.Attribute) and site.names.qualified(call.func) == "jax.debug.print"


def _of_print(site: Site, call: cst.Call) -> str:
    separator = _separator(call)
    pieces: list[Piece] = []
    for arg in call.args:
        if arg.star:
            raise NoTemplateError
        if arg.keyword is None:
            pieces += [separator, *pieces_of(site, arg.value)] if pieces else pieces_of(site, arg.value)
    said = "".join(each for each in pieces if isinstance(each, str))
    if not any(isinstance(each, Field) for each in pieces) or _ABOUT_TRACING.search(said):
        raise NoTemplateError
    return _written(site, call, *template(escaped(pieces), []))


def _separator(call: cst.Call) -> str:
    """What `print` puts between its arguments; it raises an error if it ends its line with something else than that."""
    separator = " "
    for arg in call.args:
        match arg:
            case cst.Arg(keyword=cst.Name(value="sep"), value=cst.SimpleString(evaluated_value=str(value))):
                separator = value
            case cst.Arg(keyword=cst.Name(value="end"), value=cst.SimpleString(evaluated_value="\n")):
                pass
            case cst.Arg(keyword=cst.Name(value="flush")) | cst.Arg(keyword=None):
                pass
            case _:
                raise NoTemplateError
    return separator


def _of_debug_print(site: Site, call: cst.Call) -> str:
    if not call.args or call.args[0].keyword or any(arg.star for arg in call.args):
        raise NoTemplateError
    code = site.tree.code
    first, *others = call.args
    given = [argument(site.tree, arg.value) for arg in others if arg.keyword is None]
    options = [f"{arg.keyword.value}={code(arg.value)}" for arg in others if arg.keyword is not None]
    return _written(site, call, *template(pieces_of(site, first.value), given), *options)


def _written(site: Site, call: cst.Call, text: str, values: list[str], *options: str) -> str:
    quote = next((each.quote for each in walk(call) if isinstance(each, (cst.SimpleString, cst.FormattedString))), '"')
    function = written(site, call, "jax.debug.print")
    return f"{function}({', '.join([quoted(text, quote[0]), *values, *options])})"
