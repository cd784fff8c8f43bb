"""Functions of the project, and what is made of them: bound methods, partials, transformed functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jitlint import ir
from jitlint.analysis.values.base import Value
from jitlint.analysis.values.objects import Class, Frame, Site
from jitlint.models.tables import Transform
from jitlint.project.modules import Module


def function_name(function: Value) -> str:
    """`module:qualname` of the project function that a callable ends in, "" if it has no such name."""
    while True:
        if isinstance(function, Function):
            return "" if "<" in function.code.qualname else f"{function.module.name}:{function.code.qualname}"
        if isinstance(function, (BoundMethod, Partial, Transformed)):
            function = function.function
            continue
        return ""


class ProjectCallable(Value):
    """Something made anew each time its expression runs: `loops` and `site` say where."""

    __slots__ = ("loops", "site")

    def __init__(self, loops: tuple[int, ...], site: Site | None) -> None:
        self.loops = loops
        self.site = site


class Function(ProjectCallable):
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


class BoundMethod(ProjectCallable):
    """A method with its receiver; `guessed` if only its name says that the receiver has it."""

    __slots__ = ("receiver", "function", "guessed")

    def __init__(
        self, receiver: Value, function: Value, loops: tuple[int, ...], site: Site | None, guessed: bool = False
    ) -> None:
        super().__init__(loops, site)
        self.receiver = receiver
        self.function = function
        self.guessed = guessed


class Partial(ProjectCallable):
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


class Transformed(ProjectCallable):
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
