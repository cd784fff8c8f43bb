"""Guesses the class of an object that nothing in view made, from its name and from the attributes that code reads.

If few classes have a method `train_step`, then `x.train_step` is taken for that of each of them. Only classes count
that the code may know of: those of its own module, of its package, or of modules of which one imports the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jitlint import ir
from jitlint.analysis.values import Class, Frame, Function, ModuleValue
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.project.modules import Module
from jitlint.source.places import Span

_SHORTEST = 3
"""A variable with a shorter name is not taken to be named after a class."""

_ANSWERING = ("__array_ufunc__", "__array_function__")
"""What NumPy's functions look for in their arguments, and call instead."""


class Guesses:
    """An index of the project's classes by their names and attributes."""

    def __init__(self, classes: list[Class], frames: dict[Module, Frame]) -> None:
        self._classes = classes
        """The interpreter's list of classes: it grows, and shrinks when a unit ends."""
        self._frames = frames
        """The interpreter's frames of the module tops."""
        self._indexed: list[Class] = []
        """The classes that are in the index: the first ones of `_classes`."""
        self._by_name: dict[str, list[Class]] = {}
        """The classes by their name in lower case."""
        self._by_attribute: dict[str, list[Class]] = {}
        """The classes by each attribute that they declare or assign to `self`."""
        self._by_definition: dict[str, list[Class]] = {}
        """The classes by each name that their body binds, methods among them."""
        self._attributes_of: dict[int, tuple[ir.ClassDef, set[str]]] = {}
        """What `_attributes` found, by the identity of a class's code (with the code, so that no other gets its id)."""
        self._may_know: dict[tuple[Module, Module], bool] = {}
        """What `_knows` found out."""

    def with_attribute(self, name: str, module: Module) -> Class | None:
        """The only class whose instances have an attribute of that name, methods left out; None if there are others."""
        self._index()
        return self._only(self._by_attribute.get(name, ()), module)

    def that_defines(self, names: frozenset[str], module: Module) -> Class | None:
        """The only class with all of these attributes and methods of its own; None if there is none, or several."""
        found = self.all_that_define(names, module)
        return found[0] if len(found) == 1 else None

    def all_that_define(self, names: frozenset[str], module: Module) -> list[Class]:
        """The classes with all of these attributes and methods of their own, in the order in which they were made."""
        self._index()
        candidates = [self._by_definition.get(name, []) + self._by_attribute.get(name, []) for name in names]
        if not candidates:
            return []
        found = [cls for cls in candidates[0] if all(cls in others for others in candidates)]
        return [cls for cls in dict.fromkeys(found) if self._knows(module, cls.module)]

    def not_wrapped(self, module: Module, span: Span) -> Assumption | None:
        """The assumption that nothing in an expression is an object that answers NumPy's functions itself.

        None where the code knows of no such class. Its objects wrap arrays of NumPy and of other libraries.
        """
        found = (cls for name in _ANSWERING for cls in self.all_that_define(frozenset((name,)), module))
        cls = next(found, None)
        if cls is None:
            return None
        return Assumption(AssumptionKind.NOT_WRAPPED, f"nothing in `{module.snippet(span)}` is a `{cls.code.name}`")

    def named(self, variable: str, module: Module) -> Class | None:
        """The only class that a variable is named after: `TrainState` for `train_state`; None if there is none."""
        self._index()
        short = len(variable) < _SHORTEST
        return None if short else self._only(self._by_name.get(variable.replace("_", "").lower(), ()), module)

    def _only(self, classes: Iterable[Class], module: Module) -> Class | None:
        """The class among these that code of a module may know, if it is one alone."""
        found = {cls for cls in classes if self._knows(module, cls.module)}
        return found.pop() if len(found) == 1 else None

    def _knows(self, module: Module, other: Module) -> bool:
        """Whether code of a module may handle instances of another module's classes."""
        if module is other:
            return True
        knows = self._may_know.get((module, other))
        if knows is None:
            package = module.name.partition(".")[0]
            knows = "." in module.name and "." in other.name and other.name.partition(".")[0] == package
            knows = knows or self._imports(module, other) or self._imports(other, module)
            self._may_know[module, other] = knows
        return knows

    def _imports(self, module: Module, other: Module) -> bool:
        """Whether a module's top level holds something of another module."""
        frame = self._frames.get(module)
        values = frame.fields.values() if frame is not None else ()
        return any(isinstance(v, (Class, Function, ModuleValue)) and v.module is other for v in values)

    def _index(self) -> None:
        """Adds the classes to the index that were made since the last time."""
        new = self._classes[len(self._indexed) :]
        if new:
            self._may_know.clear()
        for cls in new:
            self._indexed.append(cls)
            for entry in self._entries(cls):
                entry.append(cls)

    def forget(self) -> None:
        """Removes the classes from the index that a unit made, when it has ended. They are the latest ones."""
        while len(self._indexed) > len(self._classes):
            for entry in self._entries(self._indexed.pop()):
                entry.pop()

    def _entries(self, cls: Class) -> Iterator[list[Class]]:
        """The entries of the index in which a class belongs."""
        if id(cls.code) not in self._attributes_of:
            self._attributes_of[id(cls.code)] = cls.code, _attributes(cls)
        _, attributes = self._attributes_of[id(cls.code)]
        yield self._by_name.setdefault(cls.code.name.lower(), [])
        for name in cls.code.locals:
            yield self._by_definition.setdefault(name, [])
        for name in attributes:
            yield self._by_attribute.setdefault(name, [])


def _attributes(cls: Class) -> set[str]:
    """The attributes that a class declares or assigns to `self`, methods left out."""
    names = {s.target.name for s in cls.code.body if isinstance(s, ir.AnnAssign) and isinstance(s.target, ir.Name)}
    return names | cls.code.assigned
