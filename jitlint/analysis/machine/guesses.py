"""Guesses: which class of the project an object is of that nobody in view made, by what it is called and asked for.

Only classes that the code may know of count: of its own module, of its package, or of modules that import each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jitlint import ir
from jitlint.analysis.values import Class, Frame, Function, ModuleValue
from jitlint.project.modules import Module

_SHORTEST = 3
"""Names of variables shorter than this name no class."""


class Guesses:
    """The project's classes by their names and attributes. `classes` and `frames` are the interpreter's, and grow."""

    def __init__(self, classes: list[Class], frames: dict[Module, Frame]) -> None:
        self._classes = classes
        self._frames = frames
        self._indexed: list[Class] = []
        self._names: dict[str, list[Class]] = {}
        self._attributes: dict[str, list[Class]] = {}
        self._defined: dict[str, list[Class]] = {}
        self._asked: dict[int, tuple[ir.ClassDef, set[str]]] = {}
        self._related: dict[tuple[Module, Module], bool] = {}

    def with_attribute(self, name: str, module: Module) -> Class | None:
        """The only class whose instances have an attribute of that name, methods left out."""
        self._index()
        return self._only(self._attributes.get(name, ()), module)

    def that_defines(self, names: frozenset[str], module: Module) -> Class | None:
        """The only class with all of these attributes and methods of its own."""
        self._index()
        found = [self._defined.get(name, []) + self._attributes.get(name, []) for name in names]
        if not found:
            return None
        return self._only([cls for cls in found[0] if all(cls in others for others in found)], module)

    def named(self, variable: str, module: Module) -> Class | None:
        """The only class that a variable is named after (`train_state`: `TrainState`)."""
        self._index()
        short = len(variable) < _SHORTEST
        return None if short else self._only(self._names.get(variable.replace("_", "").lower(), ()), module)

    def _only(self, classes: Iterable[Class], module: Module) -> Class | None:
        found = {cls for cls in classes if self._knows(module, cls.module)}
        return found.pop() if len(found) == 1 else None

    def _knows(self, module: Module, other: Module) -> bool:
        """Whether code of a module may handle objects of another's classes."""
        if module is other:
            return True
        known = self._related.get((module, other))
        if known is None:
            package = module.name.partition(".")[0]
            known = "." in module.name and "." in other.name and other.name.partition(".")[0] == package
            known = known or self._imports(module, other) or self._imports(other, module)
            self._related[module, other] = known
        return known

    def _imports(self, module: Module, other: Module) -> bool:
        frame = self._frames.get(module)
        values = frame.fields.values() if frame is not None else ()
        return any(isinstance(v, (Class, Function, ModuleValue)) and v.module is other for v in values)

    def _index(self) -> None:
        """Enters the classes that were made since."""
        new = self._classes[len(self._indexed) :]
        if new:
            self._related.clear()
        for cls in new:
            self._indexed.append(cls)
            for names in self._named_after(cls):
                names.append(cls)

    def forget(self) -> None:
        """The youngest classes may have gone."""
        while len(self._indexed) > len(self._classes):
            for names in self._named_after(self._indexed.pop()):
                names.pop()

    def _named_after(self, cls: Class) -> Iterator[list[Class]]:
        """Where a class is entered."""
        if id(cls.code) not in self._asked:
            self._asked[id(cls.code)] = cls.code, _attributes(cls)
        _, attributes = self._asked[id(cls.code)]
        yield self._names.setdefault(cls.code.name.lower(), [])
        for name in cls.code.locals:
            yield self._defined.setdefault(name, [])
        for name in attributes:
            yield self._attributes.setdefault(name, [])


def _attributes(cls: Class) -> set[str]:
    """What a class declares or assigns to `self`, methods left out."""
    names = {s.target.name for s in cls.code.body if isinstance(s, ir.AnnAssign) and isinstance(s.target, ir.Name)}
    return names | cls.code.assigned
