"""Inputs from what a program passes to functions: to the same one, values of the same names, other options."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..inputs import copies, specs
from ..inputs.specs import Made, Omitted, Spec
from ..inputs.targets import Inputs, Parameter, Target
from ..inside_jax.jitted import mapped_axes
from ..user_code import texts
from ..user_code.probes import Probe, names_quoted
from ..watching.harvest import Harvest
from .other_options import OtherOptions

_TRIES = 40
"""So many other options are tried for one target."""

_ALIKE = 2
"""So many values of each name are tried."""

_Values = Mapping[str, Any]
"""Values for parameters, as `copies.stored` keeps them."""


@dataclass(frozen=True)
class Seen:
    """Inputs from a program; `same` says whether it calls the target with them, and not just has such values."""

    inputs: Inputs
    same: bool

    @property
    def origin(self) -> str:
        return "program" if self.same else "alike"


class SeenInputs:
    """The inputs that a harvest has for targets.

    Args:
        harvest: what was seen while programs ran.
        options: other values of what a value chooses.
    """

    def __init__(self, harvest: Harvest, options: OtherOptions) -> None:
        self._harvest, self._options = harvest, options

    def of(self, target: Target, probe: Probe, *, others: bool = True) -> Iterator[Seen]:
        """Inputs for a target: those that a program passes, then, if wanted, the same with one other option each."""
        if any(True for _ in mapped_axes(target.function)):
            return
        calls = list(self._calls(target))
        given = calls or list(self._alike(target))
        yield from dict.fromkeys(self._seen(target, values, bool(calls)) for values in given)
        if others:
            changed = [self._changed(target, values, names_quoted(probe.assumed)) for values in given]
            yield from (
                self._seen(target, values, bool(calls)) for values in itertools.islice(_in_turn(changed), _TRIES)
            )

    def with_other_options(self, target: Target, probe: Probe, inputs: Inputs) -> Iterator[Inputs]:
        """Inputs with one other option each, in place of a default or of a plain value."""
        instances = itertools.chain(self.leading(probe, inputs), _made_otherwise(inputs, self._options.values))
        yield from itertools.islice(dict.fromkeys(instances), _TRIES)
        plain = {name: spec.value for name, spec in inputs if isinstance(spec, specs.Plain)}
        fixed = {name: spec for name, spec in inputs if not isinstance(spec, (specs.Plain, Omitted))}
        changed = self._changed(target, plain, names_quoted(probe.assumed), frozenset(fixed))
        for values in itertools.islice(changed, _TRIES):
            made = self._seen(target, values, same=False)
            yield tuple((name, fixed.get(name, spec)) for name, spec in made.inputs)

    def leading(self, probe: Probe, inputs: Inputs) -> Iterator[Inputs]:
        """Inputs with an instance made with one other option that leads to the place, as the text says."""
        around = names_quoted((f"`{probe.symbol}`",)) - {"locals"}
        words = self._options.leading_to(names_quoted(probe.assumed) | around)
        yield from _made_otherwise(inputs, partial(self._options.leading, words=words))

    def _seen(self, target: Target, values: _Values, same: bool) -> Seen:
        return Seen(tuple((part.name, self._spec(part, values)) for part in target.parameters), same)

    def _spec(self, parameter: Parameter, values: _Values) -> Spec:
        if parameter.name not in values:
            return Omitted() if parameter.optional else parameter.first
        value = values[parameter.name]
        return Made(specs.describe_value(value), partial(copies.fresh, value, self._harvest.is_own))

    def _calls(self, target: Target) -> Iterator[_Values]:
        """The arguments with which a program calls the target."""
        code = getattr(texts.unwrapped(target.function), "__code__", None)
        if code is None:
            return
        for call in self._harvest.calls.get(code, ()):
            named = {"self" if target.owner and name == code.co_varnames[0] else name: call[name] for name in call}
            if all(part.name in named or part.optional for part in target.parameters):
                yield named

    def _alike(self, target: Target) -> Iterator[_Values]:
        """Values that have the names of the target's parameters elsewhere in the program."""
        needed = [parameter for parameter in target.parameters if not parameter.optional]
        found = {parameter.name: self._of_name(target, parameter) for parameter in needed}
        for at in range(min(_ALIKE, max(map(len, found.values()), default=0))):
            yield {name: values[at % len(values)] for name, values in found.items() if values}

    def _of_name(self, target: Target, parameter: Parameter) -> list[Any]:
        if parameter.name == "self" and target.owner is not None:
            return list(self._harvest.instances(target.owner))
        values = [value for value in self._harvest.names.get(parameter.name, ()) if value is not None]
        for cls in parameter.use.classes[:1]:
            values = [value for value in values if cls in type(value).__mro__] or list(self._harvest.instances(cls))
        return values

    def _changed(
        self, target: Target, values: _Values, named: frozenset[str], fixed: frozenset[str] = frozenset()
    ) -> Iterator[_Values]:
        """The same values with another option each; those that the suspicion names come first."""
        first: list[Iterator[_Values]] = []
        last: list[Iterator[_Values]] = []
        defaults = _defaults(target)
        for parameter in target.parameters:
            if parameter.name in fixed:
                continue
            value = values.get(parameter.name, defaults.get(parameter.name))
            for name, others in self._options.of(parameter.name, value):
                chosen = first if name in named or parameter.name in named else last
                chosen.append(_replacing(values, parameter.name, others))
        yield from _in_turn(first)
        yield from _in_turn(last)


