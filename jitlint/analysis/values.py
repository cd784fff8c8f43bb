"""Abstract values: a stage, plus what is known.

The stage is in the class: `Traced` and iterators over traced values are known at run time only, `Unknown` is what the
analysis cannot tell, everything else is static (known while tracing), even where its content is not known to us.
Objects with identity that can change (lists, dicts, instances, frames) are `HeapObject`s: their `fields` are written
through the store only, so that branches can be undone and joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from jitlint import ir
from jitlint.analysis.flow import Flow
from jitlint.source.places import Span

if TYPE_CHECKING:
    from jitlint.analysis.classes import FieldFact
    from jitlint.models.tables import Transform
    from jitlint.project.modules import Module

_made = [0]


def newest() -> int:
    """The serial of the youngest object with identity."""
    return _made[0]


Site = tuple["Module", Span]
"""Where something was made."""


class Value:
    """Base of all abstract values. Immutable unless it is a HeapObject.

    `nesting` is how many containers of known content are in each other.
    """

    __slots__ = ()

    nesting = 0

    def renewed(self) -> Value:
        """The same in kind, but with an identity of its own, if that matters."""
        return self


Choice = TypeVar("Choice")


class ByType(dict[type, Choice]):
    """What to do with a value, by its type or the nearest of its bases that is among the keys."""

    def __missing__(self, kind: type) -> Choice:
        found = self[kind] = next(self[base] for base in kind.__mro__[1:] if base in self)
        return found


class Unknown(Value):
    """Anything: we cannot tell."""

    __slots__ = ()

    def renewed(self) -> Value:
        return self if self is UNKNOWN else Unknown()

    def __repr__(self) -> str:
        return "Unknown"


class Outside(Unknown):
    """Something unknown that callers out of view bring, or a part of it: it may be an object of the project.

    `used` are the attributes that the function which gets it asks of it.
    """

    __slots__ = ("used",)

    def __init__(self, used: frozenset[str] = frozenset()) -> None:
        self.used = used

    def renewed(self) -> Value:
        return Outside(self.used)


class Either(Unknown):
    """Something unknown that may be one of some objects whose identity matters (`parts`)."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Value, ...]) -> None:
        self.parts = parts

    def renewed(self) -> Value:
        return Either(self.parts)


class Never(Value):
    """No value: the result of a call that does not return (yet)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Never"


UNKNOWN: Final = Unknown()
NEVER: Final = Never()


class Const(Value):
    """A known Python constant."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Const({self.value!r})"


NONE: Final = Const(None)
TRUE: Final = Const(True)
FALSE: Final = Const(False)


