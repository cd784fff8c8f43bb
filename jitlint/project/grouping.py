"""Divides a project into components, whose modules import each other, and these into units of a few files.

No component needs to know another. A unit is interpreted as a whole, cached as a whole and given to a process as a
whole: small enough that a change costs little, large enough that its files share the functions that they call.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence

from jitlint.project.modules import Module, Project
from jitlint.project.outline import imported_words

UNIT_LINES = 4_000
"""Files of one folder share a unit as long as they have no more lines than this together."""


def touching(modules: Sequence[Module], names: Iterable[str], marks: Iterable[str]) -> list[Module]:
    """The modules that import one of the names, contain one of the marks, or import such a module, directly or not.

    Nothing is parsed, so that modules may be included that need not be: an import statement counts as importing every
    module whose last name is one of its words.
    """
    named = sorted(names, key=lambda name: name != "jax")  # "jax" first: most files that import any import it
    imports = [(name, re.compile(rf"\b(?:import|from)[ \t]+{re.escape(name)}\b")) for name in named]
    marks = tuple(marks)

    def touches(text: str) -> bool:
        if any(mark in text for mark in marks):
            return True
        present = [(name, plain) for name, plain in imports if name in text]
        # The plain form stands near the top of most files, and spares the search of the whole file.
        return any(plain.search(text) for _, plain in present) or (
            bool(present) and not imported_words(text).isdisjoint(name for name, _ in present)
        )

    found = {m.name for m in modules if touches(m.source.text)}
    others = {m.name: imported_words(m.source.text) for m in modules if m.name not in found}
    while True:
        tails = {name.rpartition(".")[2] for name in found}
        more = {name for name, words in others.items() if not words.isdisjoint(tails)}
        if not more:
            return [module for module in modules if module.name in found]
        found |= more
        others = {name: words for name, words in others.items() if name not in more}


def groups(project: Project, modules: Iterable[Module]) -> list[list[Module]]:
    """The components: the modules and those that they import, in groups that neither import each other nor share a
    package.

    Modules are ordered by path. Groups without a module that was given are left out.
    """
    leaders: dict[Hashable, Hashable] = {}

    def leader(one: Hashable) -> Hashable:
        while leaders.setdefault(one, one) != one:
            leaders[one] = leaders[leaders[one]]
            one = leaders[one]
        return one

    seen = set(modules)
    waiting = list(seen)
    while waiting:
        module = waiting.pop()
        top, dot, _ = module.name.partition(".")
        if dot or module.is_package:
            leaders[leader(module)] = leader((module.root, top))
        for imported in project.imported(module):
            leaders[leader(module)] = leader(imported)
            if imported not in seen:
                seen.add(imported)
                waiting.append(imported)
    found: dict[Hashable, list[Module]] = {}
    for module in sorted(seen, key=lambda module: module.source.path):
        found.setdefault(leader(module), []).append(module)
    return [group for group in found.values() if any(module.given for module in group)]


def units(component: Sequence[Module]) -> list[tuple[Module, ...]]:
    """The given modules of a component, divided into units of neighbours in one folder."""
    found: list[list[Module]] = []
    lines = 0
    for module in filter(lambda module: module.given, component):
        length = module.source.text.count("\n")
        neighbours = found and found[-1][-1].source.path.parent == module.source.path.parent
        if not neighbours or lines + length > UNIT_LINES:
            found.append([])
            lines = 0
        found[-1].append(module)
        lines += length
    return [tuple(unit) for unit in found]
