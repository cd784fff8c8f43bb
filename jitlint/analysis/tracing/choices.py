"""One of several functions, as a static argument and in a trace: JAX compiles a program for each that code chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

from jitlint.analysis.language.calls import name_in_project
from jitlint.analysis.language.signatures import signature_of, static_parameters
from jitlint.analysis.machine.context import Chosen
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Array, Transformed, Tuple, Union, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import offered_like
from jitlint.events.assumption import Assumption, AssumptionKind

_MANY: Final = 6
"""Of so many functions the body runs with what they have in common."""

Run = Callable[[Args], Value]
"""Calls the jitted function with some arguments, and gives its result."""


def with_each_choice(interp: Interpreter, transformed: Transformed, args: Args, run: Run) -> Value | None:
    """The result of a call that gets one of the functions that the code offers as a static argument.

    Args:
        interp: where it is called.
        transformed: the jitted function.
        args: the arguments of the call.
        run: runs the call once for each choice.

    Returns:
        None if the call gets no such argument, or runs inside of another trace.
    """
    given: list[tuple[int | str, Value]] = [*enumerate(args.positional), *args.keywords.items()]
    offered = [(key, value) for key, value in given if isinstance(value, Union) and is_choice(value)]
    if interp.trace is not None or not offered:
        return None
    target = signature_of(interp, transformed.function)
    static, _ = static_parameters(interp, transformed, target)
    for key, value in offered:
        if static.at(key) if isinstance(key, int) else static.called(key):
            parameter = target.positional(key) if target and isinstance(key, int) else None
            return _each(interp, parameter.name if parameter else str(key), value, partial(_run_with, run, args, key))
    return None


def _run_with(run: Run, args: Args, key: int | str, part: Value) -> Value:
    return run(args.replaced(key, part))


def is_choice(value: Union) -> bool:
    """Whether a value is one of a few functions of the project that the code offers in one place."""
    return value.offered and len(value.alternatives) <= _MANY and all(map(name_in_project, value.alternatives))


def _each(interp: Interpreter, name: str, value: Union, run: Callable[[Value], Value]) -> Value:
    """Runs a call for each alternative of an argument, from the same state, and joins the results."""
    results: list[Value] = []

    def once(part: Value) -> bool:
        with interp.assuming(AssumptionKind.OFFERED_FUNCTION, f"`{name}` is {name_in_project(part)}"):
            results.append(run(part))
        return True

    interp.store.branch(partial(once, part) for part in value.alternatives)
    return offered_like(value, results)


def ways_to_choose(chosen: Iterable[Chosen], value: Value) -> Iterator[tuple[Assumption, Value]]:
    """What a value is for each function that code may have chosen to call, with what that rests on.

    Only for a value that is what such a call gives, or a tuple that holds it: elsewhere, what was joined stays so.
    """
    for kind, results, joined, called in chosen:
        for result, text in zip(results, called, strict=True):
            changed = _in_place_of(joined, result, value)
            if changed is not value:
                yield Assumption(kind, text), changed


def _in_place_of(joined: Value, result: Value, value: Value) -> Value:
    """A value with one thing in the places where several were joined; itself if there are none.

    An array or a tuple is there only if the call gave it; of a constant, or of what is unknown, many have the same.
    """
    if value is joined and isinstance(joined, (Array, Tuple)):
        return result
    if not isinstance(value, Tuple):
        return value
    elements = tuple(_in_place_of(joined, result, element) for element in value.elements)
    if isinstance(joined, Tuple) and isinstance(result, Tuple) and len(joined.elements) == len(result.elements):
        for old, new in zip(joined.elements, result.elements, strict=True):
            elements = tuple(_in_place_of(old, new, element) for element in elements)
    changed = any(new is not old for new, old in zip(elements, value.elements, strict=True))
    return Tuple(elements, value.cls) if changed else value
