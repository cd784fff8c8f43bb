"""What the tables of a model file say of transforms and of classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jitlint.models.keys import key


@dataclass(frozen=True, slots=True)
class Transform:
    """A function that takes a function and returns one that traces it."""

    name: str
    traces: str = key(
        "all",
        "Which arguments become tracers.",
        all="all of them",
        argnums="those that the option `argnums` names, the first if it is not given",
        in_axes="those that the option `in_axes` gives an axis",
        excluded="all but those that the option `excluded` names",
        scan="all but the first, which is a module; the second is a carry, and keeps its axes",
        refs="all, as mutable references",
        none="none: the function is run as it is",
    )
    leaves: str = key(
        "all", "Which leaves of those arguments become tracers.", all="all of them", arrays="arrays; the rest is static"
    )
    staging: bool = key(True, "Every JAX operation in the body is staged, even on constants.")
    concrete: bool = key(False, "Tracers keep their values, unless a staging transform is around it.")
    result: str = key(
        "same",
        "What a call of the transformed function returns.",
        same="what the function returns",
        grad="the gradient",
        value_and_grad="the function's value and the gradient",
        jacobian="an array for each pair of leaves",
        checked="an error object and what the function returns",
        object="an object of the library",
    )
    cached: bool = key(False, "A compile cache belongs to the function object: a new function compiles again.")
    static_nums: str = key("", "The option that makes arguments static by their positions.")
    static_names: str = key("", "The option that makes arguments static by their names.")
    function: str = key("fun", "The parameter that takes the function.")
    options: tuple[str, ...] = key((), "The parameters after the function that may be given by position, in order.")
    checks_arguments: bool = key(False, "Arguments that are no arrays are refused even if the body is not staged.")


@dataclass(frozen=True, slots=True)
class ClassModel:
    """What the instances of a library's class are, and of the project's classes that inherit from it."""

    name: str
    pytree: bool = key(False, "An instance is a pytree: as an argument, its leaves are traced.")
    frozen: bool = key(False, "Attributes cannot be assigned once the instance is made.")
    frozen_inside: bool = key(False, "`frozen` does not hold for the class's own methods.")
    array_fields: tuple[str, ...] = key((), "Attributes that are always leaves.")
    static_fields: tuple[str, ...] = key((), "Attributes that are never leaves.")
    sparse: bool = key(False, "Only attributes that are arrays are leaves.")
    static_numbers: bool = key(False, "Attributes that are Python numbers are no leaves.")
    methods: Mapping[str, str] = key({}, "What a method returns, as a result word, by its name.")
    attributes: Mapping[str, str] = key({}, "What an attribute is, as a result word, by its name.")
    holds: tuple[str, ...] = key((), 'The parameters ("fun@0"; "*": all) that bring functions which its methods call.')
    runs_with: tuple[str, ...] | None = key(
        None,
        "What those functions get where no call of a method is in view, as `arguments` of calls; []: what they expect.",
    )
    decorator: bool = key(False, "It is applied to classes as a decorator, not inherited.")
    traced_methods: tuple[str, ...] = key((), "Methods that users run under jit.")
    opaque: bool = key(False, "What this table says is better than what following the class's source would find.")
    refused: bool = key(False, "JAX refuses an instance as an argument: it is no pytree, or is made of functions.")
    checks: str = key("", "The method of each class of the lineage that runs once an instance is made.")
    handler: str = key("", "The mechanism of the analyzer for methods that the class gives to its subclasses.")