def _made_otherwise(inputs: Inputs, values: Callable[[str, Any], Iterator[Any]]) -> Iterator[Inputs]:
    """Inputs with an instance made with one other option, of which `values` gives others by its name and value."""
    for at, (_, spec) in enumerate(inputs):
        for name, value in _options_of(spec):
            yield from (_with_option(inputs, at, name, other) for other in values(name, value))


def _options_of(spec: Spec) -> Iterator[tuple[str, Any]]:
    """The options with which an instance is made: parameters of its class with a default or a plain value."""
    if not isinstance(spec, specs.Fields) or not isinstance(spec.maker, type):
        return
    given = dict(spec.items)
    try:
        parameters = inspect.signature(spec.maker).parameters.values()
    except (TypeError, ValueError):
        return
    for parameter in parameters:
        made = given.get(parameter.name)
        if isinstance(made, specs.Plain):
            yield parameter.name, made.value
        elif made is None and parameter.default is not parameter.empty:
            yield parameter.name, parameter.default


def _with_option(inputs: Inputs, at: int, option: str, value: Any) -> Inputs:
    """The inputs, one of whose instances is made with another value of an option."""
    name, spec = inputs[at]
    assert isinstance(spec, specs.Fields)
    kept = tuple(item for item in spec.items if item[0] != option)
    other: Spec = specs.Given(value) if isinstance(value, list) else specs.Plain(value)  # inputs are told by their hash
    made = specs.Fields(spec.maker, (*kept, (option, other)))
    return (*inputs[:at], (name, made), *inputs[at + 1 :])


def _defaults(target: Target) -> Mapping[str, Any]:
    parameters = inspect.signature(target.function).parameters.values()
    return {each.name: each.default for each in parameters if each.default is not each.empty}


def _replacing(values: _Values, name: str, others: Iterator[Any]) -> Iterator[_Values]:
    try:
        for other in others:
            yield {**values, name: other}
    except Exception:  # noqa: BLE001  copies of the user's objects are made by the user's classes
        return


def _in_turn(many: list[Iterator[_Values]]) -> Iterator[_Values]:
    """One item of each iterator, then the next of each."""
    while many:
        left = []
        for items in many:
            for item in items:
                yield item
                left.append(items)
                break
        many = left
