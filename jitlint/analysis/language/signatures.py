"""Signatures: the parameters that a callable still takes, and which of them a transform makes static.

`signature_of(partial(f, 1))` has all parameters of `f` but the first. The room `tracing` asks which parameter an
argument goes to, to say which of them are traced.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from jitlint import ir
from jitlint.analysis.language.classes import class_attribute
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    BoundMethod,
    Const,
    Descriptor,
    Function,
    Instance,
    Partial,
    Transformed,
    Tuple,
    Union,
    Value,
    is_none,
    look,
)


class Signature:
    """The parameters that a callable still takes."""

    __slots__ = ("code", "function", "parameters", "bound", "keywords", "_plain")

    def __init__(
        self,
        code: ir.Function,
        function: Function,
        parameters: tuple[ir.Parameter, ...],
        bound: int,
        keywords: tuple[str, ...] = (),
    ) -> None:
        self.code = code
        """The code of the function that is called in the end."""
        self.function = function
        """That function."""
        self.parameters = parameters
        """The parameters that are still open."""
        self._plain = [p for p in parameters if p.kind in ("positional-only", "positional")]
        self.bound = bound
        """How many of the code's first parameters are bound already: `self`, a partial's arguments."""
        self.keywords = keywords
        """The parameters that a partial has bound by name; a call may give them again, by name only."""

    def positional(self, index: int) -> ir.Parameter | None:
        """The parameter that takes the positional argument `index`; None if there is none."""
        if index < len(self._plain):
            return self._plain[index]
        return next((p for p in self.parameters if p.kind == "*"), None)

    @property
    def count(self) -> int | None:
        """How many positional arguments are possible; None if any number."""
        if any(p.kind == "*" for p in self.parameters):
            return None
        return len(self._plain)

    def named(self, name: str) -> ir.Parameter | None:
        """The parameter of that name; None if there is none, or it cannot be given by name."""
        return next(
            (p for p in self.parameters if p.name == name and p.kind not in ("*", "**", "positional-only")), None
        )

    def refuses(self, count: int, keywords: Collection[str]) -> bool:
        """Whether Python refuses a call: it has too many arguments, or a keyword that is none of the parameters."""
        if self.count is not None and count > self.count:
            return True
        return not self.open_keywords and any(self.named(name) is None for name in keywords)

    def takes(self, count: int, keywords: Collection[str]) -> bool:
        """Whether a call with that many positional arguments and these keywords fits."""
        given = not self.refuses(count, keywords)
        return given and all(p.default is not None or p.name in keywords for p in self._plain[count:])

    @property
    def open_keywords(self) -> bool:
        """Whether it takes keywords of any name (`**kwargs`)."""
        return any(p.kind == "**" for p in self.parameters)


def signature_of(interp: Interpreter, function: Value) -> Signature | None:
    """The signature of a callable of the project; None if it is not known."""
    if isinstance(function, Function):
        return Signature(function.code, function, function.code.parameters, 0)
    if isinstance(function, BoundMethod):
        inner = signature_of(interp, function.function)
        if isinstance(function.function, Descriptor) and function.function.kind == "staticmethod":
            return signature_of(interp, function.function.function)
        return _after_binding(inner, 1, ())
    if isinstance(function, Descriptor):
        return signature_of(interp, function.function)
    if isinstance(function, Partial):
        inner = signature_of(interp, function.function) if not function.may_change else None
        return _after_binding(inner, len(function.positional), tuple(function.keywords))
    if isinstance(function, Transformed):
        return signature_of(interp, function.function)
    if isinstance(function, Union):
        return _common_signature(interp, function)
    if isinstance(function, Instance):
        look()  # its `__call__` may be an instance of the same class
        found = class_attribute(interp, function.cls, "__call__")
        return _after_binding(signature_of(interp, found[0]), 1, ()) if found is not None else None
    return None


def _common_signature(interp: Interpreter, functions: Union) -> Signature | None:
    """The signature of one of several callables; None if they do not all show the same."""
    found = [signature_of(interp, function) for function in functions.alternatives]
    shown = [target and inspected_signature(interp, target) for target in found]
    first = shown[0]
    if first is None or any(other is None or not _same_parameters(first, other) for other in shown):
        return None
    return found[0]


def _same_parameters(one: Signature, other: Signature) -> bool:
    """Whether two signatures have parameters of the same names and kinds."""
    return [(p.name, p.kind) for p in one.parameters] == [(p.name, p.kind) for p in other.parameters]


def _after_binding(inner: Signature | None, positional: int, keywords: tuple[str, ...]) -> Signature | None:
    """The signature after `positional` arguments and some `keywords` are bound."""
    if inner is None:
        return None
    left = positional
    still_open = []
    for parameter in inner.parameters:
        if left and parameter.kind in ("positional-only", "positional"):
            left -= 1
        else:
            still_open.append(parameter)
    # What is bound by name takes no position any more; `Signature.keywords` still has it.
    parameters = tuple(p for p in still_open if p.name not in keywords)
    return Signature(inner.code, inner.function, parameters, inner.bound + positional, inner.keywords + keywords)


def option_constants(value: Value | None, kind: type) -> list[object] | None:
    """The constants in an option that takes one or several: `static_argnums=0`, `static_argnames=("n", "m")`.

    Empty if the option is not given; None if not all are known, or not of type `kind`.
    """
    if value is None or is_none(value):
        return []
    if isinstance(value, Const) and isinstance(value.value, kind):
        return [value.value]
    content = getattr(value, "content", value)
    if isinstance(content, Tuple):
        parts = [part.value for part in content.elements if isinstance(part, Const) and isinstance(part.value, kind)]
        return list(parts) if len(parts) == len(content.elements) else None
    return None


@dataclass(frozen=True, slots=True)
class StaticArguments:
    """Which arguments of a transformed function are static."""

    numbers: frozenset[int]
    """The positions, counted from the first parameter that the callable still takes."""
    names: frozenset[str]
    """The names."""
    numbers_known: bool = True
    """Whether an argument at any other position is not static."""
    names_known: bool = True
    """Whether an argument of any other name is not static."""

    def at(self, position: int) -> bool | None:
        """Whether the argument at a position is static; None if that is not known."""
        return True if position in self.numbers else (False if self.numbers_known else None)

    def called(self, name: str) -> bool | None:
        """Whether the argument given by a name is static; None if that is not known."""
        return True if name in self.names else (False if self.names_known else None)


def static_parameters(
    interp: Interpreter, made: Transformed, target: Signature | None
) -> tuple[StaticArguments, list[tuple[str, str]]]:
    """The static arguments of a transformed function, and its options that name no parameter.

    As in JAX, a parameter that is static by its position is static by its name too, and the other way round, where only
    one of both options is given. Without a signature that cannot be told.

    Returns:
        The static arguments, and (option, entry) pairs such as ("static_argnames", "m") for what names nothing.
    """
    transform = made.transform
    target = target and inspected_signature(interp, target)
    numbers = option_constants(made.options.get(transform.static_nums), int) if transform.static_nums else []
    names = option_constants(made.options.get(transform.static_names), str) if transform.static_names else []
    if numbers is None or names is None:
        return StaticArguments(frozenset(), frozenset(), numbers_known=False, names_known=False), []
    problems: list[tuple[str, str]] = []
    if target is None:
        given = frozenset(n for n in numbers if isinstance(n, int))
        both = bool(numbers and names)
        from_front = all(n >= 0 for n in given)
        return StaticArguments(
            given,
            frozenset(map(str, names)),
            numbers_known=from_front and (both or not names),
            names_known=both or not numbers,
        ), problems
    found_numbers: set[int] = set()
    found_names: set[str] = set(map(str, names))
    for number in numbers:
        assert isinstance(number, int)
        index = parameter_index(number, target)
        if index is None:
            problems.append((transform.static_nums, str(number)))
            continue
        found_numbers.add(index)
        parameter = target.positional(index)
        if parameter is not None and parameter.kind == "positional" and not made.options.get(transform.static_names):
            found_names.add(parameter.name)
    for name in map(str, names):
        parameter = target.named(name)
        if parameter is None:
            if not target.open_keywords and name not in target.keywords:
                problems.append((transform.static_names, name))
            continue
        index = _positional_index(target, parameter)
        if index is not None and not numbers:
            found_numbers.add(index)
    problems += _unmatched_donations(made, target)
    return StaticArguments(frozenset(found_numbers), frozenset(found_names)), problems


def inspected_signature(interp: Interpreter, target: Signature) -> Signature | None:
    """The signature that JAX sees, by `inspect.signature`: that of the function under `functools.wraps`.

    None if that function is not known.
    """
    seen: set[int] = set()
    while target.function.wrapped is not None and id(target.function) not in seen:
        seen.add(id(target.function))
        inner = _after_binding(signature_of(interp, target.function.wrapped), target.bound, target.keywords)
        if inner is None:
            return None
        target = inner
    return target


def _unmatched_donations(made: Transformed, target: Signature) -> list[tuple[str, str]]:
    """The entries of `donate_argnums` and `donate_argnames` that name no parameter.

    `jit` refuses them; a transform that takes no names (`pmap`) donates nothing then, without a word.
    """
    if not made.transform.cached or not made.transform.static_names:
        return []
    problems = []
    for name in option_constants(made.options.get("donate_argnames"), str) or ():
        if target.named(str(name)) is None and not target.open_keywords:
            problems.append(("donate_argnames", str(name)))
    for number in option_constants(made.options.get("donate_argnums"), int) or ():
        if isinstance(number, int) and parameter_index(number, target) is None and target.count is not None:
            problems.append(("donate_argnums", str(number)))
    return problems


def static_and_donated(made: Transformed, target: Signature, static: StaticArguments) -> list[tuple[str, str]]:
    """The entries of `donate_argnums` and `donate_argnames` that name static parameters: (option, entry) pairs."""
    if not made.transform.cached:
        return []
    found = []
    for number in option_constants(made.options.get("donate_argnums"), int) or ():
        if isinstance(number, int) and number >= 0 and number in static.numbers:
            found.append(("donate_argnums", str(number)))
    for name in option_constants(made.options.get("donate_argnames"), str) or ():
        if name in static.names:
            found.append(("donate_argnames", str(name)))
    return found


def parameter_index(number: int, target: Signature) -> int | None:
    """The position that an entry of `static_argnums` means, from the end if negative; None if there is none."""
    count = target.count
    if count is None:
        return number if number >= 0 else None
    index = number + count if number < 0 else number
    return index if 0 <= index < count else None


def _positional_index(target: Signature, parameter: ir.Parameter) -> int | None:
    """The position of a parameter; None if it cannot be given by position."""
    plain = [p for p in target.parameters if p.kind in ("positional-only", "positional")]
    return plain.index(parameter) if parameter in plain else None
