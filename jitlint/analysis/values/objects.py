"""Objects with identity that can change: frames, classes, instances. Their fields are written through the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jitlint import ir
from jitlint.analysis.values.arrays import Traced
from jitlint.analysis.values.base import NEVER, Value
from jitlint.project.modules import Module
from jitlint.source.places import Span


@dataclass(frozen=True, slots=True)
class FieldFact:
    """A field declared in a class body."""

    name: str
    annotation: ir.Expr | None
    default: ir.Expr | None
    static: bool
    owner: Class


_made = [0]


def newest_serial() -> int:
    """The serial of the youngest object with identity."""
    return _made[0]


Site = tuple["Module", Span]
"""Where something was made."""


class HeapObject(Value):
    """Something with identity that can change.

    `depth` is the trace depth and `loops` the loops in which it was made, `serial` its age, `site` its place.
    """

    __slots__ = ("fields", "depth", "loops", "serial", "site")

    def __init__(self, fields: dict[Any, Any], depth: int, loops: tuple[int, ...], site: Site | None) -> None:
        self.fields = fields
        self.depth = depth
        self.loops = loops
        self.site = site
        _made[0] += 1
        self.serial = _made[0]


class Instance(HeapObject):
    """An instance of a project class: fields are its attributes. `guessed` if no constructor call was in view."""

    __slots__ = ("cls", "guessed", "traced")

    def __init__(
        self, cls: Class, depth: int, loops: tuple[int, ...], site: Site | None, guessed: bool = False
    ) -> None:
        super().__init__({}, depth, loops, site)
        self.cls = cls
        self.guessed = guessed
        self.traced: Traced | None = None


class Frame(HeapObject):
    """The variables of one activation of a function (or class body, or module).

    `is_inner`: it is a comprehension's, whose names are its own but whose walrus targets are not.
    `made_in`: the loops in which the function was made. `rebound` counts the changes of variables that functions made
    here may read: what such a function gave before does not hold after one.
    """

    __slots__ = (
        "module",
        "function",
        "parent",
        "exits",
        "mark",
        "result",
        "yields",
        "in_class",
        "is_inner",
        "made_in",
        "has_closures",
        "rebound",
    )

    def __init__(
        self,
        module: Module,
        function: ir.Function | None,
        parent: Frame | None,
        depth: int,
        loops: tuple[int, ...],
        in_class: bool = False,
    ) -> None:
        super().__init__({}, depth, loops, None)
        self.module = module
        self.function = function
        self.parent = parent
        self.in_class = in_class
        self.is_inner = function is None and parent is not None and not in_class
        self.made_in: tuple[int, ...] = ()
        self.has_closures = False
        self.rebound = 0
        self.exits: list[dict[Any, Any]] = []
        self.mark = 0
        self.result: Value = NEVER
        self.yields: Value = NEVER

    @property
    def home(self) -> Frame:
        """The frame of the function, class body or module that runs."""
        frame = self
        while frame.is_inner:
            assert frame.parent is not None
            frame = frame.parent
        return frame


class Class(HeapObject):
    """A class of the project; fields are its namespace.

    `decorations` are the qualified names of its decorators. `is_registered` as a pytree; `by_functions` if functions of
    the project say which fields are leaves: `flatten`, or the method that the registration wants; `children` once that
    was asked. `lineage` (itself and its bases) and `declared` (the fields of its body) are filled when they are first
    asked for. `is_open` if what made it could not be followed.
    """

    __slots__ = (
        "code",
        "module",
        "bases",
        "decorations",
        "is_registered",
        "is_open",
        "by_functions",
        "flatten",
        "static_fields",
        "lineage",
        "declared",
    )

    def __init__(
        self, code: ir.ClassDef, module: Module, bases: tuple[Value, ...], depth: int, loops: tuple[int, ...]
    ) -> None:
        super().__init__({}, depth, loops, (module, code.name_span))
        self.code = code
        self.module = module
        self.bases = bases
        self.decorations: set[str] = set()
        self.is_registered = False
        self.is_open = False
        self.by_functions = False
        self.flatten: Value | None = None
        self.static_fields: frozenset[str] = frozenset()
        self.lineage: tuple[Class, ...] | None = None
        self.declared: tuple[FieldFact, ...] | None = None

    def __repr__(self) -> str:
        return f"Class({self.code.qualname})"


class Descriptor(Value):
    """`kind` is property, cached_property, staticmethod, classmethod or partialmethod (of a Partial).

    `setter` is a property's, if it has one.
    """

    __slots__ = ("kind", "function", "setter")

    def __init__(self, kind: str, function: Value, setter: Value | None = None) -> None:
        self.kind = kind
        self.function = function
        self.setter = setter


class Super(Value):
    """`super()` in a method of `cls`."""

    __slots__ = ("cls", "receiver")

    def __init__(self, cls: Class, receiver: Value) -> None:
        self.cls = cls
        self.receiver = receiver
