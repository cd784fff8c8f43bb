"""Declared inputs: `x=f32[8,128], n=3, params={"w": f32[4,4]}, key=key` as text becomes forms (see the recorder's)."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Mapping
from typing import Any

Form = dict[str, Any]

_DTYPES = {
    "bool": "bool",
    "bf16": "bfloat16",
    "c64": "complex64",
    "c128": "complex128",
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
}
_BY_WORD: Mapping[str, str] = {**_DTYPES, **{name: name for name in _DTYPES.values()}}
_EMPTY = re.compile(r"(?<=\w)\[\s*\]")
_EXAMPLE = "write inputs as in x=f32[8,128], n=3, key=key"


class DeclarationError(ValueError):
    """A declaration that cannot be read; the message says why and what to write."""


def arguments(text: str) -> dict[str, Form]:
    """The forms of declared inputs, by parameter.

    Raises:
        DeclarationError: the text declares nothing, or something that is no input.
    """
    try:
        call = ast.parse(f"f({_EMPTY.sub('[()]', text)}\n)", mode="eval").body
    except SyntaxError as error:
        raise DeclarationError(f"`{text}` cannot be read ({error.msg}); {_EXAMPLE}") from error
    if not isinstance(call, ast.Call) or call.args or not call.keywords:
        raise DeclarationError(f"`{text}` does not name each input; {_EXAMPLE}")
    found: dict[str, Form] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise DeclarationError(f"`{text}` does not name each input; {_EXAMPLE}")
        found[keyword.arg] = _form(keyword.value)
    return found


def names(forms: Any) -> set[str]:
    """The first parts of the names that forms look up in the function's module."""
    if isinstance(forms, list):
        return {name for form in forms for name in names(form)}
    if not isinstance(forms, dict):
        return set()
    own = {forms[kind].partition(".")[0] for kind in ("name", "call") if isinstance(forms.get(kind), str)}
    return own | {name for form in forms.values() for name in names(form)}


def _form(node: ast.expr) -> Form:
    match node:
        case ast.Constant(value=None | bool() | int() | float() | str()):
            return {"value": node.value}
        case ast.Constant(value=complex() as number):
            return {"complex": [number.real, number.imag]}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return {"value": -number}
        case ast.List():
            return {"list": [_form(item) for item in node.elts]}
        case ast.Tuple():
            return {"tuple": [_form(item) for item in node.elts]}
        case ast.Dict() if None not in node.keys:
            pairs = zip(node.keys, node.values, strict=True)
            return {"dict": [[_form(key), _form(value)] for key, value in pairs if key is not None]}
        case ast.Subscript(value=ast.Name(id=word)):
            return _array(word, node)
        case ast.Name(id=word) if word == "key" or word in _BY_WORD:
            return _of_shape(word, [])
        case ast.Name() | ast.Attribute():
            return {"name": _dotted(node)}
        case ast.Call() if all(keyword.arg for keyword in node.keywords):
            fields = {str(keyword.arg): _form(keyword.value) for keyword in node.keywords}
            return {"call": _dotted(node.func), "arguments": [_form(item) for item in node.args], "fields": fields}
    raise _not_an_input(node)


def _array(word: str, node: ast.Subscript) -> Form:
    if word != "key" and word not in _BY_WORD:
        near = difflib.get_close_matches(word, [*_BY_WORD, "key"], n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(_DTYPES)} and key"
        raise DeclarationError(f"`{ast.unparse(node)}`: there is no dtype `{word}`; {hint}")
    sides = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    shape = [side.value for side in sides if isinstance(side, ast.Constant) and type(side.value) is int]
    if len(shape) < len(sides):
        raise DeclarationError(f"`{ast.unparse(node)}`: the sides of an array are whole numbers, as in f32[8,128]")
    return _of_shape(word, shape)


def _of_shape(word: str, shape: list[int]) -> Form:
    if word == "key":
        return {"key": "", "shape": shape}
    return {"array": _BY_WORD[word], "shape": shape}


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return f"{_dotted(node.value)}.{node.attr}"
    raise _not_an_input(node)


def _not_an_input(node: ast.expr) -> DeclarationError:
    return DeclarationError(
        f"`{ast.unparse(node)}` is no input; write arrays as f32[8,128], keys as key, Python values, lists, tuples and "
        "dicts of these, names of the module, and calls of its classes"
    )
