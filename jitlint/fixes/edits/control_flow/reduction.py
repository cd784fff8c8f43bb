"""Builtins that compare arrays one by one become functions of `jax.numpy`: `min`, `max`, `any`, `all`, `sorted`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from jitlint.fixes.conditions import PythonOnlyError, reduced
from jitlint.fixes.edit import Grade
from jitlint.fixes.expressions import in_place_of
from jitlint.fixes.site import Proposal, Site

_OF_TWO = {"min": "minimum", "max": "maximum"}


def propose(site: Site) -> Iterator[Proposal]:
    """Computes on arrays what the builtin at the place decides with Python."""
    call = site.expression
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Name):
        return
    if any(arg.star or arg.keyword is not None for arg in call.args):
        return
    name = call.func.value
    operands = [arg.value for arg in call.args]
    if name in _OF_TWO and len(operands) > 1:
        function = site.names.of(f"jax.numpy.{_OF_TWO[name]}")
        yield _proposal(site, call, function, _paired(site, function, operands), Grade.SAFE)
    elif len(operands) != 1:
        return
    elif name in ("any", "all"):
        try:
            text = reduced(name, operands[0], site)
        except PythonOnlyError:
            return
        yield _proposal(site, call, text.partition("(")[0], text, Grade.SAFE)
    elif name in ("min", "max", "sorted"):
        function = site.names.of(f"jax.numpy.{'sort' if name == 'sorted' else name}")
        text = f"{function}({_as_array(site, operands[0])})"
        yield _proposal(site, call, function, text, Grade.UNSAFE)  # a list of arrays compares as a whole


def _proposal(site: Site, call: cst.Call, function: str, text: str, grade: Grade) -> Proposal:
    return site.proposal(f"Compute it with {function}", grade, in_place_of(site.tree, call, text))


def _paired(site: Site, function: str, operands: Sequence[cst.BaseExpression]) -> str:
    """One call of a function of two for each further operand."""
    text = site.tree.code(operands[0])
    for operand in operands[1:]:
        text = f"{function}({text}, {site.tree.code(operand)})"
    return text


def _as_array(site: Site, value: cst.BaseExpression) -> str:
    """An iterable as an array: a display or generator becomes a list first."""
    code = site.tree.code(value)
    if isinstance(value, cst.GeneratorExp):
        code = f"[{code.removeprefix('(').removesuffix(')')}]"
    elif not isinstance(value, (cst.List, cst.ListComp, cst.Tuple)):
        return f"{site.names.of('jax.numpy.asarray')}({code})"
    return f"{site.names.of('jax.numpy.array')}({code})"
