"""Finds the entry points of a unit, once all of it was run: the functions that `--verify` compiles as a whole.

There are three kinds: functions that a caching transform such as `jax.jit` was applied to, methods that a framework's
users run under jit (`nn.Module.__call__`), and functions that a package's `__init__.py` offers to its users.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.program.reachable_names import ReachableNames
from jitlint.analysis.program.roots import Roots
from jitlint.analysis.values import Class, Function
from jitlint.analysis.values.callables import function_name, innermost_function
from jitlint.events.entry_point import EntryPoint, Origin
from jitlint.events.event import Root
from jitlint.project.modules import Module

_JIT = "jax.jit"
_SHARD_MAP = "jax.shard_map"


def entry_points(interp: Interpreter, roots: Roots, modules: Sequence[Module]) -> tuple[EntryPoint, ...]:
    """The entry points of a unit, after `roots` has run all of it."""
    found = (*_transforms(interp, roots), *_methods(interp, roots.classes()), *_exports(interp, modules))
    return tuple(entry._replace(root=interp.with_calls(entry.root)) for entry in found)


def _transforms(interp: Interpreter, roots: Roots) -> Iterator[EntryPoint]:
    """Functions under a transform that compiles them; an outermost `shard_map` counts, since users compile it."""
    inner = {id(each.function) for each in interp.world.transformed}
    names = ReachableNames(interp)
    for transformed in roots.transformed():
        site, transform = transformed.site, transformed.transform
        whole = transform.name == _SHARD_MAP and transformed.depth == 0 and id(transformed) not in inner
        root = names.of(transformed) or transformed.root
        if site is None or not site[0].given or root is None or not (transform.cached or whole):
            continue
        module, span = site
        innermost = innermost_function(transformed.function)
        name = innermost.code.qualname if innermost is not None else module.snippet(span)
        home = innermost.module.source.display if innermost is not None else ""
        full = function_name(transformed.function)
        yield EntryPoint(module.place(span), transform.name, full, name, home, root, Origin.TRANSFORM)


def _methods(interp: Interpreter, classes: Iterable[Class]) -> Iterator[EntryPoint]:
    """Methods of framework classes that users run under jit, as the models' `traced_methods` say."""
    for cls in classes:
        if not cls.module.given or cls.depth > 0:
            continue
        for name in dict.fromkeys(name for model in class_facts(interp, cls).models for name in model.traced_methods):
            value = cls.fields.get(name)
            if isinstance(value, Function):
                qualname = f"{cls.code.qualname}.{name}"
                yield _of_function(value, Root(cls.module.source.display, cls.module.name, qualname), Origin.METHOD)


def _exports(interp: Interpreter, modules: Iterable[Module]) -> Iterator[EntryPoint]:
    """Public functions in the namespace of public packages: their users may compile them."""
    for module in modules:
        if not module.is_package or any(part[:1] == "_" for part in module.name.split(".")):
            continue
        frame = interp.world.frames.get(module)
        for name, value in frame.fields.items() if frame is not None else ():
            if str(name)[:1] != "_" and isinstance(value, Function) and value.module.given and not value.depth:
                home = value.module
                yield _of_function(value, Root(home.source.display, home.name, value.code.qualname), Origin.EXPORT)


def _of_function(function: Function, root: Root, origin: Origin) -> EntryPoint:
    """An entry point for a function that no transform in view is applied to."""
    place = function.module.place(function.code.name_span)
    return EntryPoint(place, _JIT, f"{root.module}:{root.qualname}", root.qualname, root.path, root, origin)
