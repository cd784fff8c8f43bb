"""What the tables of a model file say of transforms and of classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Transform:
    """A function that takes a function and gives one that traces it.

    `traces`: which arguments become tracers: all, argnums (those that the option `argnums` names, by default the
    first), in_axes (those with an axis), excluded (all but those that the option `excluded` names), scan (all but the first, a module; the second, a carry, keeps its axes), refs
    (all, as mutable references), none. `leaves`: which of their leaves: all
    or arrays (the rest is static). `staging`: whether every JAX operation in the body is staged, constants too.
    `concrete`: whether tracers keep their values outside of a staging transform. `result`: same, grad, value_and_grad,
    jacobian, checked or object. `cached`: whether a compile cache hangs on the function's identity. `static_nums`,
    `static_names`: the options that make arguments static. `function`: the name of the parameter that takes the
    function; `options` those of the parameters after it that may be given by position. `checks_arguments`: whether
    arguments that are no arrays are refused though the body is not staged.
    """

    name: str
    traces: str = "all"
    leaves: str = "all"
    staging: bool = True
    concrete: bool = False
    result: str = "same"
    cached: bool = False
    static_nums: str = ""
    static_names: str = ""
    function: str = "fun"
    options: tuple[str, ...] = ()
    checks_arguments: bool = False


@dataclass(frozen=True, slots=True)
class ClassModel:
    """What a library class's instances are.

    `pytree`: leaves are traced when it is an argument, `array_fields` always, `static_fields` never; if `sparse`, only
    fields that are arrays are leaves; `static_numbers`: Python numbers are none. `frozen`: its attributes cannot be
    assigned (`frozen_inside`: by its own methods). `methods` and `attributes`: what they give, by name
    (`FunctionModel.result`). `decorator`: applied to classes rather than inherited. `traced_methods` are those that
    users run under jit. `holds`: the parameters ("fun@0", "*": all) with functions that its methods call; `runs_with`:
    what those get where no such call is in view (`Call.arguments`; none: what they expect). `opaque`: its own source
    makes it what it is in ways that cannot be followed. `refused`: JAX refuses an instance for an
    argument: it is no pytree, or made of functions. `checks`: the method of each class in the lineage that runs once an
    instance is made. `handler`: the mechanism in `analysis/` for the methods that the class gives.
    """

    name: str
    pytree: bool = False
    frozen: bool = False
    frozen_inside: bool = False
    array_fields: tuple[str, ...] = ()
    static_fields: tuple[str, ...] = ()
    sparse: bool = False
    static_numbers: bool = False
    methods: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    holds: tuple[str, ...] = ()
    runs_with: tuple[str, ...] | None = None
    decorator: bool = False
    traced_methods: tuple[str, ...] = ()
    opaque: bool = False
    refused: bool = False
    checks: str = ""
    handler: str = ""
