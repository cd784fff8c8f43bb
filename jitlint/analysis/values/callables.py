"""Callables that the project's code creates: functions, and the methods, partials and transformed functions of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from jitlint import ir
from jitlint.analysis.values.base import UNKNOWN, Compound, Value
from jitlint.analysis.values.objects import Class, Frame, HeapObject, Site
from jitlint.models.tables import Transform
from jitlint.project.modules import Module


def function_name(function: Value) -> str:
    """`module:qualname` of the project function that a callable calls in the end; "" for a lambda or an unknown one."""
    while True:
        if isinstance(function, Function):
            return "" if "<" in function.code.qualname else f"{function.module.name}:{function.code.qualname}"
        if isinstance(function, (BoundMethod, Partial, Transformed)):
            function = function.function
            continue
        return ""


def innermost_function(function: Value) -> Function | None:
    """The project's function inside of partials, bound methods and transforms; None if there is none."""
    inner: Value | None = function
    while inner is not None and not isinstance(inner, Function):
        inner = getattr(inner, "function", None)
    return inner


class ProjectCallable(Compound):
    """A callable that is a new object each time its expression runs: a `lambda` in a loop is another one each round.

    A compile cache knows functions by their identity, so a new callable in every round never hits it.
    """

    __slots__ = ("loops", "site")

    def __init__(self, loops: tuple[int, ...], site: Site | None) -> None:
        self.size = 1
        self.loops = loops
        """The loops around its expression, the outermost first, by identity."""
        self.site = site
        """Where its expression is written; None if that is not known."""


MAX_WRAPPING: Final = 32
"""How often a callable is wrapped at most: `jit(jit(jit(f)))` is wrapped three times. What wraps more holds Unknown."""


class Wrapper(ProjectCallable):
    """A callable that calls another one in the end."""

    __slots__ = ("function", "wrapping")

    function: Value
    """The other callable."""
    wrapping: int
    """How many wrappers are around the function that is called in the end."""

    def wraps(self, function: Value, parts: Iterable[Value]) -> bool:
        """Sets `function`, `wrapping` and `size`. Returns whether it may hold `function` and its other parts."""
        inner = function.wrapping if isinstance(function, Wrapper) else 0
        fits = self.fits((function, *parts), 1) and inner < MAX_WRAPPING
        self.function = function if fits else UNKNOWN
        self.wrapping = inner + 1 if fits else 1
        return fits


class Function(ProjectCallable):
    """A function of the project: a `def` or a lambda, with its closure."""

    __slots__ = (
        "code",
        "module",
        "closure",
        "defaults",
        "cls",
        "cached",
        "depth",
        "wrapped",
        "maybe_traced",
        "made_by",
        "attributes",
    )

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
        """Its IR."""
        self.module = module
        """The module that defines it."""
        self.closure = closure
        """The frame in which it was defined: free variables are looked up there."""
        fits = self.fits(defaults.values(), len(defaults))
        self.defaults = defaults if fits else dict.fromkeys(defaults, UNKNOWN)
        """The default values of its parameters by name."""
        self.depth = depth
        """The depth of the trace in which it was defined."""
        self.cls: Class | None = None
        """The class in whose body it is defined, if any."""
        self.cached = False
        """Whether it runs once per arguments: under `functools.cache`, or as a `cached_property`."""
        self.wrapped: Value | None = None
        """The callable whose signature it shows, by `functools.wraps` or `__signature__`; Unknown if it may be any."""
        self.maybe_traced = False
        """Whether a decorator out of view calls itself a jit (`@library.named_jit`): it may trace the function."""
        self.made_by: tuple[Site, ...] = ()
        """The calls in which it was defined, outermost first: the innermost few."""
        self.attributes: HeapObject | None = None
        """What code has stored in it, `function.calls = 0`; None if nothing."""

    def __repr__(self) -> str:
        return f"Function({self.code.qualname})"


class BoundMethod(Wrapper):
    """A method of an object, `receiver.method` without the call: the function gets the receiver as first argument."""

    __slots__ = ("receiver", "guessed")

    def __init__(
        self, receiver: Value, function: Value, loops: tuple[int, ...], site: Site | None, guessed: bool = False
    ) -> None:
        super().__init__(loops, site)
        self.receiver = receiver if self.wraps(function, (receiver,)) else UNKNOWN
        """The object, or for a class method the class. `function` is the method as the class holds it."""
        self.guessed = guessed
        """Whether the receiver's class is a guess from the method's name (machine/guesses.py)."""


class Partial(Wrapper):
    """A function with some arguments already bound, as `functools.partial` makes it."""

    __slots__ = ("positional", "keywords", "may_change")

    def __init__(
        self,
        function: Value,
        positional: tuple[Value, ...],
        keywords: Mapping[str, Value],
        loops: tuple[int, ...],
        site: Site | None,
    ) -> None:
        super().__init__(loops, site)
        if not self.wraps(function, (*positional, *keywords.values())):
            positional, keywords = (), {}
        self.positional = positional
        """The bound positional arguments: they come before those of the call."""
        self.keywords = keywords
        """The bound keyword arguments by name: a call may override them."""
        self.may_change = False
        """Whether code has asked for the dict of its keywords, to which it may add."""


class Transformed(Wrapper):
    """A function under a transform: what `jax.jit(step)` gives."""

    __slots__ = (
        "is_decorator",
        "transform",
        "options",
        "depth",
        "stored",
        "called",
        "root",
        "guarded",
        "symbol",
        "frame",
        "own_programs",
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
        if not self.wraps(function, options.values()):
            options = {}
        self.transform = transform
        """The transform's model: what it traces, whether it compiles, and so on."""
        self.options = dict(options)
        """The transform's other arguments by name (`static_argnums`)."""
        self.depth = depth
        """The depth of the trace in which it was applied."""
        self.is_decorator = False
        """Whether it was applied as a decorator: the function can then be reached through the transform only."""
        self.stored = False
        """Whether an object that outlives the loop holds it: it may then be applied once, not once per round."""
        self.called = False
        """Whether a call of it was seen: roots.py runs those that nothing in view calls."""
        self.guarded = False
        """Whether it was applied behind a test for what is missing (`if self.step is None`): it happens once only."""
        self.root: Any = None
        """The root (`events.event.Root`) that ran when it was applied: how to reach it, if no name stands for it."""
        self.symbol = ""
        """The dotted name of the function in which it was applied."""
        self.frame: Frame | None = None
        """The frame of that function: while it runs, its caller can have no older trace of the transformed function."""
        self.own_programs: dict[int, str] = {}
        """Why the rounds of loops around it need programs of their own, by the loop's identity; "" if they do not."""
