"""What is asked: the public functions of JAX's modules, and those that cannot be, with the reason."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import jax

ARRAY = "jax.Array"
"""Stands for a module: the methods of arrays."""

AT = "jax.Array.at"
"""Stands for a module: the methods of `array.at[index]`."""

MODULES = (
    ARRAY, AT,
    "jax.numpy", "jax.numpy.linalg", "jax.numpy.fft",
    "jax.lax", "jax.lax.linalg",
    "jax.nn", "jax.nn.initializers",
    "jax.random", "jax.image", "jax.ops", "jax.tree",
    "jax.scipy.cluster.vq", "jax.scipy.fft", "jax.scipy.integrate", "jax.scipy.linalg", "jax.scipy.ndimage",
    "jax.scipy.optimize", "jax.scipy.signal", "jax.scipy.sparse.linalg", "jax.scipy.special", "jax.scipy.stats",
    *(f"jax.scipy.stats.{name}" for name in (
        "bernoulli", "beta", "betabinom", "binom", "cauchy", "chi2", "dirichlet", "expon", "gamma", "gennorm", "geom",
        "gumbel_l", "gumbel_r", "laplace", "logistic", "multinomial", "multivariate_normal", "nbinom", "norm", "pareto",
        "poisson", "t", "truncnorm", "uniform", "vonmises", "wrapcauchy",
    )),
)  # fmt: skip

_FILES = "reads or writes files"
_CALLS = "calls the function that it is given: a handler of the analyzer stands in for it"
_INTERNAL = "takes objects of JAX's own machinery"
_TEXT = "gives text or an object for people to read"
_CLASS = "a class of static objects"

NOT_ASKED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    ARRAY: {_INTERNAL: ("to_device",)},
    "jax.numpy": {
        _FILES: ("fromfile", "load", "save", "savez"),
        _CALLS: ("apply_along_axis", "apply_over_axes", "fromfunction", "frompyfunc", "piecewise", "vectorize"),
        _TEXT: ("array_repr", "array_str", "get_printoptions", "printoptions", "set_printoptions"),
        _INTERNAL: ("from_dlpack", "frombuffer", "fromiter", "fromstring"),
        _CLASS: (
            "ComplexWarning", "character", "complexfloating", "dtype", "finfo", "flexible", "floating", "generic",
            "iinfo", "inexact", "integer", "ndarray", "number", "object_", "signedinteger", "ufunc", "unsignedinteger",
        ),
    },
    "jax.lax": {
        _CLASS: (
            "AccuracyMode", "ConvDimensionNumbers", "ConvGeneralDilatedDimensionNumbers", "DotAlgorithm",
            "DotAlgorithmPreset", "DotDimensionNumbers", "FftType", "GatherDimensionNumbers", "GatherScatterMode",
            "Precision", "PrecisionLike", "RaggedDotDimensionNumbers", "RandomAlgorithm", "RoundingMethod",
            "ScatterDimensionNumbers", "Tolerance",
        ),
        _INTERNAL: ("after_all", "pcast", "precv", "psend", "ragged_dot_general", "with_sharding_constraint"),
        "cannot be mapped, so that no axis can be given to it": ("ragged_all_to_all",),
    },
    "jax.lax.linalg": {_CLASS: ("EigImplementation", "EighImplementation", "SvdAlgorithm")},
    "jax.nn": {_INTERNAL: ("get_scaled_dot_general_config", "scaled_dot_general", "scaled_matmul")},
    "jax.nn.initializers": {_CLASS: ("Initializer",)},
    "jax.scipy.optimize": {_CLASS: ("OptimizeResults",)},
    "jax.image": {_CLASS: ("ResizeMethod",)},
}  # fmt: skip


def public(module: str) -> dict[str, Callable[..., Any]]:
    """The public functions and classes of a module, by name; for `ARRAY` and `AT`, methods."""
    if module == ARRAY:
        methods = {name: value for name, value in vars(jax.Array).items() if not name.startswith("_")}
        return {name: _method(name, value) for name, value in methods.items() if callable(value)}
    if module == AT:
        place = jax.numpy.ones(3).at[0]
        return {name: _at(name, getattr(place, name)) for name in dir(place) if _is_update(place, name)}
    holder = importlib.import_module(module)
    found = {name: getattr(holder, name) for name in dir(holder) if not name.startswith("_")}
    return {name: value for name, value in found.items() if callable(value) and not inspect.ismodule(value)}


def _method(name: str, declared: Callable[..., Any]) -> Callable[..., Any]:
    """A method as a function of the array; what `jax.Array` declares is only its signature."""

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, name)(*args, **kwargs)

    call.__signature__ = inspect.signature(declared)  # type: ignore[attr-defined]
    return call


def _is_update(place: Any, name: str) -> bool:
    return not name.startswith("_") and inspect.ismethod(getattr(place, name))


def _at(name: str, bound: Callable[..., Any]) -> Callable[..., Any]:
    """A method of `array.at[index]` as a function of the array and the index."""

    def call(self: Any, index: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.at[index], name)(*args, **kwargs)

    first = (inspect.Parameter(word, inspect.Parameter.POSITIONAL_ONLY) for word in ("self", "index"))
    call.__signature__ = inspect.Signature([*first, *inspect.signature(bound).parameters.values()])  # type: ignore[attr-defined]
    return call


def reasons(module: str) -> dict[str, str]:
    """Why a public function of the module is not asked, by name."""
    return {name: reason for reason, names in NOT_ASKED.get(module, {}).items() for name in names}


def classes(module: str) -> tuple[str, ...]:
    """The classes of a module whose objects are no arrays."""
    return NOT_ASKED.get(module, {}).get(_CLASS, ())


def asked(module: str) -> dict[str, Callable[..., Any]]:
    """The functions of a module that are asked."""
    skipped = reasons(module)
    return {name: value for name, value in public(module).items() if name not in skipped}


def parameters(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """A function's parameters; `x` for a dtype that is called."""
    if inspect.isclass(function) or isinstance(function, type(jax.numpy.float32)):
        return (inspect.Parameter("x", inspect.Parameter.POSITIONAL_ONLY),)
    if isinstance(function, jax.numpy.ufunc):
        return tuple(inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in "xyz"[: function.nin])
    return tuple(inspect.signature(function).parameters.values())
