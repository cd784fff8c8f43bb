"""The names by which users reach a transformed function: where a module or a class holds it."""

from __future__ import annotations

from jitlint.analysis.language.classes import lineage
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Class, Transformed
from jitlint.events.event import Root
from jitlint.project.modules import Module


class ReachableNames:
    """The module-level names and the methods that reach transformed functions, as they are when first asked for."""

    def __init__(self, interp: Interpreter) -> None:
        self._interp = interp
        self._found: dict[Module, dict[int, Root]] = {}

    def of(self, transformed: Transformed) -> Root | None:
        """The name or the method that reaches a transformed function; None if there is none."""
        assert transformed.site is not None
        module = transformed.site[0]
        if module not in self._found:
            self._found[module] = self._names_in(module)
        return self._found[module].get(id(transformed))

    def _names_in(self, module: Module) -> dict[int, Root]:
        """The first name or method of a module for each transformed function that one reaches, by identity."""
        found: dict[int, Root] = {}
        frame = self._interp.world.frames.get(module)
        for name, value in frame.fields.items() if frame else ():
            if isinstance(value, Transformed):
                found.setdefault(id(value), Root(module.source.display, module.name, str(name)))
            if isinstance(value, Class):
                for cls in lineage(value):
                    for attribute, member in cls.fields.items():
                        if isinstance(member, Transformed):
                            qualname = f"{value.code.qualname}.{attribute}"
                            found.setdefault(id(member), Root(module.source.display, module.name, qualname))
        return found
