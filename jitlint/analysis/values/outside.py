"""What belongs to modules and libraries: names, objects and methods that no code of the project defines."""

from __future__ import annotations

from collections.abc import Mapping

from jitlint.analysis.values.base import Value
from jitlint.analysis.values.objects import Class, Site
from jitlint.project.modules import Module
from jitlint.source.places import Span


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
    """What a library class or factory (`of`) gave, at trace depth `depth`, in `loops`, at `site`.

    `attributes` is a Dict of what was put into it, if its attributes are just that (`types.SimpleNamespace`).
    """

    __slots__ = ("of", "arguments", "keywords", "depth", "loops", "site", "attributes")

    def __init__(
        self,
        of: str,
        arguments: tuple[Value, ...] = (),
        depth: int = 0,
        loops: tuple[int, ...] = (),
        site: Site | None = None,
        keywords: Mapping[str, Value] | None = None,
        attributes: Value | None = None,
    ) -> None:
        self.of = of
        self.arguments = arguments
        self.keywords = keywords or {}
        self.depth = depth
        self.loops = loops
        self.site = site
        self.attributes = attributes

    def __repr__(self) -> str:
        return f"ExternalInstance({self.of})"


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
