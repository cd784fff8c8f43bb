"""Loops of Python that an `if …: break` leaves, as `jax.lax.while_loop`: the condition goes into the carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from jitlint.fixes.assignments import assignments
from jitlint.fixes.bindings import assigned, local_name, read_below
from jitlint.fixes.branches import Branch, leaves, only, suite
from jitlint.fixes.conditions import on_arrays_as_bool
from jitlint.fixes.expressions import lines_in_place_of, operand_of, text_of
from jitlint.fixes.layout import wrapped
from jitlint.fixes.parts.carried import Carried, LoopStatement, carried, code_of, counted, function, packed
from jitlint.fixes.selection import NoFormError
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import names_in


@dataclass(frozen=True, slots=True)
class _Counter:
    """The counter of a `for`.

    Attributes:
        name: what the loop of JAX calls it.
        start: its first value, as text.
        stop: the first value that it does not reach, as text.
    """

    name: str
    start: str
    stop: str


@dataclass(frozen=True, slots=True)
class _Left:
    """A loop that an `if` leaves: what a round does before and after it, and what the `if` does besides."""

    loop: LoopStatement
    leaving: cst.If
    above: tuple[cst.BaseStatement, ...]
    last: tuple[cst.BaseStatement, ...]
    below: tuple[cst.BaseStatement, ...]


def until_left(site: Site, leaving: cst.If) -> Proposal | None:
    """The fix of an `if` that only leaves a loop; None if the loop does more than change local names.

    Raises:
        PythonOnlyError: one of the conditions asks about Python objects.
    """
    left = _left(site, leaving)
    if left is None or assigned([leaving.test]):
        return None
    loop = left.loop
    counter = _counter(site, loop) if isinstance(loop, cst.For) else None
    if counter is None and not isinstance(loop, cst.While):
        return None
    tested = names_in(leaving.test) | (names_in(loop.test) if isinstance(loop, cst.While) else set())
    carry = carried(site, loop, (*left.above, *left.last, *left.below), tested)
    if carry is None or (counter is not None and counter.name in carry.names):
        return None
    if left.above or left.last:
        return _with_flag(site, left, carry, counter)
    return _while(site, left, carry, counter)


def leaving_in(body: Sequence[cst.BaseStatement]) -> cst.If | None:
    """The statement of a loop's body that leaves the loop; None if there is none, or several."""
    found = [each for each in body if isinstance(each, cst.If) and leaves([each])]
    return found[0] if len(found) == 1 else None


def _left(site: Site, leaving: cst.If) -> _Left | None:
    body, found = suite(leaving.body), site.tree.block(leaving)
    if not body or not isinstance(only(body[-1]), cst.Break) or leaving.orelse is not None or found is None:
        return None
    block, at = found
    loop = next(site.tree.parents(block), None)
    if not isinstance(loop, (cst.For, cst.While)):
        return None
    return _Left(loop, leaving, tuple(block.body[:at]), body[:-1], tuple(block.body[at + 1 :]))


def _counter(site: Site, loop: cst.For) -> _Counter | None:
    bounds = counted(loop)
    if bounds is None or not isinstance(loop.target, cst.Name):
        return None
    name = loop.target.value
    if name != "_" and name in read_below(site.tree, loop):
        return None
    start, stop = bounds
    name = local_name(site.tree, loop, "step", "loop_step") if name == "_" else name
    return _Counter(name, text_of(site.tree, start) if start is not None else "0", operand_of(site.tree, stop))


def _while(site: Site, left: _Left, carry: Carried, counter: _Counter | None) -> Proposal:
    """The loop of a condition that stands before all else in a round."""
    stays = f"{site.names.of('jax.numpy.logical_not')}({on_arrays_as_bool(left.leaving.test, site)})"
    return _written(site, left, carry, counter, stays, code_of(site, left.below), None)


def _with_flag(site: Site, left: _Left, carry: Carried, counter: _Counter | None) -> Proposal | None:
    """The loop of a condition that is known within a round only: the next round asks for it."""
    done = local_name(site.tree, left.loop, "done", "is_done")
    lines = f"{code_of(site, left.above)}{done} = {on_arrays_as_bool(left.leaving.test, site)}\n"
    if left.last or left.below:
        branch = Branch(left.leaving, left.leaving.test, left.last, left.below)
        try:
            lines += "".join(assignments(site, done, branch))
        except NoFormError:
            return None
    return _written(site, left, carry, counter, f"{site.names.of('jax.numpy.logical_not')}({done})", lines, done)


def _written(
    site: Site, left: _Left, carry: Carried, counter: _Counter | None, stays: str, lines: str, done: str | None
) -> Proposal:
    while_loop = site.names.of("jax.lax.while_loop")
    goes_on, body = (
        local_name(site.tree, left.loop, "goes_on", "loop_goes_on"),
        local_name(site.tree, left.loop, "body", "loop_body"),
    )
    names = [*([counter.name] if counter else []), *carry.names, *([done] if done else [])]
    first = [*([counter.start] if counter else []), *carry.names, *(["False"] if done else [])]
    following = [*([f"{counter.name} + 1"] if counter else []), *carry.names, *([done] if done else [])]
    results = [*(["_"] if counter else []), *carry.names, *(["_"] if done else [])]
    conditions = [*_conditions(site, left.loop, counter), stays]
    test = conditions[0]
    for each in conditions[1:]:
        test = f"{site.names.of('jax.numpy.logical_and')}({test}, {each})"
    column = site.tree.positions[left.loop].start.column + len(site.tree.indent)
    asked = wrapped(f"return {test}", column, site.tree.indent)
    text = function(site, left.loop, goes_on, names, f"{asked}\n")
    text += function(site, left.loop, body, names, f"{lines}return {', '.join(following)}\n")
    text += f"{', '.join(results)} = {while_loop}({goes_on}, {body}, {packed(first)})\n"
    new = lines_in_place_of(site.tree, [left.loop], text)
    return site.proposal(f"Repeat with {while_loop}", carry.grade, {left.loop: new})


def _conditions(site: Site, loop: LoopStatement, counter: _Counter | None) -> Sequence[str]:
    """What the loop itself asks before a round."""
    if counter is not None:
        return [f"{counter.name} < {counter.stop}"]
    assert isinstance(loop, cst.While)
    always = isinstance(loop.test, cst.Name) and loop.test.value == "True"
    return [] if always or isinstance(loop.test, cst.Integer) else [on_arrays_as_bool(loop.test, site)]
