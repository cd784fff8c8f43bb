"""All models together: `Models` answers what is known about a library's name; `merged` makes it of the files' content.

A name is a library's canonical qualified name ("jax.numpy.zeros"). The files say what a function does to values; the
mechanism for each word is in `analysis/libraries`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from jitlint.models.calls import Call
from jitlint.models.function import NOT_ASKED, Concrete, FunctionModel, Parameter
from jitlint.models.generated import generated
from jitlint.models.tables import ClassModel, Transform


class Models:
    """Everything that the model files say, by qualified name."""

    def __init__(
        self,
        *,
        aliases: dict[str, str],
        transforms: dict[str, Transform],
        functions: dict[str, FunctionModel],
        defaults: dict[str, str],
        classes: dict[str, ClassModel],
        array: dict[str, Any],
        roots: frozenset[str],
        calls: dict[str, tuple[Call, ...]],
        called: dict[str, str],
        annotations: dict[str, str],
        opaque: frozenset[str],
        constants: dict[str, str],
        roles: Mapping[str, frozenset[str]],
        errors: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.aliases = aliases
        """Other names of the same thing, also of packages, with the canonical one."""
        self.transforms = transforms
        """Functions that take a function and return one that traces it: `jax.jit`."""
        self.functions = functions
        """Functions that a file names. Ask the method `function` instead: it also knows defaults and JAX's answers."""
        self.defaults = defaults
        """The result word for a module's functions that no file names."""
        self.classes = classes
        """Classes, and decorators of classes."""
        self.array = array
        """The methods and attributes of arrays."""
        self.roots = roots
        """Words that a file contains if it uses JAX or a library built on it."""
        self.calls = calls
        """Functions and methods that call the functions they are given: `numpyro.infer.SVI.run`."""
        self.called = called
        """What calling an object of a module's classes returns, as a result word, by module."""
        self.annotations = annotations
        """What a parameter with an annotation is: "array", "tree", "dict", or a library's class."""
        self.opaque = opaque
        """Packages whose models say more than following their source would find."""
        self.constants = constants
        """Result words of modules' attributes that are no functions: `math.pi` is static-float."""
        self._roles = roles
        """The names that have each role (`roles.ROLES`)."""
        self.errors = errors
        """Model files that could not be used, and why."""
        every = classes.values()
        self.array_fields = frozenset(name for model in every if model.pytree for name in model.array_fields)
        """Attributes that are arrays in some library's pytree class, for traced values of unknown class."""
        self.self_methods = frozenset(n for model in every for n, gives in model.methods.items() if gives == "self")
        """Methods of some library's class that return the object, for traced values of unknown class."""
        self._canonical: dict[str, str] = {}
        self._function_models: dict[str, FunctionModel | None] = {}

    def has_role(self, name: str, role: str) -> bool:
        """Whether a name has a role (`roles.ROLES`), such as "logger"."""
        return name in self._roles.get(role, ())

    @property
    def libraries(self) -> frozenset[str]:
        """The packages that the models mention."""
        names = (*self.aliases, *self.transforms, *self.functions, *self.defaults, *self.classes)
        return frozenset(name.partition(".")[0] for name in names)

    def canonical(self, name: str) -> str:
        """The name under which the models know a thing: aliases of it, or of a package around it, are resolved."""
        found = self._canonical.get(name)
        if found is None:
            found = self._canonical[name] = self._unaliased(name)
        return found

    def _unaliased(self, name: str) -> str:
        """The same, looked up for the first time: the longest prefix that is an alias is replaced, again and again."""
        seen = {name}
        head, rest = name, ""
        while head:
            if head in self.aliases and (found := self.aliases[head] + rest) not in seen:
                seen.add(found)
                name, head, rest = found, found, ""
                continue
            head, _, last = head.rpartition(".")
            rest = f".{last}{rest}"
        return name

    def knows(self, name: str) -> bool:
        """Whether a name is a function or class that the models mention."""
        return name in self.transforms or name in self.classes or self.function(name) is not None

    def overrides_source(self, name: str) -> bool:
        """Whether the model of a name is used even if the library's own source is in view."""
        opaque = name.partition(".")[0] in self.opaque
        cls = self.classes.get(name)
        if name in self.transforms or (cls is not None and (cls.opaque or opaque)):
            return True
        known = self.function(name)
        if known is None:
            return False
        made = self.classes.get(known.result)
        return bool(known.handler) or opaque or (made is not None and made.opaque)

    def describes(self, name: str) -> bool:
        """Whether the models say anything about a name, at least what calling it returns."""
        if self.overrides_source(name):
            return True
        known = self.function(name)
        return known is not None and known.result != "unknown"

    def result_of_calling(self, of: str) -> str:
        """The result word for calling an object of the class `of`: as its class says, or else its module."""
        own = self.classes.get(of)
        if own is not None and "__call__" in own.methods:
            return own.methods["__call__"]
        module = of.rpartition(".")[0]
        while module and module not in self.called:
            module = module.rpartition(".")[0]
        return self.called.get(module, "unknown")

    def function(self, name: str) -> FunctionModel | None:
        """The model of a function; None if nothing is known.

        What JAX answered comes first, then what a file says about the function, then the default of its module. Where
        JAX answered with more than arrays, so that the result counts as unknown, the file says what it is.
        """
        if name not in self._function_models:
            self._function_models[name] = self._find_function(name)
        return self._function_models[name]

    def _find_function(self, name: str) -> FunctionModel | None:
        """The same, looked up for the first time."""
        known = self.functions.get(name)
        asked = generated(name)
        if asked is not None and known is not None:
            if asked.result == "unknown" and known.result:
                asked = asked._replace(result=known.result, structure=NOT_ASKED)
            return asked._replace(handler=known.handler, effect=known.effect)
        if asked is not None or (known is not None and known.result):
            return asked or known
        module = name.rpartition(".")[0]
        while module and module not in self.defaults:
            module = module.rpartition(".")[0]
        result = self.defaults.get(module, "unknown")
        if known is not None:
            return known._replace(result=result)
        return FunctionModel(name, result) if module else None


