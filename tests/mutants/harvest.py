"""Finds recipes: tries small inputs on each function and method of a module, keeps what traces. Runs in a worker."""

from __future__ import annotations

import importlib
import inspect
import itertools
import re
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from tests.mutants.limits import limited
from tests.mutants.recipes import Recipe

VECTOR = "jnp.array([0.5, 1.5, 2.5])"
ARRAYS = (
    VECTOR,
    "jnp.array(0.7)",
    "jnp.array([[2.0, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 4.0]])",
    "{'w': jnp.ones((2, 3)), 'b': jnp.zeros(3)}",
    "jnp.array([0, 1, 2])",
    "jnp.array(1)",
    "jnp.ones((1, 4, 4, 2))",
    "jnp.array([True, False, True])",
    "jnp.array([0.2, 0.3, 0.5])",
)
MIXED = (VECTOR, "jnp.array(0.7)", "jnp.array([0, 1, 2])", "jnp.array(1)", ARRAYS[2])
KEY = "jax.random.PRNGKey(0)"
ATTEMPTS = 36
SECONDS = 6
_STATIC_INT = re.compile(
    r"^(axis|axes|dim|ndim|n|num_.*|n_.*|size|.*_size|features|.*_features|order|length|depth|width.*|channels|rank)$"
)
_KEY = re.compile(r"^(key|rng|rng_key|prng_key|prng|seed)$")


class Argument(NamedTuple):
    text: str
    static: bool


class Parameter(NamedTuple):
    name: str
    keyword: bool
    candidates: tuple[Argument, ...]
    """More than one if the parameter may be any array."""


def harvest(module_name: str) -> list[Recipe]:
    """The recipes found for a module's own functions and methods, in the order of their definition."""
    module = importlib.import_module(module_name)
    found: list[Recipe] = []
    for name, value in list(vars(module).items()):
        if getattr(value, "__module__", None) != module_name or name != getattr(value, "__name__", None):
            continue
        if inspect.isclass(value):
            found += _methods(module, value)
        elif callable(value) and not name.startswith("__"):
            found += _first(_function_recipes(module, value), module)
    return found


def _function_recipes(module: types.ModuleType, function: Callable[..., Any]) -> Iterator[Recipe]:
    for parameters in _parameters(function):
        if any(parameter.keyword for parameter in parameters):
            return
        yield from _calls(module, function, parameters)


def _calls(module: types.ModuleType, function: Callable[..., Any], parameters: list[Parameter]) -> Iterator[Recipe]:
    for arguments in _assignments(parameters):
        static = tuple(at for at, argument in enumerate(arguments) if argument.static)
        if len(static) < len(arguments):
            texts = tuple(argument.text for argument in arguments)
            yield Recipe(module.__name__, function.__name__, texts, static)


def _methods(module: types.ModuleType, owner: type) -> list[Recipe]:
    found: list[Recipe] = []
    for name, value in list(vars(owner).items()):
        if inspect.isfunction(value) and (name == "__call__" or not name.startswith("_")):
            recipes = (
                _method_recipes(module, owner.__name__, name, made, taken)
                for made in _parameters(owner)
                for taken in _parameters(value, bound=True)[-1:]
            )
            found += _first(itertools.chain.from_iterable(recipes), module)
    return found


def _method_recipes(
    module: types.ModuleType, owner: str, method: str, made: list[Parameter], taken: list[Parameter]
) -> Iterator[Recipe]:
    for arguments in _assignments([*made, *taken]):
        traced = [argument.text for argument in arguments if not argument.static]
        names = iter(f"a{at}" for at in range(len(traced)))
        texts = [argument.text if argument.static else next(names) for argument in arguments]
        texts = [
            f"{parameter.name}={text}" if parameter.keyword else text
            for parameter, text in zip([*made, *taken], texts, strict=True)
        ]
        called = "" if method == "__call__" else f".{method}"
        head = ", ".join(f"a{at}" for at in range(len(traced)))
        made_text, taken_text = ", ".join(texts[: len(made)]), ", ".join(texts[len(made) :])
        body = (f"def scenario({head}):", f"    return {owner}({made_text}){called}({taken_text})")
        if traced:
            yield Recipe(module.__name__, "scenario", tuple(traced), (), body)


def _parameters(function: Callable[..., Any], bound: bool = False) -> list[list[Parameter]]:
    """The parameters to give: first with those that have a number as default, then only those that must be given.

    Nothing if the function wants what is not made here.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())[1 if bound else 0 :]
    except (ValueError, TypeError):
        return []
    found = [_wanted(parameters, numbers) for numbers in (True, False)]
    return [wanted for at, wanted in enumerate(found) if wanted is not None and wanted not in found[:at]]


def _wanted(parameters: list[inspect.Parameter], numbers: bool) -> list[Parameter] | None:
    wanted: list[Parameter] = []
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        keyword = parameter.kind is parameter.KEYWORD_ONLY
        has_default = parameter.default is not parameter.empty
        wanted_key = keyword and _KEY.match(parameter.name)
        if has_default and not wanted_key and not (numbers and isinstance(parameter.default, float)):
            numbers = numbers and keyword
            continue
        candidates = _candidates(parameter)
        if candidates is None:
            return None
        wanted.append(Parameter(parameter.name, keyword, candidates))
    return wanted


def _candidates(parameter: inspect.Parameter) -> tuple[Argument, ...] | None:
    annotation = parameter.annotation
    kind = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    if _KEY.match(parameter.name):
        return (Argument(KEY, static=False),)
    if kind in ("str", "bytes", "type") or "Mesh" in kind:
        return None
    if "Callable" in str(annotation) or parameter.name in ("f", "fun", "fn", "func", "activation", "g"):
        return (Argument("jnp.tanh", static=True),)
    if kind == "bool":
        return (Argument("True", static=True),)
    if kind == "int" or (_STATIC_INT.match(parameter.name) and "Array" not in kind):
        return (Argument("1" if "axis" in parameter.name else "3", static=True),)
    return tuple(Argument(text, static=False) for text in ARRAYS)


def _assignments(parameters: list[Parameter]) -> Iterator[list[Argument]]:
    """The same array for all that may be any array, then mixtures of a few."""
    free = sum(len(parameter.candidates) > 1 for parameter in parameters)
    choices: Iterator[tuple[str, ...]] = ((text,) * free for text in ARRAYS)
    if free > 1:
        mixtures = (texts for texts in itertools.product(MIXED, repeat=free) if len(set(texts)) > 1)
        choices = itertools.chain(choices, mixtures)
    for texts in itertools.islice(choices, ATTEMPTS if free else 1):
        rest = iter(texts)
        yield [
            Argument(next(rest), static=False) if len(parameter.candidates) > 1 else parameter.candidates[0]
            for parameter in parameters
        ]


def _first(recipes: Iterator[Recipe], module: types.ModuleType) -> list[Recipe]:
    try:
        with limited(SECONDS):
            return list(itertools.islice((recipe for recipe in recipes if _traces(recipe, module)), 1))
    except TimeoutError:
        return []


def _traces(recipe: Recipe, module: types.ModuleType) -> bool:
    names = {**vars(module), "jax": jax, "jnp": jnp}
    try:
        exec("\n".join(recipe.body), names)
        arguments = [eval(text, names) for text in recipe.arguments]
        traced = jax.jit(names[recipe.target], static_argnums=recipe.static).trace(*arguments)
    except TimeoutError:
        raise
    except Exception:  # noqa: BLE001 - whatever a function says about inputs that it was not made for
        return False
    return len(traced.jaxpr.eqns) > 0
