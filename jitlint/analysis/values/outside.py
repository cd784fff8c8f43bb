"""Modules, and what belongs to libraries: names, objects and methods that no code of the project defines.

What libraries do is data (jitlint/models); these values say only which name or object of a library it is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from jitlint.analysis.values.base import UNKNOWN, Compound, Value
from jitlint.analysis.values.objects import Class, Site
from jitlint.project.modules import Module
from jitlint.source.places import Span


class ModuleValue(Value):
    """A module of the project, as `import` binds it."""

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


DATACLASS_FIELD: Final = "dataclasses.Field"
"""The qualified name of what `dataclasses.field(…)` and `dataclasses.fields(x)` give."""


class ExternalInstance(Compound):
    """An object that a class or function of a library made: `optax.adam(1e-3)`, `np.random.default_rng()`."""

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
        """The qualified name of that class or function."""
        keywords = keywords or {}
        if not self.fits((*arguments, *keywords.values()), len(arguments) + len(keywords)):
            arguments, keywords = (UNKNOWN,) * len(arguments), dict.fromkeys(keywords, UNKNOWN)
        self.arguments = arguments
        """The positional arguments with which it was made."""
        self.keywords = keywords
        """The keyword arguments with which it was made, by name."""
        self.depth = depth
        """The depth of the trace in which it was made."""
        self.loops = loops
        """The loops around the place where it was made, by identity."""
        self.site = site
        """Where it was made; None if that is not known."""
        self.attributes = attributes
        """A Dict of its attributes, if the code puts them in (`types.SimpleNamespace`); else None."""

    def __repr__(self) -> str:
        return f"ExternalInstance({self.of})"


class Member(ExternalInstance):
    """A member of an enum of the project. Each is one object, as in Python (`World.members`)."""

    __slots__ = ("cls", "name", "value")

    def __init__(self, cls: Class, name: str, value: Value) -> None:
        super().__init__(f"{cls.module.name}.{cls.code.qualname}.{name}")
        self.cls = cls
        """The enum."""
        self.name = name
        """Its name in the enum."""
        self.value = value
        """Its value, as the class body assigns it."""


class Method(Compound):
    """A bound method of a value whose type is built-in or a library's: `items.append`, `x.at[0].set`."""

    __slots__ = ("receiver", "name", "span")

    def __init__(self, receiver: Value, name: str, span: Span) -> None:
        self.receiver = receiver if self.fits((receiver,), 1) else UNKNOWN
        """The value that it belongs to."""
        self.name = name
        """The method's name; `libraries.tables.METHODS` says what it does."""
        self.span = span
        """Where the attribute is written."""


class AtIndexer(Compound):
    """`array.at`, and `array.at[index]`."""

    __slots__ = ("array", "indexed")

    def __init__(self, array: Value, indexed: bool) -> None:
        self.array = array if self.fits((array,), 1) else UNKNOWN
        """The array; still the whole of it."""
        self.indexed = indexed
        """Whether the index follows."""


class DecoratorOf(Compound):
    """A library's decorator that was called with options and waits for its function: `jax.jit(static_argnums=0)`."""

    __slots__ = ("name", "options")

    def __init__(self, name: str, options: Mapping[str, Value]) -> None:
        self.name = name
        """The decorator's qualified name."""
        self.options = options if self.fits(options.values(), len(options)) else dict.fromkeys(options, UNKNOWN)
        """The options by name."""
