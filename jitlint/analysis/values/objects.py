"""Objects with an identity that can change: instances, frames, and classes; descriptors and `super()` beside them.

Lists, dicts and iterators are HeapObjects, too: see containers.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from jitlint import ir
from jitlint.analysis.values.arrays import Traced
from jitlint.analysis.values.base import NEVER, UNKNOWN, Compound, Value
from jitlint.events.assumption import Assumption
from jitlint.project.modules import Module
from jitlint.source.places import Span


@dataclass(frozen=True, slots=True)
class FieldFact:
    """A field declared in a class body: `name: annotation = default`."""

    name: str
    annotation: ir.Expr | None
    default: ir.Expr | None
    static: bool
    """Whether it is declared as no leaf of the pytree: `field(static=True)`."""
    owner: Class
    """The class whose body declares it."""

    @property
    def owner_name(self) -> str:
        """The dotted name of that class."""
        return f"{self.owner.module.name}.{self.owner.code.qualname}"


_latest_serial = [0]
"""The serial of the youngest HeapObject; in a list, so that it can be changed in place."""


object_writes: Final = [0]
"""How often a field of an object that is no frame was written so far: until the next write their keys hold."""


def newest_serial() -> int:
    """The serial of the youngest HeapObject: older objects have smaller or equal serials."""
    return _latest_serial[0]


Site = tuple["Module", Span]
"""The module and the place of the expression that made something."""


class HeapObject(Value):
    """An object with an identity that can change."""

    __slots__ = ("fields", "depth", "loops", "serial", "site", "several")

    def __init__(self, fields: dict[Any, Any], depth: int, loops: tuple[int, ...], site: Site | None) -> None:
        self.fields = fields
        """What can change, by name: read it directly, write it through the store only."""
        self.depth = depth
        """The depth of the trace in which it was made (0: none). A tracer of a deeper trace that it holds is a leak."""
        self.loops = loops
        """The loops around the place where it was made, the outermost first, by identity."""
        self.site = site
        """Where it was made; None if that is not known."""
        _latest_serial[0] += 1
        self.serial = _latest_serial[0]
        """Its age: objects get rising numbers as they are made."""
        self.several = False
        """Whether it stands for several objects, made on several paths: what happens to one may not to another."""


class Instance(HeapObject):
    """An instance of a project class. Its fields are its attributes."""

    __slots__ = ("cls", "guessed", "traced", "has_more", "is_part")

    def __init__(
        self, cls: Class, depth: int, loops: tuple[int, ...], site: Site | None, guessed: bool = False
    ) -> None:
        super().__init__({}, depth, loops, site)
        self.cls = cls
        """Its class."""
        self.guessed = guessed
        """Whether no constructor call in view made it, so that it may have further attributes."""
        self.traced: Traced | None = None
        """The tracer of the argument, if it stands for a traced argument of its class; else None."""
        self.has_more = False
        """Whether code has set attributes whose names are not known: `setattr(x, name, value)`."""
        self.is_part = False
        """Whether some of its leaves are left out, nobody knows which: half of what `eqx.partition` gives."""

    def with_fields(self, fields: Mapping[str, Any]) -> Instance:
        """Another object of the class that differs from this one in some attributes."""
        other = Instance(self.cls, self.depth, self.loops, self.site, self.guessed)
        other.fields.update({**self.fields, **fields})
        other.traced, other.has_more, other.is_part = self.traced, self.has_more, self.is_part
        return other


class Frame(HeapObject):
    """The variables of one run of a function, class body, comprehension or module. Its fields are the variables."""

    __slots__ = (
        "module",
        "function",
        "parent",
        "exits",
        "mark",
        "result",
        "yields",
        "told_apart",
        "assumed",
        "in_class",
        "is_inner",
        "made_in",
        "called_at",
        "maybe_traced",
        "has_closures",
        "rebound",
        "given",
        "uses",
        "used_keys",
        "choices",
        "offers",
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
        """The module whose code runs."""
        self.function = function
        """The function that runs; None for the top level of a module, a class body or a comprehension."""
        self.parent = parent
        """The frame of the enclosing scope; None for the top level of a module."""
        self.in_class = in_class
        """Whether it is that of a class body, whose names the functions defined in it do not see."""
        self.is_inner = function is None and parent is not None and not in_class
        """Whether it is that of a comprehension, whose targets are its own but whose walrus targets are not."""
        self.made_in: tuple[int, ...] = ()
        """The loops around the definition of the function that runs, the outermost first, by identity."""
        self.called_at: Site | None = None
        """Where the function that runs is called; None if that is not known."""
        self.maybe_traced = False
        """Whether a decorator of the function that runs may trace it, though it is out of view."""
        self.has_closures = False
        """Whether functions were defined here, which may read its variables."""
        self.rebound = 0
        """How often variables changed that such functions may read: results from before do not hold afterwards."""
        self.given: Mapping[str, Value] = {}
        """The arguments that it began with, by parameter."""
        self.uses: set[str] = set()
        """The parameters whose keys of random numbers it has used up, whatever the path."""
        self.used_keys = HeapObject({}, depth, loops, None)
        """The keys in its variables that were used up, as fields of an object: the store undoes and joins them."""
        self.choices: list[str] = []
        """The undecided tests by which code goes by a setting (`mode == "fast"`), around what runs in it."""
        self.exits: list[dict[Any, Any]] = []
        """For each `return` so far: the changes of the store from the start of the function to there."""
        self.mark = 0
        """How many logs of the store were open when the function began: `exits` count from there."""
        self.result: Value = NEVER
        """The join of what the function has returned so far."""
        self.yields: Value = NEVER
        """The join of what it has yielded so far."""
        self.offers = False
        """Whether a setting has decided which `return` is reached, so that the function offers what it may return."""
        self.told_apart = False
        """Whether a test of an unknown value's type has decided which `return` is reached."""
        self.assumed: tuple[Assumption, ...] = ()
        """What the rest of the function rests on, since a test before may have led to a `return`."""

    @property
    def home(self) -> Frame:
        """The frame of the function, class body or module that runs: that around the comprehensions."""
        frame = self
        while frame.is_inner:
            assert frame.parent is not None
            frame = frame.parent
        return frame


