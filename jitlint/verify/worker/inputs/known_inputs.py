"""Inputs that need no guessing: recorded in a run of the program, or declared by its author."""

from __future__ import annotations

import builtins
import dataclasses
import importlib
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jax import jit  # as it is before user code replaces it

from ..inside_jax.jitted import mapped_axes
from ..user_code import texts
from ..user_code.probes import Probe
from . import forms, specs
from .specs import Omitted, Spec
from .targets import Inputs, Parameter, Target

_COLLECT = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

GUESSED = frozenset(("annotations", "constructors", "search", "alike"))
"""Origins of inputs that jitlint made up, or put together from values that a program has under the same names."""


class Described(list[str]):
    """Inputs for people.

    Attributes:
        origin: "recorded", "declared", "call site", "driver", "program" or one of `GUESSED`.
        first: whether no earlier run of ours can have changed or donated what the run uses.
        options: the options with which a program ran that have other values in the code.
    """

    def __init__(
        self, described: Iterable[str], origin: str, *, first: bool = False, options: Iterable[str] = ()
    ) -> None:
        super().__init__(described)
        self.origin, self.first, self.options = origin, first, frozenset(options)

    @property
    def arguments(self) -> str:
        """The inputs in parentheses, as after a function's name."""
        return self[0] if self.origin == "call site" and self else f"({', '.join(self)})"


@dataclasses.dataclass(frozen=True)
class Known:
    """Known inputs for a target; `missing` names the parameters that had to be guessed, with the reason."""

    origin: str
    inputs: Inputs
    missing: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether no parameter had to be guessed."""
        return not self.missing


class KnownInputs:
    """The known inputs of a job's functions, in the linter's order."""

    def __init__(self, entries: Iterable[Mapping[str, Any]]) -> None:
        self._entries = list(entries)

    def of(self, target: Target) -> Iterator[Known]:
        """The known inputs that still fit a target's parameters."""
        bottom = texts.unwrapped(target.function)
        code = getattr(bottom, "__code__", None)
        for entry in self._entries:
            if code is None or (entry["file"], entry["qualname"]) != (code.co_filename, bottom.__qualname__):
                continue
            parameters = set(inspect.signature(bottom).parameters)
            axes = list(mapped_axes(target.function))
            if entry["arguments"].keys() <= parameters and entry.get("mapped", len(axes)) == len(axes):
                mapped = [] if "mapped" in entry else axes
                given = [_given(entry, parameter, bottom, mapped, at) for at, parameter in enumerate(target.parameters)]
                pairs = list(zip(target.parameters, given, strict=True))
                inputs = tuple((parameter.name, spec) for parameter, (spec, _) in pairs)
                if entry.get("transform") == "jax.pmap" and target.function is not bottom:
                    inputs = tuple(
                        (name, specs.batched(spec, 1)) for name, spec in inputs
                    )  # they were recorded per device
                missing = tuple(f"{parameter.name}: {why}" for parameter, (_, why) in pairs if why)
                yield Known(entry["origin"], inputs, missing)

    def functions(self, probe: Probe) -> Iterator[tuple[str, Any, KnownInputs]]:
        """Functions made inside other functions, as they were recorded, that lead to a probe's place.

        Yields:
            The name of the outer function, the transformed inner one, and the inputs that were recorded with it.
        """
        for entry in self._entries:
            if "function" not in entry or entry["mapped"] or not _leads_to(entry, probe):
                continue
            try:
                function = specs.build(forms.spec(entry["function"], lambda name: None))
                yield entry["qualname"].partition(".<locals>")[0], _transformed(function, entry), KnownInputs([entry])
            except Exception:  # noqa: BLE001  without it the search goes on as if nothing had been recorded
                continue


def _given(
    entry: Mapping[str, Any], parameter: Parameter, function: Any, mapped: list[Any], at: int
) -> tuple[Spec, str]:
    """A parameter's value, and why it had to be guessed ("" if it is known)."""
    if parameter.name not in entry["arguments"]:
        left_out = parameter.optional or parameter.kind in _COLLECT
        return (Omitted(), "") if left_out else (parameter.first, f"not {entry['origin']}")
    try:
        spec = forms.spec(entry["arguments"][parameter.name], lambda name: _name(name, function))
    except forms.FormError as error:
        return parameter.first, str(error)
    for axes in mapped:
        if not isinstance(axes, (tuple, list)) or (at < len(axes) and axes[at] is not None):
            spec = specs.batched(spec)
    return spec, ""


def _name(name: str, function: Any) -> Any:
    """The value of a name in a function's module."""
    return getattr(sys.modules.get(function.__module__), name, getattr(builtins, name, None))


def _leads_to(entry: Mapping[str, Any], probe: Probe) -> bool:
    """Whether the probe's place lies in the recorded function, or its transform is applied at the definition."""
    if entry["file"] == probe.site.file and f".{entry['qualname']}." in f".{probe.symbol}.":
        return True
    site = probe.entry_site
    return site is not None and site.file == entry["file"] and site.line == entry["function"]["line"]


def _transformed(function: Any, entry: Mapping[str, Any]) -> Any:
    module, _, name = entry["transform"].rpartition(".")
    if module == "equinox":
        return getattr(importlib.import_module(module), name)(function)
    static = [parameter for parameter, form in entry["arguments"].items() if _is_static(form)]
    return jit(function, static_argnames=static)


def _is_static(form: Any) -> bool:
    """Whether a recorded argument was static: traced ones are recorded as arrays."""
    if isinstance(form, list):
        return any(map(_is_static, form))
    if not isinstance(form, dict) or "array" in form or "key" in form:
        return False
    if "dict" in form:
        return any(_is_static(item) for _, item in form["dict"])
    if form.keys() & {"name", "function", "attribute", "instance"} or form.get("value") is not None:
        return True
    return any(map(_is_static, form.values()))