class Static(Value):
    """A host value of a known Python type ("int", "str", "dtype", "object" …) and unknown content."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __repr__(self) -> str:
        return f"Static({self.kind})"


class Rounds(NamedTuple):
    """What takes another value in each round of a loop: which loop, and an expression of its counter in words."""

    loop: int
    what: str


class Counter(Static):
    """An int that differs in each round of a loop: an element of a range or of an enumeration, or computed of one."""

    __slots__ = ("rounds",)

    def __init__(self, rounds: Rounds) -> None:
        super().__init__("int")
        self.rounds = rounds


class Resized(Unknown):
    """A sequence or array of unknown kind, of another length in each round of a loop."""

    __slots__ = ("rounds",)

    def __init__(self, rounds: Rounds) -> None:
        self.rounds = rounds

    def renewed(self) -> Value:
        return Resized(self.rounds)


INT: Final = Static("int")
FLOAT: Final = Static("float")
BOOL: Final = Static("bool")
STR: Final = Static("str")
OBJECT: Final = Static("object")


Lead = tuple[object, int]
"""The length of a leading axis: a symbol (None: nothing; Rounds: another one in each round) plus a number."""


class Array(Value):
    """What is known of any array.

    `dtype` is bool, int, float, complex, key, str, "number" (any but bool) or None; `rank` its rank or None. `weak` if
    it came of Python numbers alone, so that its dtype gives way; `lead` the length of its leading axis, if comparable;
    `exact` its dtype's own name ("float16") where it was cast to it, else ""; `least` a number of elements that it has
    at least.
    """

    __slots__ = ("dtype", "rank", "weak", "lead", "exact", "least")

    def __init__(
        self,
        dtype: str | None = None,
        rank: int | None = None,
        weak: bool = False,
        lead: Lead | None = None,
        exact: str = "",
        least: int = 0,
    ) -> None:
        self.dtype = dtype
        self.rank = rank
        self.weak = weak
        self.lead = lead
        self.exact = exact
        self.least = least

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.dtype}, {self.rank})"


class HostArray(Array):
    """A NumPy array or scalar."""

    __slots__ = ()


class JaxArray(Array):
    """A JAX array that has its value."""

    __slots__ = ()

    def renewed(self) -> Value:
        return JaxArray(self.dtype, self.rank, self.weak, self.lead, self.exact, self.least)


class Traced(Array):
    """A tracer, or a pytree of tracers.

    `depth` is the depth of the trace that it belongs to. `concrete` tracers (eager differentiation) still have their
    value. `tree` ones may be any pytree: structure unknown, leaves traced; `container` ones among them are no array.
    `from_shape` ones were computed by JAX from static values alone. `param` is the name of the transformed function's
    parameter that it is, unchanged. `outer` is a tracer of an enclosing trace on which it depends: what it is outside
    of its own.
    """

    __slots__ = ("depth", "concrete", "tree", "container", "from_shape", "flow", "param", "outer")

    def __init__(
        self,
        flow: Flow,
        depth: int,
        *,
        dtype: str | None = None,
        rank: int | None = None,
        concrete: bool = False,
        tree: bool = False,
        container: bool = False,
        from_shape: bool = False,
        param: str = "",
        weak: bool = False,
        lead: Lead | None = None,
        outer: Traced | None = None,
        exact: str = "",
    ) -> None:
        super().__init__(dtype, rank, weak, lead, exact)
        self.flow = flow
        self.depth = depth
        self.concrete = concrete
        self.tree = tree
        self.container = container
        self.from_shape = from_shape
        self.param = param
        self.outer = outer

    def beneath(self, depth: int) -> Traced | None:
        """What it depends on below a trace depth; None if nothing there."""
        found: Traced | None = self
        while found is not None and found.depth >= depth:
            found = found.outer
        return found

    def replace(self, **changes: Any) -> Traced:
        """A copy with other attributes. With another dtype, the exact one is not known."""
        if "dtype" in changes:
            changes.setdefault("exact", "")
        copy = self.copy()
        for name, value in changes.items():
            setattr(copy, name, value)
        return copy

    def copy(self) -> Traced:
        """A copy, to be changed before anything else knows it."""
        copy = Traced(
            self.flow, self.depth, dtype=self.dtype, rank=self.rank, concrete=self.concrete, tree=self.tree,
            container=self.container, from_shape=self.from_shape, param=self.param, weak=self.weak, lead=self.lead,
            outer=self.outer, exact=self.exact,
        )  # fmt: skip
        copy.least = self.least
        return copy

    def going(self, module: Module, span: Span, note: str) -> Traced:
        """What it is after one step more of its flow."""
        flow = self.flow.then(module, span, note)
        if flow is self.flow:
            return self
        copy = self.copy()
        copy.flow = flow
        return copy

    def part(self, **changes: Any) -> Traced:
        """What is in it."""
        copy = self.replace(**changes)
        copy.param, copy.container = "", False
        return copy


MAX_NESTING: Final = 10


def deepest_nesting(values: Iterable[Value]) -> int:
    deepest = 0
    for value in values:
        deepest = max(deepest, value.nesting)
    return deepest


class Tuple(Value):
    """A tuple of known length; `cls` is its NamedTuple class, if it has one.

    `nesting` counts the tuples in tuples. Parts may be shared, so that walking them as trees grows with its power:
    what is nested deeper than MAX_NESTING is not known.
    """

    __slots__ = ("elements", "cls", "nesting")

    def __init__(self, elements: tuple[Value, ...], cls: Class | None = None) -> None:
        self.nesting = 1 + deepest_nesting(elements)
        self.elements = elements if self.nesting <= MAX_NESTING else (UNKNOWN,) * len(elements)
        self.cls = cls

    def __repr__(self) -> str:
        return f"Tuple{self.elements}"


class View(Tuple):
    """A dict's items, keys or values, of known length."""

    __slots__ = ()


class Sequence(Value):
    """An immutable sequence of unknown length: `kind` is tuple, range, or a view; `element` is the join of all."""

    __slots__ = ("kind", "element")

    def __init__(self, kind: str, element: Value) -> None:
        self.kind = kind
        self.element = element

    @property
    def nesting(self) -> int:  # type: ignore[override]
        return 1 + self.element.nesting

    def __repr__(self) -> str:
        return f"{self.kind}[{self.element}…]"


