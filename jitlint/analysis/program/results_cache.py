"""The results of a component's units that still hold: only what hangs on a change is interpreted again.

A unit hangs on the module tops that it can know of, without the bodies of functions but those that run at import, and
on the whole of the files whose functions it runs, or whose places it tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from jitlint.analysis.program.units import UnitResult
from jitlint.models.plugins import stamp
from jitlint.project.cache import digest, tool
from jitlint.project.modules import Module, Project


class CachedResult(NamedTuple):
    """A unit's result, and the files that it looked into as they were: displayed path and digest."""

    result: UnitResult
    files: tuple[tuple[str, str], ...]


class ResultsCache:
    """The kept results of one component."""

    def __init__(self, project: Project, component: Sequence[Module], *, sound: bool) -> None:
        self._store = project.cache
        self._digests = {module.source.display: module.digest for module in component}
        self._imports = {module: set(project.imported(module)) for module in component}
        self._tops = {module: _top(project, module, self._imports[module]) for module in component}
        outlines = {module.source.display: project.outline(module) for module in component}
        self._suites = {(path, at): s for path, known in outlines.items() if known for at, s in enumerate(known.suites)}
        self._how = (tool(), stamp(), sound)
        self._around: dict[tuple[object, ...], str] = {}

    def tops(self) -> UnitResult | None:
        """The result of the module tops, if nothing that it hangs on has changed."""
        return self._get(self._name((), None))

    def unit(self, unit: Sequence[Module], tops: UnitResult) -> UnitResult | None:
        """The result of a unit, if nothing that it hangs on has changed."""
        return self._get(self._name(unit, tops))

    def put_tops(self, tops: UnitResult) -> None:
        """Keeps the result of the module tops."""
        self._put(self._name((), None), tops)

    def put_unit(self, unit: Sequence[Module], tops: UnitResult, result: UnitResult) -> None:
        """Keeps the result of a unit."""
        self._put(self._name(unit, tops), result, unit)

    def _get(self, name: str) -> UnitResult | None:
        kept = self._store.get(name)
        if not isinstance(kept, CachedResult) or any(self._digests.get(path) != known for path, known in kept.files):
            return None
        return kept.result

    def _put(self, name: str, result: UnitResult, unit: Sequence[Module] = ()) -> None:
        """Keeps a result, unless jitlint itself failed, or something else than the component was looked into."""
        looked = {*result.files_looked_into, *(module.source.display for module in unit)}
        if not result.defects and looked <= self._digests.keys():
            files = tuple(sorted((path, self._digests[path]) for path in looked))
            self._store.put(name, CachedResult(result, files))

    def _name(self, unit: Sequence[Module], tops: UnitResult | None) -> str:
        packages = tuple(dict.fromkeys(map(_package, unit)))
        if packages not in self._around:
            around = self._surroundings(packages)
            paths = {module.source.display for module in around}
            # The functions that ran while the modules were imported, as they are now.
            bodies = [self._suites.get(body) for body in (tops.bodies if tops is not None else ()) if body[0] in paths]
            self._around[packages] = digest(self._how, [self._tops[module] for module in around], bodies)
        return f"unit-{digest(self._around[packages], [module.source.display for module in unit])}"

    def _surroundings(self, packages: tuple[object, ...]) -> list[Module]:
        """The modules whose tops code of some packages can know of (of no packages: all): their own, those that they
        import, and those that import them."""
        own = {module for module in self._tops if not packages or _package(module) in packages}
        found = {module for module, imported in self._imports.items() if not own.isdisjoint(imported)}
        waiting = list(own)
        while waiting:
            module = waiting.pop()
            found.add(module)
            waiting += self._imports[module] - found
        return [module for module in self._tops if module in found]


def _package(module: Module) -> object:
    return module.root, module.name.partition(".")[0]


def _top(project: Project, module: Module, imported: Iterable[Module]) -> tuple[object, ...]:
    """What other modules can know of one without running its functions."""
    known = project.outline(module)
    content = known.top if known is not None else module.digest
    paths = sorted(found.source.display for found in imported)
    return module.source.display, module.name, str(module.root), module.given, content, paths
