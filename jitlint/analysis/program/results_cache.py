"""The results cache: a unit whose inputs have not changed is not interpreted again.

A result is filed under a digest of what decides it from outside: jitlint itself and the model files, the top-level code
of the modules that the unit can import (function bodies only if they ran at import), the unit's own paths, and which
calls of its top level are made again with other options (others may stand for them). Beside the result stand the files
whose functions were run or whose places it mentions, with their full contents' digests: the result is used only if
these are the same as well.

So an edit inside of a function costs the units that ran that function, and no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from jitlint.analysis.machine.limits import shares
from jitlint.analysis.program.units import UnitResult
from jitlint.models.plugins import stamp
from jitlint.project.cache import digest, tool
from jitlint.project.modules import Module, Project


class CachedResult(NamedTuple):
    """A result as it lies in the cache."""

    result: UnitResult
    """The result of a unit, or of the module tops."""
    files: tuple[tuple[str, str], ...]
    """The files that the result depends on as a whole: displayed path and digest of the content."""


class ResultsCache:
    """The cached results of one component."""

    def __init__(self, project: Project, component: Sequence[Module], units: int, *, sound: bool) -> None:
        self._cache = project.cache
        self._digests = {module.source.display: module.digest for module in component}
        self._imports = {module: set(project.imported(module)) for module in component}
        self._tops = {module: _top(project, module, self._imports[module]) for module in component}
        outlines = {module.source.display: project.outline(module) for module in component}
        self._bodies = {(path, at): s for path, known in outlines.items() if known for at, s in enumerate(known.suites)}
        self._settings = (tool(), stamp(), sound, shares(units))
        self._digests_around: dict[tuple[object, ...], str] = {}

    def get_tops(self) -> UnitResult | None:
        """The cached result of the module tops; None if there is none or its inputs have changed."""
        return self._get(self._name((), None))

    def get_unit(self, unit: Sequence[Module], tops: UnitResult) -> UnitResult | None:
        """The cached result of a unit; None if there is none or its inputs have changed."""
        return self._get(self._name(unit, tops))

    def put_tops(self, tops: UnitResult) -> None:
        """Caches the result of the module tops."""
        self._put(self._name((), None), tops)

    def put_unit(self, unit: Sequence[Module], tops: UnitResult, result: UnitResult) -> None:
        """Caches the result of a unit."""
        self._put(self._name(unit, tops), result, unit)

    def _get(self, name: str) -> UnitResult | None:
        """The result filed under a name, if the files that it depends on have not changed."""
        found = self._cache.get(name)
        if not isinstance(found, CachedResult) or any(self._digests.get(path) != known for path, known in found.files):
            return None
        return found.result

    def _put(self, name: str, result: UnitResult, unit: Sequence[Module] = ()) -> None:
        """Caches a result, unless jitlint itself failed, or a file outside of the component was looked into."""
        paths = {*result.files_looked_into, *(module.source.display for module in unit)}
        if not result.defects and paths <= self._digests.keys():
            files = tuple(sorted((path, self._digests[path]) for path in paths))
            self._cache.put(name, CachedResult(result, files))

    def _name(self, unit: Sequence[Module], tops: UnitResult | None) -> str:
        """The name under which a result is filed: equal only if its outside inputs are."""
        packages = tuple(dict.fromkeys(map(_package, unit)))
        if packages not in self._digests_around:
            around = self._surroundings(packages)
            paths = {module.source.display for module in around}
            # Functions that ran at import have made what the unit starts from, so that their present text counts, too.
            ran = tops.bodies_run if tops is not None else ()
            bodies = [self._bodies.get(body) for body in ran if body[0] in paths]
            self._digests_around[packages] = digest(self._settings, [self._tops[module] for module in around], bodies)
        own = [module.source.display for module in unit]
        made_again = [call for call in tops.made_again if call[0] in own] if tops is not None else []
        return f"unit-{digest(self._digests_around[packages], own, made_again)}"

    def _surroundings(self, packages: tuple[object, ...]) -> list[Module]:
        """The modules whose top-level code can matter to code of some packages; without packages, all of them.

        They are the packages' own modules, those that these import, and those that import them: the top level of an
        importer may have called or changed what it imports, as `app.steps.rate = 2` does.
        """
        own = {module for module in self._tops if not packages or _package(module) in packages}
        found = {module for module, imported in self._imports.items() if not own.isdisjoint(imported)}
        waiting = list(own)
        while waiting:
            module = waiting.pop()
            found.add(module)
            waiting += self._imports[module] - found
        return [module for module in self._tops if module in found]


def _package(module: Module) -> object:
    """The top-level package of a module, by its folder and name."""
    return module.root, module.name.partition(".")[0]


def _top(project: Project, module: Module, imported: Iterable[Module]) -> tuple[object, ...]:
    """What a module's top-level code depends on: its text without function bodies, its name, and what it imports."""
    known = project.outline(module)
    content = known.top if known is not None else module.digest
    paths = sorted(found.source.display for found in imported)
    return module.source.display, module.name, str(module.root), module.given, content, paths
