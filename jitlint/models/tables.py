"""The `[transforms]` and `[classes]` tables: functions that return traced functions, and classes of libraries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jitlint.models.keys import key


@dataclass(frozen=True, slots=True)
class Transform:
    """A function that takes a function and returns one that traces it, as `jax.jit` does."""

    name: str
    traces: str = key(
        "all",
        "Which arguments become tracers.",
        all="all of them",
        argnums="those that the option `argnums` names, the first if it is not given",
        in_axes="those that the option `in_axes` gives an axis; all if the body is staged",
        in_specs="all but those that the option `in_specs` gives None",
        excluded="all but those that the option `excluded` names",
        scan="all but the first, a module, and those that `in_axes` broadcasts; the second, a carry, keeps its axes",
        refs="all, as mutable references",
        none="none: the function is run as it is",
    )
    leaves: str = key(
        "all", "Which leaves of those arguments become tracers.", all="all of them", arrays="arrays; the rest is static"
    )
    staging: bool = key(True, "Every JAX operation in the body is staged, even on constants.")
    concrete: bool = key(
        False, "Tracers keep their values (eager differentiation), unless a staging transform is around it."
    )
    has_rules: bool = key(
        False, "It has derivative rules of its own: eager differentiation runs it on arrays that have their values."
    )
    result: str = key(
        "same",
        "What a call of the transformed function returns.",
        same="what the function returns",
        grad="the gradient",
        value_and_grad="the function's value and the gradient",
        jacobian="an array for each pair of leaves",
        first="the first of the two values that the function returns",
        out_shape="arrays as the option `out_shape` says",
        checked="an error object and what the function returns",
        object="an object of the library",
    )
    cached: bool = key(False, "Each function object has a compile cache: a new function compiles again.")
    static_nums: str = key("", "The option that makes arguments static by their positions.")
    static_names: str = key("", "The option that makes arguments static by their names.")
    function: str = key("fun", "The parameter that takes the function.")
    options: tuple[str, ...] | None = key(
        None, "All parameters after the function that may be given by position, in order; not given if not known."
    )
    updates_arguments: bool = key(
        False, "What the body changes in an argument changes in the caller's object, too; else in a copy only."
    )
    checks_arguments: bool = key(
        False, "Arguments that are not made of arrays are refused, even though the body is not staged."
    )


@dataclass(frozen=True, slots=True)
class ClassModel:
    """What the instances of a library's class are, and of the project's classes that inherit from it."""

    name: str
    pytree: bool = key(False, "An instance is a pytree: as an argument, its leaves are traced.")
    frozen: bool = key(False, "Attributes cannot be assigned once the instance is made.")
    frozen_inside: bool = key(False, "`frozen` holds inside of the class's own methods only.")
    array_fields: tuple[str, ...] = key(
        (),
        "Attributes that are always leaves. An argument of unknown class with such an attribute counts as traced, too.",
    )
    static_fields: tuple[str, ...] = key((), "Attributes that are never leaves.")
    sparse: bool = key(False, "Only attributes that are arrays are leaves.")
    static_numbers: bool = key(False, "Attributes that are Python numbers are no leaves.")
    methods: Mapping[str, str] = key({}, "What a method returns, as a result word, by its name.")
    attributes: Mapping[str, str] = key({}, "What an attribute is, as a result word, by its name.")
    holds: tuple[str, ...] = key(
        (), 'The parameters ("fun@0"; "*" for all) whose functions an instance holds, for its methods to call.'
    )
    runs_with: tuple[str, ...] | None = key(
        None,
        "What the held functions are called with if no call in view makes the object call them, in the words of "
        "`arguments` in calls; [] for one unknown argument per parameter.",
    )
    decorator: bool = key(False, "It is applied to classes as a decorator, not inherited.")
    traced_methods: tuple[str, ...] = key((), "Methods that users of the library run under jit.")
    opaque: bool = key(False, "This table says more than following the class's source would find.")
    refused: bool = key(False, "JAX refuses an instance as an argument: it is no pytree, or is made of functions.")
    hashed_by_fields: bool = key(False, "The hash of an instance is that of its declared fields.")
    hashed_by_leaves: bool = key(False, "The hash of an instance is that of its leaves, which arrays do not have.")
    never_equal: bool = key(
        False, "Each instance differs from all others for the compile cache: it is, or holds, functions made with it."
    )
    checks: str = key(
        "", "A method that the library runs on each new instance, for each class of the lineage that defines it."
    )
    called_anew: bool = key(
        False, "JAX calls the class to put an argument together again, so that `__post_init__` runs on tracers."
    )
    handler: str = key("", "The mechanism of the analyzer (`BASE_METHODS`) for the methods that subclasses inherit.")
