"""The results of a component's units that still hold, from the cache: only what hangs on a change is interpreted again.

All units hang on what the module tops are, without the bodies of functions; each on the whole files whose functions it
runs, or whose places it tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jitlint.analysis.units import UnitResult
from jitlint.models.installed import stamp
from jitlint.project.modules import Module, Project
from jitlint.project.store import digest, tool


@dataclass(frozen=True, slots=True)
class Kept:
    """A unit's result, and the files that it looked into as they were: displayed path and digest."""

    result: UnitResult
    files: tuple[tuple[str, str], ...]


class KeptResults:
    """The kept results of one component."""

    def __init__(self, project: Project, component: Sequence[Module], *, sound: bool) -> None:
        self._store = project.store
        self._digests = {module.source.display: module.digest for module in component}
        self._tops = digest(tool(), stamp(), sound, [_top(project, module) for module in component])

    def get(self, unit: Sequence[Module]) -> UnitResult | None:
        """The result of a unit (without modules: of the tops), if nothing that it hangs on has changed."""
        kept = self._store.get(self._name(unit))
        if not isinstance(kept, Kept) or any(self._digests.get(path) != known for path, known in kept.files):
            return None
        return kept.result

    def put(self, unit: Sequence[Module], result: UnitResult) -> None:
        """Keeps a result, unless jitlint itself failed, or something else than the component was looked into."""
        looked = {*result.looked_into, *(module.source.display for module in unit)}
        if not result.defects and looked <= self._digests.keys():
            files = tuple(sorted((path, self._digests[path]) for path in looked))
            self._store.put(self._name(unit), Kept(result, files))

    def _name(self, unit: Sequence[Module]) -> str:
        return f"unit-{digest(self._tops, [module.source.display for module in unit])}"


def _top(project: Project, module: Module) -> tuple[object, ...]:
    """What all units of a component hang on, of one of its modules."""
    known = project.outline(module)
    content = known.top if known is not None else module.digest
    imported = [found.source.display for found in project.imported(module)]
    return module.source.display, module.name, str(module.root), module.given, content, imported
