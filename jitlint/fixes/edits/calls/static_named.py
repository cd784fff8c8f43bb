"""Makes `static_argnames` and the like name parameters that there are, and none that must be traced."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

import libcst as cst

from jitlint.events.event import EventKind
from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.options import Applied, Entry, applied_at, entries_of, entry_value
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement

_STATIC = ("static_argnames", "static_argnums")
_NUMERIC = ("loop variable", "array", "tracer")
"""What can be traced as well as given while tracing."""
_ALIKE = 0.7
"""How alike two names are that are taken for one."""
_CLEARLY = 0.15
"""By how much one must be more alike than any other."""


def propose(site: Site) -> Iterator[Proposal]:
    """Renames or removes the entry of an option that an event is about."""
    event = site.event
    applied = applied_at(site, event.entry.place) if event.entry is not None else None
    if applied is None:
        return
    if event.kind is EventKind.STATIC_VALUE:
        if event.construct in _NUMERIC:
            yield from _traced(applied, event.detail.get("parameter", ""))
        return
    option, text = event.detail.get("option", ""), event.detail.get("entry", "")
    entry: Entry = int(text) if text.lstrip("-").isdecimal() else text
    if not option or text == "":
        return
    if event.detail.get("static"):
        yield from _removed(applied, option, entry, f"Donate no static argument: {text} has no buffer", Grade.SAFE)
        return
    donates = option.startswith("donate")
    if isinstance(entry, str):
        yield from _renamed(applied, option, entry)
    elif not donates:
        yield from _counted_without_self(applied, option)
    if donates or (isinstance(entry, str) and applied.keywords and entry not in applied.keywords):
        message = f"Remove {text} from {option}: there is no such parameter"
        yield from _removed(applied, option, entry, message, Grade.SAFE if donates else Grade.UNSAFE)


def _traced(applied: Applied, parameter: str) -> Iterator[Proposal]:
    """An argument that is an array, or another number in each round, becomes traced."""
    numbered = applied.parameters or ()
    numbers = {at for at, name in enumerate(numbered) if name == parameter}
    numbers |= {at - len(numbered) for at in numbers}
    replacements = applied.without(_STATIC, lambda entry: entry == parameter or entry in numbers)
    if parameter and replacements:
        message = f"Let '{parameter}' be traced: one program then serves for all of its values"
        yield _proposal(applied, message, Grade.UNSAFE, replacements)


def _removed(applied: Applied, option: str, entry: Entry, message: str, grade: Grade) -> Iterator[Proposal]:
    numbered = applied.parameters
    same = {entry}
    if isinstance(entry, int) and numbered is not None:
        same |= {entry - len(numbered)} if entry >= 0 else {entry + len(numbered)}
    replacements = applied.without([option], lambda each: each in same)
    if replacements:
        yield _proposal(applied, message, grade, replacements)


def _renamed(applied: Applied, option: str, entry: str) -> Iterator[Proposal]:
    """The entry becomes the one parameter whose name is most like it."""
    arg = applied.option(option)
    entries = entries_of(arg.value) if arg is not None else None
    if entries is None:
        return
    known = {entry_value(each) for each in entries}
    name = _nearest(entry, [each for each in applied.keywords if each not in known and each != "self"])
    if name is not None:
        message = f"Name the parameter '{name}' in {option}: there is no '{entry}'"
        found = next(each for each in entries if entry_value(each) == entry)
        yield _proposal(applied, message, Grade.UNSAFE, {found: _string(found, name)})


def _string(like: cst.BaseExpression, name: str) -> cst.SimpleString:
    assert isinstance(like, cst.SimpleString)
    return like.with_changes(value=f"{like.quote}{name}{like.quote}")


def _nearest(entry: str, names: list[str]) -> str | None:
    alike = sorted(((_likeness(entry, name), name) for name in names), reverse=True)
    if not alike or alike[0][0] < _ALIKE or (len(alike) > 1 and alike[0][0] - alike[1][0] < _CLEARLY):
        return None
    return alike[0][1]


def _likeness(one: str, other: str) -> float:
    """How alike two names are; `frame` and `frame_size` are more than their letters say."""
    shorter, longer = sorted((one, other), key=len)
    within = longer.startswith(f"{shorter}_") or longer.endswith(f"_{shorter}")
    return max(difflib.SequenceMatcher(None, one, other).ratio(), 0.9 if within else 0.0)


def _counted_without_self(applied: Applied, option: str) -> Iterator[Proposal]:
    """Numbers of a bound method's parameters that count `self`, which the method is bound to."""
    arg = applied.option(option)
    entries = entries_of(arg.value) if arg is not None else None
    if entries is None or applied.parameters is None or not applied.bound:
        return
    numbers = [entry_value(each) for each in entries]
    count = len(applied.parameters)
    if count not in numbers or not all(isinstance(each, int) and 1 <= each <= count for each in numbers):
        return
    shifted: dict[cst.CSTNode, Replacement] = {
        each: cst.Integer(str(int(number or 0) - 1)) for each, number in zip(entries, numbers, strict=True)
    }
    yield _proposal(applied, f"Count no 'self' in {option}: the method is bound to it", Grade.UNSAFE, shifted)


def _proposal(applied: Applied, message: str, grade: Grade, changes: Mapping[cst.CSTNode, Replacement]) -> Proposal:
    tree = applied.tree
    return Proposal(message, grade, {tree.path: tree.replaced(changes).code})
