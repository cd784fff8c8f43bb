"""Reads a program's size off its jaxpr, and where in the user's code each equation comes from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from ..user_code.sites import Site, site_of
from .failures import Failure


def size(closed: Any) -> tuple[int, int]:
    """Returns how many equations a closed jaxpr has, inner jaxprs included, and the bytes of its constants."""
    held: dict[int, int] = {}
    counted = 0
    for jaxpr, arrays in _jaxprs(closed):
        counted += len(jaxpr.eqns)
        held.update({id(constant): int(getattr(constant, "nbytes", 0)) for constant in arrays})
    return counted, sum(held.values())


def constants(closed: Any, user_files: Collection[str]) -> Iterator[tuple[Any, Site | None]]:
    """The constants of a closed jaxpr, each once, with the place of the first equation that uses it."""
    known: set[int] = set()
    for jaxpr, held in _jaxprs(closed):
        for variable, value in zip(getattr(jaxpr, "constvars", ()), held, strict=False):
            if id(value) not in known:
                known.add(id(value))
                using = (equation for equation in jaxpr.eqns if any(one is variable for one in equation.invars))
                places = (_site(equation, user_files) for equation in using)
                yield value, next((place for place in places if place is not None), None)


def site(closed: Any, failure: Failure, user_files: Collection[str]) -> Site | None:
    """The place of the equations whose primitive a failure names; None if they stand at several places."""
    named = set(re.findall(r"[a-z_][a-z0-9_]*", failure.message.lower()))
    found = {at for primitive, at in _places(closed, None, user_files) if primitive in named}
    return found.pop() if len(found) == 1 else None


def _places(closed: Any, outer: Site | None, user_files: Collection[str]) -> Iterator[tuple[str, Site | None]]:
    """Each equation's primitive and place; an equation outside the user's files gets the place of the one around it."""
    for equation in getattr(closed, "jaxpr", closed).eqns:
        at = _site(equation, user_files) or outer
        yield str(equation.primitive), at
        for inner in _inner(equation):
            yield from _places(inner, at, user_files)


def site_of_failing(error: BaseException, user_files: Collection[str]) -> Site | None:
    """The place of the equation that jax was lowering when an exception came.

    It is read from a local variable of jax, a private name; without that variable there is no place."""
    entry, found = error.__traceback__, None
    while entry is not None:
        equation = entry.tb_frame.f_locals.get("eqn")
        if hasattr(equation, "source_info"):
            found = _site(equation, user_files) or found
        entry = entry.tb_next
    return found


def _site(equation: Any, user_files: Collection[str]) -> Site | None:
    """The innermost user frame in which an equation was traced, from private records of jax."""
    traceback = getattr(getattr(equation, "source_info", None), "traceback", None)
    raw = getattr(traceback, "raw_frames", None)
    if raw is None:
        return None
    for code, offset in zip(*raw(), strict=True):
        if code.co_filename in user_files:
            return site_of(code, offset)
    return None


def _jaxprs(closed: Any) -> Iterator[tuple[Any, Collection[Any]]]:
    """A jaxpr and the ones inside it, once per use, each with its constants."""
    waiting = [closed]
    while waiting:
        here = waiting.pop()
        jaxpr = getattr(here, "jaxpr", here)
        yield jaxpr, getattr(here, "consts", ())
        for equation in jaxpr.eqns:
            waiting += _inner(equation)


def _inner(equation: Any) -> Iterator[Any]:
    """The jaxprs in an equation's parameters, closed or not."""
    for value in equation.params.values():
        for part in value if isinstance(value, (tuple, list)) else (value,):
            if hasattr(getattr(part, "jaxpr", part), "eqns"):
                yield part
