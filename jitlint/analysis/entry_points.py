"""The entry points of a project: the functions that are traced and compiled as a whole."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jitlint.analysis.classes import facts
from jitlint.analysis.events import Root
from jitlint.analysis.interpreter import Interpreter
from jitlint.analysis.transforms import function_name
from jitlint.analysis.values import Class, Function, Value
from jitlint.project.modules import Module
from jitlint.source.places import Place

if TYPE_CHECKING:
    from jitlint.analysis.roots import Roots

_JIT = "jax.jit"
_SHARD_MAP = "jax.shard_map"


class Origin(enum.StrEnum):
    """How it is known that a function is compiled."""

    TRANSFORM = "transform"
    """The project applies a transform that compiles: jit, pmap, filter_jit, nnx.jit …, or a shard_map of its own."""
    METHOD = "method"
    """A method that a framework's users run under jit: `__call__` of its modules."""
    EXPORT = "export"
    """A function that a package offers in its `__init__.py`: its users may jit it, the project does not."""


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A function that is traced and compiled as a whole.

    `place` is where the transform is applied, or the function's name where none is; `transform` its qualified name;
    `function` the function as "module:qualname", "" if it has no such name; `name` its qualified name, which is what
    people call it; `home` the file that defines it, "" if that is not known; `root` what to run to come there.
    """

    place: Place
    transform: str
    function: str
    name: str
    home: str
    root: Root
    origin: Origin


def entry_points(interp: Interpreter, roots: Roots, modules: Sequence[Module]) -> tuple[EntryPoint, ...]:
    """The entry points that a unit has met, after everything of it was run."""
    found = (*_transforms(interp, roots), *_methods(interp, roots.classes()), *_exports(interp, modules))
    return tuple(dataclasses.replace(entry, root=interp.with_calls(entry.root)) for entry in found)


def distinct(entries: Iterable[EntryPoint]) -> tuple[EntryPoint, ...]:
    """Entry points in the order of their places, each once; a function that is transformed is listed as such only."""
    found: dict[tuple[Place, str], EntryPoint] = {}
    listed = tuple(entries)
    transformed = {entry.function for entry in listed if entry.origin is Origin.TRANSFORM}
    for entry in sorted(listed, key=lambda entry: entry.origin is not Origin.TRANSFORM):
        if entry.origin is Origin.TRANSFORM or entry.function not in transformed:
            found.setdefault((entry.place, entry.name), entry)
    return tuple(sorted(found.values(), key=lambda e: (e.place.path, e.place.line, e.place.column, e.name)))


def _transforms(interp: Interpreter, roots: Roots) -> Iterator[EntryPoint]:
    parts = {id(made.function) for made in interp.transformed}
    for made in roots.transformed():
        site, transform = made.site, made.transform
        whole = transform.name == _SHARD_MAP and made.depth == 0 and id(made) not in parts
        root = roots.name_of(made) or made.root
        if site is None or not site[0].given or root is None or not (transform.cached or whole):
            continue
        module, span = site
        bottom = _bottom(made.function)
        name = bottom.code.qualname if bottom is not None else module.snippet(span)
        home = bottom.module.source.display if bottom is not None else ""
        full = function_name(made.function)
        yield EntryPoint(module.place(span), transform.name, full, name, home, root, Origin.TRANSFORM)


def _methods(interp: Interpreter, classes: Iterable[Class]) -> Iterator[EntryPoint]:
    for cls in classes:
        if not cls.module.given or cls.depth > 0:
            continue
        for name in dict.fromkeys(name for model in facts(interp, cls).models for name in model.traced_methods):
            value = cls.fields.get(name)
            if isinstance(value, Function):
                qualname = f"{cls.code.qualname}.{name}"
                yield _of_function(value, Root(cls.module.source.display, cls.module.name, qualname), Origin.METHOD)


def _exports(interp: Interpreter, modules: Iterable[Module]) -> Iterator[EntryPoint]:
    for module in modules:
        if not module.is_package or any(part[:1] == "_" for part in module.name.split(".")):
            continue
        frame = interp.frames.get(module)
        for name, value in frame.fields.items() if frame is not None else ():
            if str(name)[:1] != "_" and isinstance(value, Function) and value.module.given and not value.depth:
                home = value.module
                yield _of_function(value, Root(home.source.display, home.name, value.code.qualname), Origin.EXPORT)


def _of_function(function: Function, root: Root, origin: Origin) -> EntryPoint:
    place = function.module.place(function.code.name_span)
    return EntryPoint(place, _JIT, f"{root.module}:{root.qualname}", root.qualname, root.path, root, origin)


def _bottom(function: Value) -> Function | None:
    """The project's function that a callable ends in."""
    inner: Value | None = function
    while inner is not None and not isinstance(inner, Function):
        inner = getattr(inner, "function", None)
    return inner
