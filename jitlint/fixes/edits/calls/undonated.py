"""Keeps the buffer of an argument that is used after the call: takes it out of `donate_argnums` or `_argnames`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.options import Applied, Entry, applied_at
from jitlint.fixes.site import Proposal, Site

_DONATING = ("donate_argnums", "donate_argnames")


def propose(site: Site) -> Iterator[Proposal]:
    """Donates all but the argument that is used again."""
    parameter = site.event.detail.get("parameter", "")
    applied = applied_at(site, site.event.entry.place) if site.event.entry is not None else None
    if applied is None or not parameter:
        return
    numbered = applied.parameters or ()
    numbers = {at for at, name in enumerate(numbered) if name == parameter}
    numbers |= {at - len(numbered) for at in numbers}
    message = f"Keep the buffer of '{parameter}', which is used again"
    yield from _proposed(applied, message, lambda entry: entry == parameter or entry in numbers)
    if site.event.construct == "twice":
        yield from _proposed(applied, "Donate nothing: the same buffer is given twice", lambda entry: True)


def _proposed(applied: Applied, message: str, kept: Callable[[Entry], bool]) -> Iterator[Proposal]:
    replacements = applied.without(_DONATING, kept)
    if replacements:
        tree = applied.tree
        yield Proposal(message, Grade.SAFE, {tree.path: tree.replaced(replacements).code})