_PARTS = (
    "aliases",
    "transforms",
    "functions",
    "defaults",
    "classes",
    "array",
    "calls",
    "called",
    "annotations",
    "constants",
)


def merged(files: Iterable[Mapping[str, Any]], errors: tuple[tuple[str, str], ...] = ()) -> Models:
    """The models of several files together; where files disagree, the later one decides.

    Args:
        files: their contents.
        errors: the files that could not be used, and why.
    """
    parts: dict[str, dict[str, Any]] = {part: {} for part in _PARTS}
    roots: set[str] = set()
    opaque: set[str] = set()
    roles: dict[str, set[str]] = {}
    for data in files:
        roots.update(data.get("roots", ()))
        opaque.update(data.get("opaque", ()))
        for role, names in data.get("roles", {}).items():
            roles.setdefault(role, set()).update(names)
        _read_file(data, parts)
    return Models(
        **parts,
        roots=frozenset(roots),
        opaque=frozenset(opaque),
        roles={role: frozenset(names) for role, names in roles.items()},
        errors=errors,
    )


def _read_file(data: Mapping[str, Any], merged: dict[str, dict[str, Any]]) -> None:
    """Adds a file's tables to those of the others."""
    merged["aliases"].update(data.get("aliases", {}))
    merged["array"].update(data.get("array", {}))
    merged["annotations"].update(data.get("annotations", {}))
    for name, spec in data.get("transforms", {}).items():
        merged["transforms"][name] = Transform(name, **{k: _frozen(v) for k, v in spec.items()})
    for name, spec in data.get("classes", {}).items():
        merged["classes"][name] = ClassModel(name, **{k: _frozen(v) for k, v in spec.items()})
    for name, specs in data.get("calls", {}).items():
        several = specs if isinstance(specs, list) else [specs]
        merged["calls"][name] = tuple(Call(**{k: _frozen(v) for k, v in spec.items()}) for spec in several)
    for module, spec in data.get("modules", {}).items():
        _read_module(module, spec, merged)


def _frozen(value: Any) -> Any:
    """A list as a tuple, so that records can be compared and hashed."""
    return tuple(value) if isinstance(value, list) else value


def _read_module(module: str, spec: Mapping[str, Any], merged: dict[str, dict[str, Any]]) -> None:
    """Adds one module's table.

    Its keys are `default`, `called` (what calling an object returns), `concrete` by function (the parameters that must
    be concrete), and `results`, `constants`, `handlers`, `effects` and `asserts` by word.
    """
    prefix = f"{module}." if module else ""
    if "default" in spec:
        merged["defaults"][module] = spec["default"]
    if "called" in spec:
        merged["called"][module] = spec["called"]
    for word, names in spec.get("constants", {}).items():
        merged["constants"].update({prefix + name: word for name in names})
    facts: dict[str, dict[str, Any]] = {}
    for result, names in spec.get("results", {}).items():
        for name in names:
            facts.setdefault(name, {})["result"] = result
    for name, parameters in spec.get("concrete", {}).items():
        concrete = tuple(_concrete(parameter) for parameter in parameters)
        named = tuple(Parameter(parameter.name, parameter.position, "") for parameter in concrete)
        facts.setdefault(name, {}).update(concrete=concrete, parameters=named)
    for key in ("handlers", "effects"):
        for word, names in spec.get(key, {}).items():
            for name in names:
                facts.setdefault(name, {})[key[:-1]] = word
    for word, names in spec.get("asserts", {}).items():
        for name in names:
            facts.setdefault(name, {})["asserts"] = word
    for name, found in facts.items():
        merged["functions"][prefix + name] = FunctionModel(prefix + name, **{"result": "", **found})


def _concrete(text: str) -> Concrete:
    """A parameter that must be concrete: "shape@0" may also be given by position 0, "size" by keyword only.

    "*" stands for every parameter.
    """
    name, _, position = text.partition("@")
    return Concrete(name, int(position) if position else None)
