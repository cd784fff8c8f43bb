"""Fixes that are proven: with `--verify`, only those are applied that JAX has run before and after."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from jitlint.events.entry_point import EntryPoint, Origin
from jitlint.events.event import Event, EventKind
from jitlint.findings.finding import Proof
from jitlint.fixes.edit import Grade
from jitlint.fixes.remedies import CORRECTING
from jitlint.fixing.rounds import Applied, Files, Fixed, Fixer

ENTRIES = 4
"""So many entry points are run for a fix whose finding names none."""

Prove = Callable[[Sequence[EntryPoint], Files, Files], Sequence[Proof]]
"""Proves entry points of edited files, given the files before and after."""


@dataclass(frozen=True, slots=True)
class Proven:
    """Fixes with their proofs.

    Attributes:
        fixed: what the proven fixes have made of the files.
        proofs: the proof of each of them.
        left: fixes of findings that stay, and why.
        disproven: fixes that gave another result, whether or not another one has taken their place.
    """

    fixed: Fixed
    proofs: tuple[Proof, ...]
    left: tuple[tuple[Applied, Proof], ...]
    disproven: tuple[tuple[Applied, Proof], ...]


def proven(fixer: Fixer, files: Files, entries: Callable[[Files], Sequence[EntryPoint]], prove: Prove) -> Proven:
    """Applies the fixes that are proven together; others are tried in the place of those that are not.

    Args:
        fixer: finds fixes.
        files: the project's files.
        entries: gives the entry points of files.
        prove: runs entry points.
    """
    left: dict[str, tuple[Applied, Proof]] = {}
    disproven: list[tuple[Applied, Proof]] = []
    while True:
        fixed = fixer.fixed(files)
        if not fixed.applied:
            return Proven(fixed, (), tuple(left.values()), tuple(disproven))
        proofs, groups = _proofs(fixed, files, entries(fixed.files), prove)
        unproven = [at for at, proof in enumerate(proofs) if proof.status != "proven"]
        if not unproven:
            for one in fixed.applied:
                left.pop(one.finding.fingerprint, None)
            return Proven(fixed, proofs, tuple(left.values()), tuple(disproven))
        for at in _refused(unproven, fixed, proofs, groups):
            one = fixed.applied[at]
            fixer.refused.add(one.key)
            left[one.finding.fingerprint] = one, proofs[at]
            if proofs[at].status == "disproven":
                disproven.append((one, proofs[at]))


def _refused(
    unproven: Sequence[int], fixed: Fixed, proofs: Sequence[Proof], groups: Sequence[frozenset[EntryPoint]]
) -> list[int]:
    """The fixes to do without: of several that may be to blame for a wrong result, the least trusted one."""
    refused = [at for at in unproven if proofs[at].status == "open"]
    blamed = {groups[at] for at in unproven if fixed.applied[at].fix.remedy in CORRECTING}
    disproven = [at for at in unproven if proofs[at].status == "disproven"]
    for at in sorted(disproven, key=lambda at: fixed.applied[at].fix.grade is Grade.SAFE):
        if groups[at] not in blamed:
            blamed.add(groups[at])
            refused.append(at)
    return refused


def _proofs(
    fixed: Fixed, files: Files, entries: Sequence[EntryPoint], prove: Prove
) -> tuple[tuple[Proof, ...], list[frozenset[EntryPoint]]]:
    """A proof of each fix, from those of the entry points that run it."""
    concerned = [_concerned(one, entries) for one in fixed.applied]
    wanted = list(dict.fromkeys(entry for group in concerned for entry in group))
    found = dict(zip(wanted, prove(wanted, files, fixed.files), strict=True)) if wanted else {}
    proofs = (
        _of(one, _joined([_of_both_sides(one.finding.event, found[entry]) for entry in group]))
        for one, group in zip(fixed.applied, concerned, strict=True)
    )
    return tuple(proofs), list(map(frozenset, concerned))


def _of(one: Applied, proof: Proof) -> Proof:
    """Another result is no fault of a fix that is meant to give one; nothing is left to compare it with."""
    if one.fix.remedy in CORRECTING and proof.status == "disproven":
        return Proof("open", f"as it is meant to, {proof.reason}")
    return proof


def _of_both_sides(event: Event, proof: Proof) -> Proof:
    """A proof leaves a fix open if the condition that was fixed came out in one way only."""
    said = "".join(event.subject.rstrip("…").split())
    if event.kind is not EventKind.BOOL or not said:
        return proof
    for condition in proof.one_sided:
        if said in "".join(condition.split()):
            return Proof("open", f"{proof.reason}, but `{condition}` came out in one way only")
    return proof


def _joined(proofs: Sequence[Proof]) -> Proof:
    """One proof from those of several entry points: a wrong result in one of them is wrong."""
    for status in ("disproven", "proven", "open"):
        for proof in proofs:
            if proof.status == status:
                return proof
    return Proof("open", "no entry point is known that runs it")


def _concerned(one: Applied, entries: Sequence[EntryPoint]) -> list[EntryPoint]:
    """The entry points that run what a fix has edited."""
    event = one.finding.event
    named = [entry for entry in entries if event.entry and entry.function == event.entry.function != ""]
    if named:
        return named
    edited = {edit.place.path for edit in one.fix.edits}
    around = [entry for entry in entries if entry.home in edited or entry.place.path in edited]
    return around[:ENTRIES] or list(_beginning(event))


def _beginning(event: Event) -> Iterator[EntryPoint]:
    """The function in which the analyzer began on its way to an event: it calls what is traced."""
    root = event.root
    if root is not None and root.qualname:
        function = f"{root.module}:{root.qualname}"
        yield EntryPoint(event.place, "", function, root.qualname, root.path, root, Origin.EXPORT)
