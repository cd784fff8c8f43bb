"""Makes a target of a function: a first value for each parameter, and others worth trying."""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import inspect
import re
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

import jax

from ..inputs import annotated, copies, frameworks, proposals, specs
from ..inputs.specs import Omitted, Spec
from ..inputs.targets import Call, Parameter, Target
from ..inside_jax.jitted import is_jitted, mapped_axes, static_names
from ..user_code import texts, uses
from ..user_code.loaded_modules import Modules
from ..user_code.probes import Probe
from ..user_code.texts import Texts
from ..user_code.uses import Use
from .instances import Instances

_IS_A = re.compile(r"`(\w+)` is a `(\w+)`")


class TargetMaker:
    """Makes targets of the user's functions.

    Args:
        modules: the user's modules.
        texts: their text.
        instances: makes instances of their classes.
    """

    def __init__(self, modules: Modules, texts: Texts, instances: Instances) -> None:
        self._modules, self._texts, self._instances = modules, texts, instances

    def target(self, label: str, function: Any, owner: type | None, probe: Probe) -> Target | None:
        """The target of a function, None if it cannot be called; `owner` is the class whose method it is."""
        if isinstance(function, type):
            return None
        if owner is not None:
            owner = self._derived(owner, probe)
        node = self._texts.of(function)
        bottom = texts.unwrapped(function)
        names = texts.visible_names(bottom) if isinstance(bottom, types.FunctionType) else {}
        known = uses.parameter_uses(node, names, self._texts, owner=owner) if node is not None else {}
        for name, cls in self._assumed(probe):
            if name in known:
                known[name].classes = [cls]
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
                        made = dataclasses.replace(made, first=specs.batched(made.first))
                parameters.append(made)
        if owner is not None and any(part.origin == "search" for part in parameters[1:]):
            parameters[1:] = self._held_by_self(parameters)
        mine = label in (probe.root_qualname, probe.entry_function.rpartition(":")[2])
        module = self._modules.named(probe.root_module)
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

    def _assumed(self, probe: Probe) -> Iterator[tuple[str, type]]:
        """The parameters whose classes the analyzer has assumed: "`state` is a `Swarm`"."""
        for text in probe.assumed:
            found = _IS_A.fullmatch(text)
            values = [vars(module).get(found.group(2)) for module in self._modules] if found is not None else []
            cls = next((value for value in values if isinstance(value, type)), None)
            if found is not None and cls is not None:
                yield found.group(1), cls

    def _self(self, owner: type, use: Use, names: Mapping[str, Any]) -> Parameter:
        use.classes = [owner]
        self._enrich(use, names)
        first, *others = self._instances.of(owner, use.attributes)
        kind = int(inspect.Parameter.POSITIONAL_ONLY)
        return Parameter("self", kind, False, True, use, first, tuple(others), "constructors")

    def _held_by_self(self, parameters: list[Parameter]) -> Iterator[Parameter]:
        """The parameters after `self`: one that nothing describes begins with what `self` holds under its name.

        So code calls itself: `self.update(self.params, batch)`.
        """
        attributes = self._instances.attributes(parameters[0].first)
        for part in parameters[1:]:
            held = self._held(part.name, attributes.get(part.name)) if part.origin == "search" else None
            if held is None:
                yield part
            else:
                others = part.others if isinstance(part.first, Omitted) else (part.first, *part.others)
                yield dataclasses.replace(part, first=held, others=others)

    def _held(self, name: str, value: Any) -> Spec | None:
        """What an attribute of `self` holds, made anew each time; None if it has no arrays or cannot be copied."""
        try:
            arrays = any(map(specs.is_array, jax.tree_util.tree_leaves(value)))
            kept = copies.stored(value, self._is_own, copies.Room()) if arrays else None
        except Exception:  # noqa: BLE001  the user's pytrees may raise anything when they are taken apart
            return None
        return specs.Made(f"self.{name}", functools.partial(copies.fresh, kept, self._is_own)) if arrays else None

    def _is_own(self, cls: type) -> bool:
        return cls.__module__ in self._modules

    def _leading(self, parameter: Parameter, probe: Probe, caller: Any) -> Parameter:
        """The parameter with values that lead to the place: where it takes a function, the one around the place."""
        module = self._modules.of_file(probe.site.file)
        own = self._modules.symbol(module, probe.symbol) if module is not None else None
        if own is None or texts.unwrapped(own[1]) is caller:
            return parameter
        label, function, _ = own
        around = self._modules.symbol(module, probe.symbol.rpartition(".")[0]) if module is not None else None
        owner = around[1] if around is not None else None
        if isinstance(owner, type):
            unknown = parameter.host and not parameter.optional and isinstance(parameter.first, specs.Plain)
            found = self._instances.of(owner, {})[:1] if unknown and not parameter.use.size else []
            return dataclasses.replace(parameter, others=(*found, *parameter.others))
        if is_jitted(function) or not callable(function):
            return parameter
        base = parameter.first if not isinstance(parameter.first, Omitted) else next(iter(parameter.others), Omitted())
        given = specs.Given(function, label)
        found = [
            specs.replaced(base, path, given) for path, leaf in specs.leaves(base) if isinstance(leaf, specs.Function)
        ]
        return dataclasses.replace(parameter, others=(*found, *parameter.others))

    def _parameter(self, parameter: inspect.Parameter, use: Use, owner: Any, *, host: bool) -> Parameter:
        optional = parameter.default is not inspect.Parameter.empty
        annotation = proposals.evaluated(parameter.annotation, owner)
        others: list[Spec] = []
        if annotation is inspect.Parameter.empty and use.classes:
            others = [spec for cls in use.classes[:4] for spec in self._instances.of(cls, use.attributes)]
        elif isinstance(annotation, type) and annotation.__module__ in self._modules and not _is_choice(annotation):
            others = self._instances.of(annotation, use.attributes)
        first = others.pop(0) if others else proposals.first_guess(parameter.name, use, annotation, host=host)
        origin = proposals.origin(first, annotation)
        if optional or parameter.kind == inspect.Parameter.VAR_KEYWORD:
            others, first = [first, *others] if optional else others, Omitted()
        return Parameter(parameter.name, int(parameter.kind), optional, host, use, first, tuple(others), origin)

    def _derived(self, owner: type, probe: Probe) -> type:
        """The class around the place if it derives from the method's class, since its instances get there."""
        module = self._modules.of_file(probe.site.file)
        inner = probe.symbol.removeprefix(module.__name__).lstrip(".") if module is not None else ""
        found = vars(module).get(inner.partition(".")[0]) if module is not None else None
        return found if isinstance(found, type) and owner in found.__mro__ else owner

    def _ducks(self, use: Use, names: Mapping[str, Any]) -> list[type]:
        """The visible classes that have all attributes that a use takes, most derived first."""
        wanted = set(use.attributes) | use.array_attributes
        if not use.attributes:
            return []
        loaded = [value for module in self._modules for value in self._values_of(module)]
        found = [
            value
            for value in dict.fromkeys(one for one in (*names.values(), *loaded) if isinstance(one, type))
            if value.__module__ not in sys.stdlib_module_names
            and wanted <= (set(dir(value)) | self._texts.attributes(value))
        ]
        return sorted(found, key=lambda cls: -len(cls.__mro__))

    def _values_of(self, module: types.ModuleType) -> Iterator[Any]:
        """The values of a module's variables; those of its classes of records, also if nothing has needed them yet."""
        yield from list(vars(module).values())
        for name in self._texts.record_classes(getattr(module, "__file__", None) or ""):
            yield getattr(module, name, None)

    def _enrich(self, use: Use, names: Mapping[str, Any], depth: int = 0) -> None:
        """Finds classes that fit a use and its parts, and adds the uses in those classes' methods."""
        if depth > 4:
            return
        use.classes = use.classes or self._ducks(use, names)
        for cls in use.classes[:1]:
            for method in list(vars(cls).values()):
                node = self._texts.of(method)
                if node is not None and node.args.args:
                    seen = texts.visible_names(texts.unwrapped(method))
                    theirs = uses.parameter_uses(node, seen, self._texts, 2, cls)
                    uses.merge(use, theirs[node.args.args[0].arg])
            self._link(cls, use, names)
        parts = [*use.keys.values(), *use.attributes.values(), *use.items.values()]
        for part in parts if use.element is None else [*parts, use.element]:
            self._enrich(part, names, depth + 1)

    def _link(self, cls: type, use: Use, names: Mapping[str, Any]) -> None:
        """Adds to a constructor's parameters their uses inside it, and those of the attributes that they become."""
        node = self._texts.of(vars(cls).get("__init__"))
        if not isinstance(node, ast.FunctionDef) or not node.args.args:
            return
        for name, theirs in list(uses.parameter_uses(node, names, self._texts, 2).items())[1:]:
            uses.merge(use.attributes.setdefault(name, Use()), theirs)
        for part in ast.walk(node):
            if isinstance(part, ast.Assign) and isinstance(part.value, ast.Name) and part.value.id in use.attributes:
                stored = [target.attr for target in part.targets if isinstance(target, ast.Attribute)]
                for name in stored:
                    if name in use.attributes and name != part.value.id:
                        uses.merge(use.attributes[part.value.id], use.attributes[name])


def _evaluated(call: str, module: types.ModuleType | None) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Evaluates an argument list of a module's top level; names of statements left out are made when it asks."""
    text = f"(lambda *a, **k: (a, k)){call}"
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    names = {name: getattr(module, name) for name in used if hasattr(module, name)}
    arguments: tuple[tuple[Any, ...], dict[str, Any]] = eval(text, {**vars(module), **names})
    return arguments


def _is_choice(cls: type) -> bool:
    return issubclass(cls, enum.Enum)
