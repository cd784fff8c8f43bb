"""Where to begin for a probe: the functions found in the user's modules that lead to its place."""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import inspect
import itertools
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import jax

from . import annotated, frameworks, specs, texts, uses, values
from .calls import CallSites
from .instances import Instances
from .jitted import is_jitted, mapped_axes, static_names
from .probes import Probe, expression_at
from .targets import Call, Parameter, Target
from .texts import Texts
from .uses import Use
from .values import Omitted, Spec

_CALLS = 4
"""How many calls of a module's top level are tried for one target."""

Candidate = tuple[str, Any, type | None]
"""What may be a target: its label, the value, and the class whose method or property it is."""


class Finder:
    """Finds targets in the modules that were loaded."""

    def __init__(
        self,
        modules: Mapping[str, types.ModuleType],
        sources: Mapping[str, str],
        calls: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self._modules = modules
        self._by_file = {getattr(m, "__file__", ""): m for m in modules.values()}
        self._sources = sources
        self._texts = Texts(sources)
        self._instances = Instances(modules, self._texts)
        self._call_sites = CallSites(calls)

    def targets(self, probe: Probe) -> Iterator[Target]:
        """What to run to see a probe's event, most direct first, each function once."""
        seen: list[Any] = []
        for label, value, owner in self._candidates(probe):
            if any(value is other for other in seen):
                continue
            seen.append(value)
            if (stage := frameworks.stage_of_pair(value)) is not None:
                target = self._target(label, texts.unwrapped(value.init), None, probe)
                if target is not None:
                    yield dataclasses.replace(target.within(stage), label=stage.title.format(label))
                continue
            if not callable(value):
                yield from self._held_targets(label, value, probe)
                continue
            target = self._target(label, value, owner, probe)
            if target is not None:
                target = dataclasses.replace(target, predicted=self._is_predicted(probe, label, value))
                if target.stage is None and self._is_jitted_alone(probe, value):
                    yield dataclasses.replace(target, label=f"jax.jit({label})", traced=True, wrap=jax.jit)
                yield target

    def calls(self, target: Target) -> Iterator[Call]:
        """The calls of a target in the user's code that can be made here: of its module's top level, then of others."""
        yield from target.calls[:_CALLS]
        texts = {call.text for call in target.calls}
        yield from (call for call in self._call_sites.of(target) if call.text not in texts)

    def has_functions(self, value: Any) -> bool:
        """Whether a call gave back functions of the user's."""
        return next(self._functions(value), None) is not None

    def returned(self, label: str, value: Any, probe: Probe) -> Iterator[Target]:
        """The user's functions that a call gave back or that what it gave back holds, nearest to the place first."""
        yield from self._held_targets(f"{label}(…)", value, probe)

    def _held_targets(self, label: str, value: Any, probe: Probe) -> Iterator[Target]:
        found = list(itertools.islice(self._functions(value), 24))
        for part, function in sorted(found, key=lambda one: self._distance(one[1], probe)):
            target = self._target(f"{label}{part}", function, None, probe)
            if target is not None:
                yield dataclasses.replace(target, predicted=False)

    def _functions(self, value: Any, depth: int = 3) -> Iterator[tuple[str, Any]]:
        """The functions of the user's that a value is or holds, with how they are got from it."""
        if isinstance(value, type):
            return
        if callable(value) and self._texts.of(value) is not None:
            yield "", value
        elif depth:
            for part, held in _held(value):
                for inner, function in self._functions(held, depth - 1):
                    yield part + inner, function
        for name in dir(type(value)) if type(value).__module__ in self._modules else ():
            if not name.startswith("__") and not isinstance(inspect.getattr_static(type(value), name), property):
                method = getattr(value, name, None)
                if inspect.ismethod(method) and self._texts.of(method) is not None:
                    yield f".{name}", method

    def _distance(self, function: Any, probe: Probe) -> int:
        """0 for a function whose text holds the place, 1 for one that holds the entry, else 2."""
        node, file = self._texts.of(function), _file(function)
        sites = [probe.site, probe.entry_site]
        for distance, site in enumerate(sites):
            if site and node and site.file == file and node.lineno <= site.line <= (node.end_lineno or 0):
                return distance
        return len(sites)

    def _candidates(self, probe: Probe) -> Iterator[Candidate]:
        root = self._attribute(probe.root_module, probe.root_qualname)
        if root is not None and is_jitted(root[1]):
            yield root
        yield from self._jitted(probe)
        home, _, qualname = probe.entry_function.partition(":")
        entry = self._attribute(home, qualname) if qualname else None
        if entry is not None and self._is_jitted_alone(probe, entry[1]):
            yield entry
        if (applied := self._applied(probe)) is not None:
            yield applied
        yield from self._made_at_entry(probe)
        if root is not None:
            yield root
        yield from self._around_entry(probe)
        module = self._by_file.get(probe.site.file)
        if module is not None:
            own = self._symbol(module, probe.symbol)
            if own is not None:
                yield own
            yield from self._callers(module, probe.symbol)

    def _made_at_entry(self, probe: Probe) -> Iterator[Candidate]:
        """What the top level holds of the entry: names bound by its statement, and functions made where it stands."""
        site = probe.entry_site
        module = self._by_file.get(site.file) if site else None
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
        """The function in which the entry stands."""
        site = probe.entry_site
        module = self._by_file.get(site.file) if site else None
        if site is not None and module is not None and (around := self._texts.around(site.file, site.line)):
            found = self._attribute(module.__name__, around)
            if found is not None:
                yield found

    def _attribute(self, module: str, qualname: str) -> Candidate | None:
        value: Any = self._modules.get(module)
        owner = None
        if value is None or not qualname:
            return None
        for part in qualname.split("."):
            owner = value if isinstance(value, type) else None
            value = inspect.getattr_static(value, part, None) if owner is not None else getattr(value, part, None)
            if value is None:
                return None
        if isinstance(value, (staticmethod, classmethod)):
            return qualname, getattr(owner, _last(qualname)), None
        if isinstance(value, property):
            return qualname, value.fget, owner
        if isinstance(value, functools.cached_property):
            return qualname, value.func, owner
        return qualname, value, owner

    def _symbol(self, module: types.ModuleType, symbol: str) -> Candidate | None:
        """The module-level function or method around a place."""
        name = module.__name__
        inner = symbol.removeprefix(name).lstrip(".").split(".<locals>")[0]
        return self._attribute(name, inner)

    def _is_predicted(self, probe: Probe, label: str, value: Any) -> bool:
        if label == probe.root_qualname:
            return True
        home, _, qualname = probe.entry_function.partition(":")
        found = self._attribute(home, qualname) if qualname else None
        return found is not None and texts.unwrapped(found[1]) is texts.unwrapped(value)

    def _is_jitted_alone(self, probe: Probe, value: Any) -> bool:
        """Whether the entry is `jax.jit(…)` of this function and of nothing else: no static and no bound arguments."""
        site, (module, _, qualname) = probe.entry_site, probe.entry_function.partition(":")
        found = self._attribute(module, qualname) if qualname else None
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

    def _callers(self, module: types.ModuleType, symbol: str) -> Iterator[Candidate]:
        """What else may lead to a place: the module's functions that name the one around it, nearest first."""
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
        """What can be called in a module: its functions and objects, and the methods and properties of its classes."""
        for name, value in list(vars(module).items()):
            if not isinstance(value, type):
                if callable(value):
                    yield name, value, None
            elif value.__module__ == module.__name__:
                for method in list(vars(value)):
                    found = self._attribute(module.__name__, f"{name}.{method}")
                    if found is not None and self._texts.of(found[1]) is not None and method != "__init__":
                        yield found

    def _derived(self, owner: type, probe: Probe) -> type:
        """The class around the place if it derives from the method's own: its instances are the ones that get there."""
        module = self._by_file.get(probe.site.file)
        inner = probe.symbol.removeprefix(module.__name__).lstrip(".") if module is not None else ""
        found = vars(module).get(inner.partition(".")[0]) if module is not None else None
        return found if isinstance(found, type) and issubclass(found, owner) else owner

    def _ducks(self, use: Use, names: Mapping[str, Any]) -> list[type]:
        """The classes in view that have all attributes which a use takes, most derived first."""
        wanted = set(use.attributes) | use.array_attributes
        if not use.attributes:
            return []
        loaded = [value for module in self._modules.values() for value in vars(module).values()]
        found = [
            value
            for value in dict.fromkeys(one for one in (*names.values(), *loaded) if isinstance(one, type))
            if value.__module__ not in sys.stdlib_module_names
            and wanted <= (set(dir(value)) | self._texts.attributes(value))
        ]
        return sorted(found, key=lambda cls: -len(cls.__mro__))

    def _enrich(self, use: Use, names: Mapping[str, Any], depth: int = 0) -> None:
        """Finds the classes whose instances a use and its parts want, and what their own methods do with themselves."""
        if depth > 4:
            return
        use.classes = use.classes or self._ducks(use, names)
        for cls in use.classes[:1]:
            for method in list(vars(cls).values()):
                node = self._texts.of(method)
                if node is not None and node.args.args:
                    theirs = uses.parameter_uses(node, texts.visible_names(texts.unwrapped(method)), self._texts, 2)
                    uses.merge(use, theirs[node.args.args[0].arg])
            self._link(cls, use, names)
        parts = [*use.keys.values(), *use.attributes.values(), *use.items.values()]
        for part in parts if use.element is None else [*parts, use.element]:
            self._enrich(part, names, depth + 1)

    def _link(self, cls: type, use: Use, names: Mapping[str, Any]) -> None:
        """Tells the parameters of a constructor what is done with them there, and with the attributes they become."""
        node = self._texts.of(vars(cls).get("__init__"))
        if not isinstance(node, ast.FunctionDef) or not node.args.args:
            return
        for name, theirs in list(uses.parameter_uses(node, names, self._texts, 2).items())[1:]:
            uses.merge(use.attributes.setdefault(name, Use()), theirs)
        for part in ast.walk(node):
            if isinstance(part, ast.Assign) and isinstance(part.value, ast.Name) and part.value.id in use.attributes:
                kept = [target.attr for target in part.targets if isinstance(target, ast.Attribute)]
                for name in kept:
                    if name in use.attributes and name != part.value.id:
                        uses.merge(use.attributes[part.value.id], use.attributes[name])

    def _jitted(self, probe: Probe) -> Iterator[Candidate]:
        """Jitted objects in the modules whose function is the entry's."""
        module, _, qualname = probe.entry_function.partition(":")
        found = self._attribute(module, qualname) if qualname else None
        wanted = texts.unwrapped(found[1]) if found else None
        if found is None or wanted is None:
            return
        if is_jitted(found[1]):
            yield found
        for loaded in self._modules.values():
            for name, value in list(vars(loaded).items()):
                if is_jitted(value) and texts.unwrapped(value) is wanted:
                    yield name, value, None

    def _applied(self, probe: Probe) -> Candidate | None:
        """The entry's own expression, such as `jax.jit(f, static_argnums=1)`, evaluated where it stands."""
        site = probe.entry_site
        if site is None or probe.entry_transform.startswith("jax.lax."):
            return None
        found = self._instances.evaluated(site)
        return found if found is not None and callable(found[1]) else None

    def _target(self, label: str, function: Any, owner: type | None, probe: Probe) -> Target | None:
        if isinstance(function, type):
            return None
        if owner is not None:
            owner = self._derived(owner, probe)
        node = self._texts.of(function)
        bottom = texts.unwrapped(function)
        names = texts.visible_names(bottom) if isinstance(bottom, types.FunctionType) else {}
        known = uses.parameter_uses(node, names, self._texts) if node is not None else {}
        try:
            signature = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            return None
        static = static_names(function, signature)
        jitted = is_jitted(function)
        for name in annotated.key_parameters(node) if node is not None else ():
            known[name].key = True
        parameters = []
        with annotated.signature():
            for at, parameter in enumerate(signature):
                use = known.get(parameter.name, Use())
                if owner is not None and at == 0:
                    parameters.append(self._self(owner, use, names))
                    continue
                self._enrich(use, names)
                made = self._parameter(parameter, use, bottom, host=not jitted or parameter.name in static)
                made = self._leading(made, probe, bottom)
                for axes in mapped_axes(function):
                    if not isinstance(axes, (tuple, list)) or (at < len(axes) and axes[at] is not None):
                        made = dataclasses.replace(made, first=values.batched(made.first))
                parameters.append(made)
        mine = label in (probe.root_qualname, probe.entry_function.rpartition(":")[2])
        module = self._modules.get(probe.root_module)
        calls = probe.calls if mine and label == probe.root_qualname else ()
        target = Target(
            label,
            function,
            tuple(parameters),
            jitted,
            node,
            owner,
            calls=tuple(Call(call, functools.partial(_evaluated, call, module)) for call in calls),
        )
        stage = frameworks.stage_of(owner)
        return target.within(stage) if stage is not None else target

    def _self(self, owner: type, use: Use, names: Mapping[str, Any]) -> Parameter:
        use.classes = [owner]
        self._enrich(use, names)
        first, *others = self._instances.of(owner, use.attributes)
        kind = int(inspect.Parameter.POSITIONAL_ONLY)
        return Parameter("self", kind, False, True, use, first, tuple(others), "constructors")

    def _leading(self, parameter: Parameter, probe: Probe, caller: Any) -> Parameter:
        """The parameter with values that lead to the place: functions taken may be the one around it."""
        module = self._by_file.get(probe.site.file)
        own = self._symbol(module, probe.symbol) if module is not None else None
        if own is None or texts.unwrapped(own[1]) is caller:
            return parameter
        label, function, _ = own
        around = self._symbol(module, probe.symbol.rpartition(".")[0]) if module is not None else None
        owner = around[1] if around is not None else None
        if isinstance(owner, type):
            unknown = parameter.host and not parameter.optional and isinstance(parameter.first, values.Plain)
            found = self._instances.of(owner, {})[:1] if unknown and not parameter.use.size else []
            return dataclasses.replace(parameter, others=(*found, *parameter.others))
        if is_jitted(function) or not callable(function):
            return parameter
        base = parameter.first if not isinstance(parameter.first, Omitted) else next(iter(parameter.others), Omitted())
        given = values.Given(function, label)
        found = [
            values.replaced(base, path, given)
            for path, leaf in values.leaves(base)
            if isinstance(leaf, values.Function)
        ]
        return dataclasses.replace(parameter, others=(*found, *parameter.others))

    def _parameter(self, parameter: inspect.Parameter, use: Use, owner: Any, *, host: bool) -> Parameter:
        optional = parameter.default is not inspect.Parameter.empty
        annotation = specs.evaluated(parameter.annotation, owner)
        others: list[Spec] = []
        if annotation is inspect.Parameter.empty and use.classes:
            others = [spec for cls in use.classes[:4] for spec in self._instances.of(cls, use.attributes)]
        elif isinstance(annotation, type) and annotation.__module__ in self._modules and not _is_choice(annotation):
            others = self._instances.of(annotation, use.attributes)
        first = others.pop(0) if others else specs.first_guess(parameter.name, use, annotation, host=host)
        origin = specs.origin(first, annotation)
        if optional or parameter.kind == inspect.Parameter.VAR_KEYWORD:
            others, first = [first, *others] if optional else others, Omitted()
        return Parameter(parameter.name, int(parameter.kind), optional, host, use, first, tuple(others), origin)


def _evaluated(call: str, module: types.ModuleType | None) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """An argument list of a module's top level, evaluated among its names, those included that it makes when asked."""
    text = f"(lambda *a, **k: (a, k)){call}"
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    names = {name: getattr(module, name) for name in used if hasattr(module, name)}
    arguments: tuple[tuple[Any, ...], dict[str, Any]] = eval(text, {**vars(module), **names})
    return arguments


def _is_choice(cls: type) -> bool:
    return issubclass(cls, enum.Enum)


def _held(value: Any) -> list[tuple[str, Any]]:
    """What a container or a plain object holds, with how to get it."""
    if isinstance(value, dict):
        return [(f"[{key!r}]", held) for key, held in value.items()]
    if isinstance(value, tuple) and (names := getattr(type(value), "_fields", ())):
        return [(f".{name}", held) for name, held in zip(names, value, strict=False)]
    if isinstance(value, (tuple, list)):
        return [(f"[{at}]", held) for at, held in enumerate(value)]
    if isinstance(value, (types.ModuleType, types.FunctionType)) or not hasattr(value, "__dict__"):
        return []
    return [(f".{name}", held) for name, held in vars(value).items()]


def _file(function: Any) -> str:
    return str(getattr(getattr(texts.unwrapped(function), "__code__", None), "co_filename", ""))


def _own_name(value: Any) -> str:
    return _last(getattr(texts.unwrapped(value), "__qualname__", ""))


def _last(qualname: str) -> str:
    return qualname.rpartition(":")[2].rpartition(".")[2]
