"""Questions about a value's Python type: `isinstance`, `type` and `hasattr`.

All three answer for one value that is no Union, and None (or Unknown) where the answer is not known. A pytree of
unknown structure is mostly not known: it may be an array or any container.
"""

from __future__ import annotations

import builtins

from jitlint.analysis.language.classes import class_attribute, class_facts, lineage
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    FLOAT,
    INT,
    OBJECT,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    Dict,
    DictView,
    External,
    ExternalInstance,
    Function,
    HostArray,
    Instance,
    JaxArray,
    List,
    ModuleValue,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Tuple,
    Unknown,
    Value,
    is_none,
)
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import alternatives

_ARRAYS = frozenset({"jax.Array", "jax.typing.ArrayLike"})
_TRACER = "jax.core.Tracer"
_ARRAY = "jaxlib._jax.ArrayImpl"
"""The class of an array that has its value; `jax.Array` is what it and tracers pass for."""
_CONCRETE = "jax.core.ConcreteArray"
"""What JAX used to say of an array that has its value."""
SHAPED = "jax.core.ShapedArray"
"""What it says of a tracer."""
_SCALARS = frozenset(f"builtins.{name}" for name in ("int", "float", "bool", "complex", "str", "bytes", "NoneType"))
_CONTAINERS = frozenset(f"builtins.{name}" for name in ("list", "tuple", "dict", "set", "frozenset", "type"))
_NUMPY = frozenset(f"numpy.{name}" for name in ("ndarray", "generic", "number", "integer", "floating", "bool_"))
_TYPE = "builtins.type"
_NONE_TYPE = External("builtins.NoneType")

_ABSTRACT_MODULES = ("collections.abc.", "typing.", "numbers.")
"""What the names of interfaces begin with, which builtin types have without inheriting from them."""

_SEQUENCE_INTERFACES = frozenset({"Sequence", "Iterable", "Sized", "Collection", "Container", "Reversible"})
_MAPPING_INTERFACES = frozenset({"Mapping", "Iterable", "Sized", "Collection", "Container", "Reversible"})

_TYPES_OF_KIND: dict[str, tuple[str, ...]] = {"bool": ("bool", "int"), "number": ()}
"""The builtin types of a `Static` value by its kind, where that is not just the type of that name."""


def instance_of(interp: Interpreter, value: Value, types: Value) -> bool | None:
    """The outcome of `isinstance(value, types)`; None if it is not known."""
    content = content_of(types)
    if isinstance(value, Static) and value.kind == "number":
        return _if_all_agree({instance_of(interp, part, content) for part in (INT, FLOAT)})
    if isinstance(content, Tuple):
        outcomes = {instance_of(interp, value, option) for option in content.elements}
    else:
        outcomes = {_instance_of_one(interp, value, option) for option in alternatives(content)}
    if outcomes == {False}:
        return False
    return True if True in outcomes else None


def _if_all_agree(outcomes: set[bool | None]) -> bool | None:
    """The outcome that all alternatives of a value have; None if they differ."""
    return outcomes.pop() if len(outcomes) == 1 else None


def type_of(value: Value) -> Value:
    """The value of `type(value)`."""
    if isinstance(value, Instance):
        return value.cls if not value.guessed else UNKNOWN
    if isinstance(value, Traced):
        return UNKNOWN if value.tree else External(_TRACER)
    if isinstance(value, JaxArray):
        return External(_ARRAY)
    if isinstance(value, Tuple) and value.cls is not None:
        return value.cls
    if isinstance(value, ExternalInstance) and value.of == SHAPED:
        return External(SHAPED)
    kinds = _builtin_types(value)
    return External(f"builtins.{kinds[0]}") if kinds else OBJECT


def has_attribute(interp: Interpreter, value: Value, name: str) -> bool | None:
    """The outcome of `hasattr(value, name)`; None if it is not known."""
    if isinstance(value, Array):
        return _array_has_attribute(interp, value, name)
    if isinstance(value, Const):
        return hasattr(value.value, name)
    if isinstance(value, Instance):
        if name in value.fields or class_attribute(interp, value.cls, name) is not None:
            return True
        return None if class_facts(interp, value.cls).open or value.guessed or value.has_more else False
    kinds = _builtin_types(value)
    return hasattr(getattr(builtins, kinds[0], object), name) if kinds else None


def _array_has_attribute(interp: Interpreter, value: Array, name: str) -> bool | None:
    """Whether an array has an attribute. Tracers lack some that arrays have."""
    if isinstance(value, Traced) and (value.tree or name in interp.models.array["host"]["missing"]):
        return None if value.tree else False
    known = interp.models.array
    return True if name in known["attributes"] or name in known["methods"] else None


def _instance_of_one(interp: Interpreter, value: Value, cls: Value) -> bool | None:
    """Whether a value is an instance of one class."""
    if isinstance(value, Unknown):
        return None
    if isinstance(cls, Class):
        return _instance_of_project_class(interp, value, cls)
    if is_none(cls):
        cls = _NONE_TYPE
    if not isinstance(cls, External):
        return None
    if cls.name == "builtins.object":
        return True
    return _instance_of_library_class(interp, value, cls.name)


