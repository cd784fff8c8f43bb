"""Targets: functions of the user's that can be called, with what is known of their parameters."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ..user_code import texts
from ..user_code.uses import Use
from .frameworks import Stage
from .specs import Omitted, Plain, Spec, build, describe, scalar

Inputs = tuple[tuple[str, Spec], ...]
_LONGEST = 200
"""Characters of one input in a report."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a target.

    Attributes:
        name: its name.
        kind: its kind, as in `inspect.Parameter`.
        optional: whether it has a default.
        host: whether Python numbers are likelier than arrays.
        use: what the function does with it.
        first: the value to begin with.
        others: the values to try next.
        origin: where `first` comes from: "annotations", "constructors" or "search".
    """

    name: str
    kind: int
    optional: bool
    host: bool
    use: Use
    first: Spec
    others: tuple[Spec, ...] = ()
    origin: str = "search"


@dataclass(frozen=True)
class Call:
    """A call in the user's code: its argument list as text, and a function that makes its arguments anew."""

    text: str
    arguments: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]


@dataclass(frozen=True)
class Target:
    """Something to call.

    Attributes:
        label: its name for people.
        function: the function or callable object.
        parameters: its parameters.
        traced: whether a call traces all of it.
        node: its definition, None if it is none of the user's.
        owner: the class whose method it is.
        wrap: transforms it before it is called.
        stage: runs it as its library would.
        predicted: whether the analyzer named it, as root or entry.
        calls: its calls at the module's top level.
    """

    label: str
    function: Any
    parameters: tuple[Parameter, ...]
    traced: bool
    node: texts.FunctionNode | None
    owner: type | None = None
    wrap: Callable[[Any], Any] | None = None
    stage: Stage | None = None
    predicted: bool = True
    calls: tuple[Call, ...] = ()

    def within(self, stage: Stage) -> Target:
        """The target in a stage. Numbers become arrays, since a stage traces arrays only."""
        parameters = tuple(
            replace(parameter, first=scalar())
            if isinstance(parameter.first, Plain) and isinstance(parameter.first.value, float)
            else parameter
            for parameter in self.parameters
        )
        return replace(self, parameters=parameters, stage=stage)

    def first_inputs(self) -> Inputs:
        """The inputs to begin with."""
        return tuple((parameter.name, parameter.first) for parameter in self.parameters)

    def origin_of(self, inputs: Inputs) -> str:
        """The origin of inputs as a whole: the least certain origin among them."""
        if inputs != self.first_inputs():
            return "search"
        origins = {parameter.origin for parameter in self.parameters if not isinstance(parameter.first, Omitted)}
        return next((origin for origin in ("search", "constructors") if origin in origins), "annotations")

    def beginning_with(self, inputs: Inputs) -> Target:
        """The same target with other inputs to begin with."""
        given = dict(inputs)
        parameters = (replace(parameter, first=given[parameter.name]) for parameter in self.parameters)
        return replace(self, parameters=tuple(parameters))

    def thunk(self, inputs: Inputs, *, execute: bool) -> Callable[[], Any]:
        """A function that makes the inputs and calls the target; with `execute` false, a jitted one is only traced."""
        given = dict(inputs)

        def call() -> Any:
            args, kwargs = self._bound({name: build(spec) for name, spec in given.items() if name in wanted})
            function = self.function
            if self.stage is not None:
                return self.stage.trace(
                    lambda: build(given["self"]) if self.owner else None, function, tuple(args), kwargs
                )
            if self.owner is not None:
                instance = build(given["self"])
                if self.wrap is not None:
                    function = types.MethodType(function, instance)
                else:
                    args.insert(0, instance)
            if self.wrap is not None:
                function = self.wrap(function)
            if not execute and hasattr(function, "trace"):
                return function.trace(*args, **kwargs)
            return function(*args, **kwargs)

        wanted = {n for n, spec in inputs if not isinstance(spec, Omitted) and not (self.owner and n == "self")}
        return call

    def given_thunk(self, call: Call, *, execute: bool) -> Callable[[], Any]:
        """A function that repeats a call of the user's; with `execute` false, a jitted target is only traced."""

        def run() -> Any:
            args, kwargs = call.arguments()
            function = self.function
            if self.stage is not None:
                instance, rest = (args[0], args[1:]) if self.owner is not None else (None, args)
                return self.stage.trace(lambda: instance, function, rest, kwargs)
            if self.wrap is not None and self.owner is not None:
                function, args = types.MethodType(function, args[0]), args[1:]
            if self.wrap is not None:
                function = self.wrap(function)
            if not execute and hasattr(function, "trace"):
                return function.trace(*args, **kwargs)
            return function(*args, **kwargs)

        return run

    def describe(self, inputs: Inputs) -> list[str]:
        """The inputs as people read them."""
        texts = [f"{name}={describe(spec)}" for name, spec in inputs if not isinstance(spec, Omitted)]
        return [text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…" for text in texts]

    def _bound(self, built: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        first = int(self.owner is not None)
        for parameter in self.parameters:
            if parameter.name not in built:
                continue
            value = built[parameter.name]
            if parameter.kind == inspect.Parameter.VAR_POSITIONAL:
                args += (
                    list(value)
                    if isinstance(value, (list, tuple)) or (hasattr(value, "shape") and value.shape)
                    else [value]
                )
            elif parameter.kind == inspect.Parameter.VAR_KEYWORD:
                kwargs.update(value if isinstance(value, dict) else {})
            elif parameter.kind == inspect.Parameter.KEYWORD_ONLY or any(
                p.name not in built for p in self.parameters[first : self.parameters.index(parameter)]
            ):
                kwargs[parameter.name] = value
            else:
                args.append(value)
        return args, kwargs