class Class(HeapObject):
    """A class of the project. Its fields are its namespace: methods, and attributes that the class body assigns."""

    __slots__ = (
        "code",
        "module",
        "bases",
        "decorations",
        "options",
        "is_registered",
        "is_static",
        "is_thawed",
        "is_open",
        "by_functions",
        "flatten",
        "unflatten",
        "static_fields",
        "lineage",
        "declared",
    )

    def __init__(
        self, code: ir.ClassDef, module: Module, bases: tuple[Value, ...], depth: int, loops: tuple[int, ...]
    ) -> None:
        super().__init__({}, depth, loops, (module, code.name_span))
        self.code = code
        """Its IR."""
        self.module = module
        """The module that defines it."""
        self.bases = bases
        """Its base classes as written: Class, External, or whatever else the expression gives."""
        self.decorations: dict[str, Mapping[str, Value]] = {}
        """The options of its decorators, by the decorators' qualified names."""
        self.options: Mapping[str, Value] = {}
        """What the class statement says besides the bases: `class State(PyTreeNode, frozen=False)`."""
        self.is_registered = False
        """Whether it is registered as a pytree (`jax.tree_util.register_dataclass` and the like)."""
        self.is_static = False
        """Whether it is registered as one whose instances have no leaves (`jax.tree_util.register_static`)."""
        self.is_thawed = False
        """Whether the code unfreezes some of its instances by a function of the library that freezes them."""
        self.is_open = False
        """Whether a metaclass or decorator that could not be followed made it: it may have further attributes."""
        self.by_functions = False
        """Whether functions of the project say which of its fields are leaves: `flatten`, or its `tree_flatten`."""
        self.flatten: Value | None = None
        """The function that its registration names for that; None if it is the method."""
        self.unflatten: Value | None = None
        """The one that puts an object together again; None if it is the method."""
        self.static_fields: frozenset[str] = frozenset()
        """The fields that its registration declares as no leaves (`meta_fields`)."""
        self.lineage: tuple[Class, ...] | None = None
        """It and its bases in the project; None until `language.classes.lineage` is asked for it."""
        self.declared: tuple[FieldFact, ...] | None = None
        """The fields that its body declares; None until `language.classes` asks for them."""

    def __repr__(self) -> str:
        return f"Class({self.code.qualname})"


class Descriptor(Compound):
    """A function in a class that is no plain method: a property or a static method, say."""

    __slots__ = ("kind", "function", "setter")

    def __init__(self, kind: str, function: Value, setter: Value | None = None) -> None:
        self.kind = kind
        """property, cached_property, staticmethod, classmethod or partialmethod."""
        if not self.fits((function, *((setter,) if setter is not None else ())), 2):
            function = setter = UNKNOWN
        self.function = function
        """The function that was decorated; a Partial for a partialmethod."""
        self.setter = setter
        """The function of a property's `@name.setter`, if it has one."""


class Super(Compound):
    """`super()` in a method: attributes are looked up in the classes after `cls`."""

    __slots__ = ("cls", "receiver")

    def __init__(self, cls: Class, receiver: Value) -> None:
        self.cls = cls
        """The class in whose body the method stands."""
        self.receiver = receiver if self.fits((receiver,), 1) else UNKNOWN
        """The object, or for a class method the class, that methods found are bound to."""
