"""Finds where to begin for a probe: functions in the user's modules that lead to its place."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import itertools
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jax import jit  # as it is before user code replaces it

from ..inputs import frameworks
from ..inputs.frameworks import Stage
from ..inputs.targets import Call, Target
from ..inside_jax.jitted import is_jitted
from ..messages import CallProgram
from ..process.budget import Clock
from ..user_code import texts
from ..user_code.loaded_modules import Candidate, Modules
from ..user_code.probes import Probe, expression_at, text_at
from ..user_code.texts import Texts
from .call_sites import CallSites
from .instances import Instances
from .target_maker import TargetMaker

_CALLS = 4
"""How many calls of a module's top level are tried for one target."""


class Finder:
    """Finds targets in the loaded modules."""

    def __init__(
        self,
        modules: Mapping[str, types.ModuleType],
        sources: Mapping[str, str],
        calls: Iterable[CallProgram],
        clock: Clock,
    ) -> None:
        self._modules = Modules(modules)
        self._sources = sources
        self._texts = Texts(sources)
        self._instances = Instances(modules, self._texts, clock)
        self._maker = TargetMaker(self._modules, self._texts, self._instances)
        self._call_sites = CallSites(calls, clock)

    def targets(self, probe: Probe) -> Iterator[Target]:
        """The targets that may show a probe's event, most direct first, each function once."""
        seen: list[Any] = []
        for label, value, owner in self._candidates(probe):
            if any(value is other for other in seen):
                continue
            seen.append(value)
            if (stage := frameworks.stage_of_pair(value)) is not None:
                target = self._maker.target(label, texts.unwrapped(value.init), None, probe)
                if target is not None:
                    yield dataclasses.replace(target.within(stage), label=stage.title.format(label))
                continue
            if not callable(value):
                yield from self._targets_in(label, value, probe)
                continue
            target = self._maker.target(label, value, owner, probe)
            if target is not None:
                target = dataclasses.replace(target, predicted=self._is_predicted(probe, label, value))
                if target.stage is None and self._is_jitted_alone(probe, value):
                    yield dataclasses.replace(target, label=f"jax.jit({label})", traced=True, wrap=jit)
                elif target.stage is None and (stage := self._stage_of_entry(probe, value, owner)) is not None:
                    yield dataclasses.replace(
                        _traced(target).within(stage), label=stage.title.format(label), predicted=False
                    )
                yield target

    def calls(self, target: Target) -> Iterator[Call]:
        """The calls of a target that can be repeated: from its module's top level, then from elsewhere."""
        yield from target.calls[:_CALLS]
        texts = {call.text for call in target.calls}
        yield from (call for call in self._call_sites.of(target) if call.text not in texts)

    def has_functions(self, value: Any) -> bool:
        """Whether a value is, or holds, functions of the user's."""
        return next(self._functions(value), None) is not None

    def returned(self, label: str, value: Any, probe: Probe) -> Iterator[Target]:
        """Targets for the user's functions in a call's result, nearest to the place first."""
        yield from self._targets_in(f"{label}(…)", value, probe)

    def _targets_in(self, label: str, value: Any, probe: Probe) -> Iterator[Target]:
        found = list(itertools.islice(self._functions(value), 24))
        for part, function in sorted(found, key=lambda one: self._distance(one[1], probe)):
            target = self._maker.target(f"{label}{part}", function, None, probe)
            if target is not None:
                yield dataclasses.replace(target, predicted=False)

    def _functions(self, value: Any, depth: int = 3) -> Iterator[tuple[str, Any]]:
        """The user's functions in a value, each with the path to it, such as `[0].step`."""
        if isinstance(value, type):
            return
        if callable(value) and self._texts.of(value) is not None:
            yield "", value
        elif depth:
            for part, content in _contents(value):
                for inner, function in self._functions(content, depth - 1):
                    yield part + inner, function
        for name in dir(type(value)) if type(value).__module__ in self._modules else ():
            if not name.startswith("__") and not isinstance(inspect.getattr_static(type(value), name), property):
                method = getattr(value, name, None)
                if inspect.ismethod(method) and self._texts.of(method) is not None:
                    yield f".{name}", method

    def _distance(self, function: Any, probe: Probe) -> int:
        """0 for a function whose text holds the place, 1 if it holds the entry, else 2."""
        node, file = self._texts.of(function), _file(function)
        sites = [probe.site, probe.entry_site]
        for distance, site in enumerate(sites):
            if site and node and site.file == file and node.lineno <= site.line <= (node.end_lineno or 0):
                return distance
        return len(sites)

    def _candidates(self, probe: Probe) -> Iterator[Candidate]:
        root = self._modules.attribute(probe.root_module, probe.root_qualname)
        if root is not None and is_jitted(root[1]):
            yield root
        yield from self._jitted(probe)
        home, _, qualname = probe.entry_function.partition(":")
        entry = self._modules.attribute(home, qualname) if qualname else None
        if entry is not None and self._is_jitted_alone(probe, entry[1]):
            yield entry
        if (applied := self._applied(probe)) is not None:
            yield applied
        yield from self._made_at_entry(probe)
        if entry is not None and self._stage_of_entry(probe, entry[1]) is not None:
            yield entry
        if root is not None:
            yield root
        yield from self._around_entry(probe)
        module = self._modules.of_file(probe.site.file)
        if module is not None:
            own = self._modules.symbol(module, probe.symbol)
            if own is not None:
                yield own
            yield from self._callers(module, probe.symbol)

    def _made_at_entry(self, probe: Probe) -> Iterator[Candidate]:
        """Values of the module that the entry's statement binds, and jitted functions defined there."""
        site = probe.entry_site
        module = self._modules.of_file(site.file) if site else None
        if site is None or module is None:
            return
        names = self._texts.bound_at(site.file, site.line, site.end_line)
        for name, value in list(vars(module).items()):
            if name in names and not isinstance(value, type):
                yield name, value, None
                continue
            code = getattr(texts.unwrapped(value), "__code__", None) if is_jitted(value) else None
            if code is not None and code.co_filename == site.file and site.line <= code.co_firstlineno <= site.end_line:
                yield name, value, None

    def _around_entry(self, probe: Probe) -> Iterator[Candidate]:
        """The function around the entry."""
        site = probe.entry_site
        module = self._modules.of_file(site.file) if site else None
        if site is not None and module is not None and (around := self._texts.around(site.file, site.line)):
            found = self._modules.attribute(module.__name__, around)
            if found is not None:
                yield found

    def _is_predicted(self, probe: Probe, label: str, value: Any) -> bool:
        if label == probe.root_qualname:
            return True
        home, _, qualname = probe.entry_function.partition(":")
        found = self._modules.attribute(home, qualname) if qualname else None
        return found is not None and texts.unwrapped(found[1]) is texts.unwrapped(value)

    def _is_jitted_alone(self, probe: Probe, value: Any) -> bool:
        """Whether the entry is a plain `jax.jit(f)` of this function, without options or bound arguments."""
        site, (module, _, qualname) = probe.entry_site, probe.entry_function.partition(":")
        found = self._modules.attribute(module, qualname) if qualname else None
        if site is None or found is None or found[1] is not value or is_jitted(value):
            return False
        expression = expression_at(site, self._sources.get(site.file, ""))
        return (
            probe.entry_transform == "jax.jit"
            and isinstance(expression, ast.Call)
            and len(expression.args) == 1
            and not expression.keywords
            and isinstance(expression.args[0], (ast.Name, ast.Attribute))
        )

    def _stage_of_entry(self, probe: Probe, value: Any, owner: type | None = None) -> Stage | None:
        """The stage for the entry's function, if the entry is an expression of which it is a part, or its class.

        None where the stage would trace what the code does not: static arguments, and those that are not mapped.
        """
        site, (module, _, qualname) = probe.entry_site, probe.entry_function.partition(":")
        found = self._modules.attribute(module, qualname) if qualname else None
        plain = isinstance(value, types.FunctionType) and not hasattr(value, "__wrapped__")  # no decorator has run it
        if site is None or found is None or found[1] is not value or not plain:
            return None
        if owner is not None and any(text.endswith("runs under jit") for text in probe.assumed):
            return frameworks.stage_of_call(owner)
        source = self._sources.get(site.file, "")
        unlike = "in_axes" if probe.entry_transform == "jax.vmap" else "static_arg"
        options = unlike in text_at(site, source)
        applied = isinstance(expression_at(site, source), ast.Call) and not options
        return frameworks.stage_of_entry(probe.entry_transform) if applied else None

    def _callers(self, module: types.ModuleType, symbol: str) -> Iterator[Candidate]:
        """The module's functions that mention the one around the place, then those that mention these, and so on."""
        inner = symbol.removeprefix(module.__name__).lstrip(".").replace(".<locals>", "")
        wanted = set(inner.split("."))
        seen: set[str] = set()
        if isinstance(cls := vars(module).get(inner.partition(".")[0]), type):
            wanted |= {name for name in {*vars(cls), *self._texts.attributes(cls)} if not name.startswith("__")}
        for _ in range(4):
            found = [
                one
                for one in self._functions_of(module)
                if one[0] not in seen and wanted & (self._texts.names_in(one[1]) | {_own_name(one[1])})
            ]
            yield from found
            if not found or len(seen) > 12:
                return
            seen |= {label for label, _, _ in found}
            wanted = {_last(label) for label, _, _ in found}

    def _functions_of(self, module: types.ModuleType) -> Iterator[Candidate]:
        """What can be called in a module: functions, callable objects, methods and properties of its classes."""
        for name, value in list(vars(module).items()):
            if not isinstance(value, type):
                if callable(value):
                    yield name, value, None
            elif value.__module__ == module.__name__:
                for method in list(vars(value)):
                    found = self._modules.attribute(module.__name__, f"{name}.{method}")
                    if found is not None and self._texts.of(found[1]) is not None and method != "__init__":
                        yield found

    def _jitted(self, probe: Probe) -> Iterator[Candidate]:
        """Jitted objects in the modules that wrap the entry's function."""
        module, _, qualname = probe.entry_function.partition(":")
        found = self._modules.attribute(module, qualname) if qualname else None
        wanted = texts.unwrapped(found[1]) if found else None
        if found is None or wanted is None:
            return
        if is_jitted(found[1]):
            yield found
        for loaded in self._modules:
            for name, value in list(vars(loaded).items()):
                if is_jitted(value) and texts.unwrapped(value) is wanted:
                    yield name, value, None

    def _applied(self, probe: Probe) -> Candidate | None:
        """The value of the entry's expression, such as `jax.jit(f, static_argnums=1)`."""
        site = probe.entry_site
        if site is None or probe.entry_transform.startswith("jax.lax."):
            return None
        found = self._instances.evaluated(site)
        return found if found is not None and callable(found[1]) and not _is_decorator(found[1]) else None