SHAPE: Final = Sequence("tuple", INT)


class Slice(Value):
    __slots__ = ("bounds",)

    def __init__(self, bounds: tuple[Value, ...]) -> None:
        self.bounds = bounds


class Union(Value):
    """One of several values, none of them a Union."""

    __slots__ = ("alternatives",)

    def __init__(self, alternatives: tuple[Value, ...]) -> None:
        self.alternatives = alternatives

    @property
    def nesting(self) -> int:  # type: ignore[override]
        return deepest_nesting(self.alternatives)

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.alternatives))


# --- objects with identity --------------------------------------------------------------------------------------------


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


class List(HeapObject):
    """A list, set or deque (`kind`). fields: `content` is a Tuple (length known) or a Sequence (unknown)."""

    __slots__ = ("kind",)

    def __init__(
        self, kind: str, content: Tuple | Sequence, depth: int, loops: tuple[int, ...], site: Site | None
    ) -> None:
        super().__init__({"content": content}, depth, loops, site)
        self.kind = kind

    @property
    def content(self) -> Value:
        value: Value = self.fields["content"]
        return value

    @property
    def nesting(self) -> int:  # type: ignore[override]
        return 1 + self.content.nesting


class Dict(HeapObject):
    """A dict. fields: `entries` maps constant keys to values, `rest` is the join of values under unknown keys (Never if
    there are none), `keys` the join of unknown keys. `factory` makes the values of missing keys, if any."""

    __slots__ = ("nesting", "factory")

    def __init__(
        self, entries: dict[Any, Value], rest: Value, depth: int, loops: tuple[int, ...], site: Site | None
    ) -> None:
        self.nesting = 1 + deepest_nesting(entries.values())
        if self.nesting > MAX_NESTING:
            entries = dict.fromkeys(entries, UNKNOWN)
        super().__init__({"entries": entries, "rest": rest, "keys": NEVER}, depth, loops, site)
        self.factory: Value | None = None


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

    __slots__ = ("module", "function", "parent", "exits", "mark", "result", "yields", "in_class", "is_inner",
                 "made_in", "closes", "rebound")  # fmt: skip

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
        self.closes = False
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


class Iterator(HeapObject):
    """An iterator: `kind` is generator, iter, zip, map, filter, enumerate, reversed, file …; `element` what it yields.
    fields: `used` once something took from it, `taken` how many of `items` are gone."""

    __slots__ = ("kind", "element", "items")

    def __init__(
        self,
        kind: str,
        element: Value,
        depth: int,
        loops: tuple[int, ...],
        site: Site,
        items: tuple[Value, ...] | None = None,
    ) -> None:
        super().__init__({"used": False, "taken": Const(0)}, depth, loops, site)
        self.kind = kind
        self.element = element
        self.items = items


# --- callables --------------------------------------------------------------------------------------------------------


class Made(Value):
    """Something made anew each time its expression runs: `loops` and `site` say where."""

    __slots__ = ("loops", "site")

    def __init__(self, loops: tuple[int, ...], site: Site | None) -> None:
        self.loops = loops
        self.site = site


class Function(Made):
    """A function of the project, with its closure. `functools.wraps` makes it show the signature of `wrapped`."""

    __slots__ = ("code", "module", "closure", "defaults", "cls", "cached", "depth", "wrapped")

    def __init__(
        self,
        code: ir.Function,
        module: Module,
        closure: Frame,
        defaults: Mapping[str, Value],
        loops: tuple[int, ...],
        depth: int,
    ) -> None:
        super().__init__(loops, (module, code.name_span))
        self.code = code
        self.module = module
        self.closure = closure
        self.defaults = defaults
        self.depth = depth
        self.cls: Class | None = None
        self.cached = False
        self.wrapped: Value | None = None

    def __repr__(self) -> str:
        return f"Function({self.code.qualname})"


class BoundMethod(Made):
    """A method with its receiver; `guessed` if only its name says that the receiver has it."""

    __slots__ = ("receiver", "function", "guessed")

    def __init__(
        self, receiver: Value, function: Value, loops: tuple[int, ...], site: Site | None, guessed: bool = False
    ) -> None:
        super().__init__(loops, site)
        self.receiver = receiver
        self.function = function
        self.guessed = guessed