def _instance_of_project_class(interp: Interpreter, value: Value, cls: Class) -> bool | None:
    """Whether a value is an instance of a class of the project."""
    if isinstance(value, Instance):
        if cls in lineage(value.cls):
            return True
        return None if class_facts(interp, value.cls).open or value.guessed else False
    if isinstance(value, Tuple) and value.cls is not None and cls in lineage(value.cls):
        return True
    known = class_facts(interp, cls)
    if known.open or "typing.Protocol" in known.externals or (isinstance(value, Traced) and value.tree):
        return None
    plain = (Array, Const, Static, Tuple, Sequence, List, Dict, Function, Partial, BoundMethod, Transformed)
    if isinstance(value, Class):
        return None if _TYPE in known.externals else False  # an instance of a metaclass is a class
    return False if isinstance(value, plain) else None


def _instance_of_library_class(interp: Interpreter, value: Value, name: str) -> bool | None:
    """Whether a value is an instance of a library's class, builtins included."""
    if isinstance(value, Array):
        return False if interp.models.has_role(name, "describes-arrays") else _array_is_instance(value, name)
    if isinstance(value, Instance):
        known = class_facts(interp, value.cls)
        if name in known.externals:
            return True
        if name in _CONTAINERS:
            plain_bases = all(interp.models.has_role(base, "plain-base") for base in known.externals)
            return False if plain_bases and not known.open and not value.guessed else None
        return False if name in _ARRAYS | {_TRACER} | _SCALARS | _NUMPY and not known.open else None
    if isinstance(value, ExternalInstance):
        return True if value.of == name else (False if name in (_TRACER, _CONCRETE) else None)
    if name == _TYPE and isinstance(value, (Class, External)):
        return True if isinstance(value, Class) else None
    if isinstance(value, (Function, Partial, BoundMethod, Transformed, Class, ModuleValue, External)):
        return False if name in _ARRAYS | {_TRACER} | _SCALARS | _CONTAINERS | _NUMPY else None
    kinds = _builtin_types(value)
    if kinds is None:
        return None
    plain = name.removeprefix("builtins.")
    if name.startswith(_ABSTRACT_MODULES):
        return _instance_of_abstract_class(kinds, name.rpartition(".")[2])
    if name in _SCALARS | _CONTAINERS:
        return plain in kinds if kinds else None
    return False if name in _ARRAYS - {"jax.typing.ArrayLike"} | {_TRACER} | _NUMPY else None


def _array_is_instance(value: Array, name: str) -> bool | None:
    """Whether an array is an instance of a library's class: tracers are `jax.Array`s, and no Python numbers."""
    if isinstance(value, Traced) and value.tree:
        # code that asks whether an argument is a tracer expects one
        if name == _TRACER:
            return True
        of_leaf = name.startswith("builtins.") and name not in _CONTAINERS
        return False if of_leaf or name.startswith("numpy.") else None
    if name in _ARRAYS:
        return not isinstance(value, HostArray) or (None if name == "jax.typing.ArrayLike" else False)
    if name == _TRACER:
        return isinstance(value, Traced)
    if isinstance(value, HostArray) and (name.startswith("numpy.") or name in ("builtins.float", "builtins.complex")):
        return None
    if name.startswith(("builtins.", "numpy.", "numbers.")):
        return False
    last = name.rpartition(".")[2]
    return False if name.startswith(_ABSTRACT_MODULES) and last in ("Sequence", "Mapping", "Callable") else None


def _builtin_types(value: Value) -> tuple[str, ...] | None:
    """The names of a host value's type and of its bases; None if nothing is known.

    Empty if it is one of several: a "number" may be an int or a float.
    """
    if isinstance(value, Const):
        return tuple(base.__name__ for base in type(value.value).__mro__)
    if isinstance(value, Static):
        return _TYPES_OF_KIND.get(value.kind, (value.kind,)) if value.kind != "object" else None
    if isinstance(value, List):
        return (value.kind,)
    if isinstance(value, Dict):
        return ("dict",)
    if isinstance(value, Tuple) and not isinstance(value, DictView):
        return ("tuple",)
    if isinstance(value, Sequence) and value.kind == "tuple":
        return ("tuple",)
    return None


def _instance_of_abstract_class(kinds: tuple[str, ...], name: str) -> bool | None:
    """Whether a value of these builtin types has an interface, such as `collections.abc.Sequence`."""
    if "tuple" in kinds or "list" in kinds:
        return True if name in _SEQUENCE_INTERFACES else (False if name in ("Mapping", "Callable") else None)
    if "dict" in kinds:
        return True if name in _MAPPING_INTERFACES else (False if name in ("Sequence", "Callable") else None)
    if "int" in kinds or "float" in kinds:
        return name in ("Number", "Complex", "Real", "Hashable") or (name == "Integral" and "int" in kinds)
    if "NoneType" in kinds:
        return name == "Hashable"
    return None
