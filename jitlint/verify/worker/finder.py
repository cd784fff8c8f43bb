"""Where to begin for a probe: the functions found in the user's modules that lead to its place."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

import jax

from . import specs, texts, uses, values
from .jitted import is_jitted, mapped_axes, static_names
from .probes import Probe, expression_at
from .targets import Parameter, Target
from .texts import Texts
from .uses import Use
from .values import Fields, Omitted, Spec


class Finder:
    """Finds targets in the modules that were loaded."""

    def __init__(self, modules: Mapping[str, types.ModuleType], sources: Mapping[str, str]) -> None:
        self._modules = modules
        self._by_file = {getattr(m, "__file__", ""): m for m in modules.values()}
        self._sources = sources
        self._texts = Texts(sources)

    def targets(self, probe: Probe) -> Iterator[Target]:
        """What to run to see a probe's event, most direct first, each function once."""
        seen: list[Any] = []
        for label, value, owner in self._candidates(probe):
            if any(value is other for other in seen) or not callable(value):
                continue
            seen.append(value)
            target = self._target(label, value, owner, probe)
            if target is not None:
                target = dataclasses.replace(target, predicted=self._is_predicted(probe, label, value))
                if self._is_jitted_alone(probe, value):
                    yield dataclasses.replace(target, label=f"jax.jit({label})", traced=True, wrap=jax.jit)
                yield target

    def has_functions(self, value: Any) -> bool:
        """Whether a call gave back functions of the user's."""
        return bool(self._functions(value))

    def returned(self, label: str, value: Any, probe: Probe) -> Iterator[Target]:
        """The user's functions that a call gave back: one, or several in a tuple or dict."""
        for function in self._functions(value):
            target = self._target(f"{label}(…)", function, None, probe)
            if target is not None:
                yield dataclasses.replace(target, predicted=False)

    def _functions(self, value: Any) -> list[Any]:
        held = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else [value]
        return [one for one in list(held)[:4] if callable(one) and self._texts.of(one) is not None]

    def _candidates(self, probe: Probe) -> Iterator[tuple[str, Any, type | None]]:
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
        if root is not None:
            yield root
        module = self._by_file.get(probe.site.file)
        if module is not None:
            own = self._symbol(module, probe.symbol)
            if own is not None:
                yield own
            yield from self._callers(module, probe.symbol)

    def _attribute(self, module: str, qualname: str) -> tuple[str, Any, type | None] | None:
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
            return qualname, getattr(owner, qualname.rpartition(".")[2]), None
        return qualname, value, owner

    def _symbol(self, module: types.ModuleType, symbol: str) -> tuple[str, Any, type | None] | None:
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

    def _callers(self, module: types.ModuleType, symbol: str) -> Iterator[tuple[str, Any, type | None]]:
        """What else may lead to a place: the module's functions that name the one around it, nearest first."""
        inner = symbol.removeprefix(module.__name__).lstrip(".").replace(".<locals>", "")
        wanted = set(inner.split("."))
        seen: set[str] = set()
        if isinstance(cls := vars(module).get(inner.partition(".")[0]), type):
            wanted |= {name for name in {*vars(cls), *self._texts.attributes(cls)} if not name.startswith("__")}
        for _ in range(4):
            found = {
                name: value
                for name, value in list(vars(module).items())
                if name not in seen
                and callable(value)
                and not isinstance(value, type)
                and wanted
                & (self._texts.names_in(value) | {_last(getattr(texts.unwrapped(value), "__qualname__", ""))})
            }
            for name, value in found.items():
                yield name, value, None
            if not found or len(seen) > 12:
                return
            seen |= found.keys()
            wanted = set(found)

    def _names_with_own(self, value: Any) -> set[str]:
        return self._texts.names_in(value) | {_last(getattr(texts.unwrapped(value), "__qualname__", ""))}

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
        found = [
            value
            for value in names.values()
            if isinstance(value, type)
            and value.__module__ not in sys.stdlib_module_names
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
        parts = [*use.keys.values(), *use.attributes.values(), *use.items.values()]
        for part in parts if use.element is None else [*parts, use.element]:
            self._enrich(part, names, depth + 1)

    def _jitted(self, probe: Probe) -> Iterator[tuple[str, Any, type | None]]:
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

    def _applied(self, probe: Probe) -> tuple[str, Any, type | None] | None:
        """The entry's own expression, such as `jax.jit(f, static_argnums=1)`, evaluated among the module's names."""
        site, name = probe.entry_site, probe.entry_function.rpartition(":")[2].rpartition(".")[2]
        module = self._by_file.get(site.file) if site else None
        expression = expression_at(site, self._sources.get(site.file, "")) if site and module else None
        if module is None or not isinstance(expression, ast.Call) or not name:
            return None
        if name not in {n.id for a in expression.args for n in ast.walk(a) if isinstance(n, ast.Name)}:
            return None
        try:
            value = eval(compile(ast.Expression(expression), "<entry>", "eval"), dict(vars(module)))
        except Exception:  # noqa: BLE001  it may need names of the function that it stands in
            return None
        return (ast.unparse(expression), value, None) if callable(value) else None

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
        parameters = []
        for at, parameter in enumerate(signature):
            use = known.get(parameter.name, Use())
            if owner is not None and at == 0:
                use.classes = [owner]
                self._enrich(use, names)
                parameters.append(_instance(owner, use))
                continue
            host = not jitted or parameter.name in static
            self._enrich(use, names)
            made = _parameter(parameter, use, bottom, host=host)
            for axes in mapped_axes(function):
                if not isinstance(axes, (tuple, list)) or (at < len(axes) and axes[at] is not None):
                    made = dataclasses.replace(made, first=values.batched(made.first))
            parameters.append(made)
        mine = label in (probe.root_qualname, probe.entry_function.rpartition(":")[2])
        module = self._modules.get(probe.root_module)
        calls = probe.calls if mine and label == probe.root_qualname else ()
        return Target(
            label,
            function,
            tuple(parameters),
            jitted,
            node,
            owner,
            calls=calls,
            names=vars(module) if module else {},
        )


def _last(qualname: str) -> str:
    return qualname.rpartition(":")[2].rpartition(".")[2]


def _instance(owner: type, use: Use) -> Parameter:
    spec = specs.of_class(owner, use.attributes)
    if not isinstance(spec, Fields):
        spec = Fields(owner, ())
    return Parameter("self", inspect.Parameter.POSITIONAL_ONLY, False, True, use, spec)


def _parameter(parameter: inspect.Parameter, use: Use, owner: Any, *, host: bool) -> Parameter:
    optional = parameter.default is not inspect.Parameter.empty
    annotation = specs.evaluated(parameter.annotation, owner)
    others: tuple[Spec, ...] = ()
    if annotation is inspect.Parameter.empty and use.classes:
        annotation = use.classes[0]
        others = tuple(specs.of_class(cls, use.attributes) for cls in use.classes[1:4])
    first: Spec = specs.first_guess(parameter.name, use, annotation, host=host)
    if optional or parameter.kind == inspect.Parameter.VAR_KEYWORD:
        first = Omitted()
    return Parameter(parameter.name, int(parameter.kind), optional, host, use, first, others)