class Partial(Made):
    __slots__ = ("function", "positional", "keywords")

    def __init__(
        self,
        function: Value,
        positional: tuple[Value, ...],
        keywords: Mapping[str, Value],
        loops: tuple[int, ...],
        site: Site | None,
    ) -> None:
        super().__init__(loops, site)
        self.function = function
        self.positional = positional
        self.keywords = keywords


class Transformed(Made):
    """A transform applied to a function: `options` are the transform's other arguments, `depth` the trace depth there.

    `is_decorator`: nothing but this reaches the function. `stored` once it was kept in an object that outlives the loop
    it was made in; `called` once a call was in view.
    """

    __slots__ = (
        "is_decorator",
        "transform",
        "function",
        "options",
        "depth",
        "stored",
        "called",
        "root",
        "guarded",
        "symbol",
        "frame",
    )

    def __init__(
        self,
        transform: Transform,
        function: Value,
        options: Mapping[str, Value],
        depth: int,
        loops: tuple[int, ...],
        site: Site,
    ) -> None:
        super().__init__(loops, site)
        self.transform = transform
        self.function = function
        self.options = dict(options)
        self.depth = depth
        self.is_decorator = False
        self.stored = False
        self.called = False
        self.guarded = False
        self.root: Any = None
        self.symbol = ""
        self.frame: Frame | None = None


class Class(HeapObject):
    """A class of the project; fields are its namespace.

    `decorations` are qualified names of what decorated it. `is_registered` as a pytree; `by_functions` if functions of
    the project say which fields are leaves: `flatten`, or the method that the registration wants; `children` once that
    was asked. Once they were asked for: `lineage`, itself and its bases; `declared`, the fields of its body;
    `assigned`, the attributes that it assigns by itself. `is_open` if what made it could not be followed.
    """

    __slots__ = (
        "code",
        "module",
        "bases",
        "options",
        "decorations",
        "is_registered",
        "is_open",
        "by_functions",
        "flatten",
        "static_fields",
        "lineage",
        "declared",
        "assigned",
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
        self.assigned: frozenset[str] | None = None

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


# --- outside of the project -------------------------------------------------------------------------------------------


class ModuleValue(Value):
    """A module of the project."""

    __slots__ = ("module",)

    def __init__(self, module: Module) -> None:
        self.module = module


class External(Value):
    """A module, function, class or object of a library, by its canonical qualified name ("jax.numpy.sum")."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"External({self.name})"


class ExternalInstance(Value):
    """What a library class or factory (`of`) gave, at trace depth `depth`, in `loops`, at `site`."""

    __slots__ = ("of", "arguments", "keywords", "depth", "loops", "site")

    def __init__(
        self,
        of: str,
        arguments: tuple[Value, ...] = (),
        depth: int = 0,
        loops: tuple[int, ...] = (),
        site: Site | None = None,
        keywords: Mapping[str, Value] | None = None,
    ) -> None:
        self.of = of
        self.arguments = arguments
        self.keywords = keywords or {}
        self.depth = depth
        self.loops = loops
        self.site = site

    def __repr__(self) -> str:
        return f"ExternalInstance({self.of})"


NAMESPACES: Final = frozenset(
    {"types.SimpleNamespace", "argparse.Namespace", "ml_collections.ConfigDict", "easydict.EasyDict"}
)
"""Library objects whose attributes are what was put into them: their one argument is a Dict of those."""


class Member(ExternalInstance):
    """A member of an enum of the project: `value` is what the class body says. Each is one object, as in Python."""

    __slots__ = ("cls", "name", "value")

    def __init__(self, cls: Class, name: str, value: Value) -> None:
        super().__init__(f"{cls.module.name}.{cls.code.qualname}.{name}")
        self.cls = cls
        self.name = name
        self.value = value


class Method(Value):
    """A method of a value of a built-in or library type, bound."""

    __slots__ = ("receiver", "name", "span")

    def __init__(self, receiver: Value, name: str, span: Span) -> None:
        self.receiver = receiver
        self.name = name
        self.span = span


class AtIndexer(Value):
    """`array.at` (`indexed` False) and `array.at[…]` (True)."""

    __slots__ = ("array", "indexed")

    def __init__(self, array: Value, indexed: bool) -> None:
        self.array = array
        self.indexed = indexed


class DecoratorOf(Value):
    """A library's decorator called with options only, waiting for the function (`@transform(option=…)`)."""

    __slots__ = ("name", "options")

    def __init__(self, name: str, options: Mapping[str, Value]) -> None:
        self.name = name
        self.options = options