def _is_decorator(value: Any) -> bool:
    """Whether a value waits for the function that it transforms, as `partial(jax.jit, static_argnums=0)` does."""
    return isinstance(value, functools.partial) and str(getattr(value.func, "__module__", "")).startswith("jax.")


def _traced(target: Target) -> Target:
    """The target with arrays for arguments, but for `self`: what is given as a number becomes a tracer, too."""
    first = int(target.owner is not None)
    traced = [dataclasses.replace(part, host=False) for part in target.parameters[first:]]
    return dataclasses.replace(target, parameters=(*target.parameters[:first], *traced))


def _contents(value: Any) -> list[tuple[str, Any]]:
    """The parts of a container or a plain object, each with the path to it."""
    if isinstance(value, dict):
        return [(f"[{key!r}]", content) for key, content in value.items()]
    if isinstance(value, tuple) and (names := getattr(type(value), "_fields", ())):
        return [(f".{name}", content) for name, content in zip(names, value, strict=False)]
    if isinstance(value, (tuple, list)):
        return [(f"[{at}]", content) for at, content in enumerate(value)]
    if isinstance(value, (types.ModuleType, types.FunctionType)) or not hasattr(value, "__dict__"):
        return []
    return [(f".{name}", content) for name, content in vars(value).items()]


def _file(function: Any) -> str:
    return str(getattr(getattr(texts.unwrapped(function), "__code__", None), "co_filename", ""))


def _own_name(value: Any) -> str:
    return _last(getattr(texts.unwrapped(value), "__qualname__", ""))


def _last(qualname: str) -> str:
    return qualname.rpartition(":")[2].rpartition(".")[2]
