"""What a function requires of its arguments: which must be concrete, hashable, or decide the result's shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.ask_jax.asking import Asking
from tools.ask_jax.calling import Arr, Given, Outcome, alone, eager, traced
from tools.ask_jax.examples import flat, has_array, is_size, variants
from tools.ask_jax.facts import Facts


def ask_arguments(asking: Asking, facts: Facts) -> None:
    """Finds which arguments must be concrete, and what lifts that, which decide shapes, which must be hashable."""
    fill = asking.usual.filled
    given = asking.given.changed(**{name: fill(name, value) for name, value in asking.given.examples.items()})
    refused: dict[str, str] = {}
    scalars: dict[str, str] = {}
    lifted: dict[str, str] = {}
    unlifted = Given(given.function, given.parameters, {n: v for n, v in given.examples.items() if n != asking.lifting})
    for name, example in {**given.examples, **asking.optional}.items():
        array = has_array(given.examples.get(name))
        for probe in _tracers_for(fill(name, example)):
            outcome = _probed(asking, unlifted if array and asking.lifting else given, name, probe)
            if not outcome.ok:
                arrays = not array and any(
                    _probed(asking, given, name, Arr(kind, 1, (4,))).ok for kind in ("int", "float")
                )
                (scalars if arrays else refused)[name] = outcome.error
                lifted[name] = asking.lifting if array and asking.lifting else _lifted(asking, given, name, probe)
                break
    for name, example in given.examples.items():
        if name not in refused and isinstance(example, Arr) and (error := _refused_number(asking, given, name)):
            scalars[name] = error
    shaping = [name for name in refused if has_array(given.examples.get(name)) and _shapes_result(unlifted, name)]
    facts.concrete = _listed({name: error for name, error in refused.items() if name not in shaping})
    facts.concrete_scalar = _listed(scalars)
    facts.data_shape = _listed({name: refused[name] for name in shaping})
    facts.unless = _listed({name: option for name, option in lifted.items() if option})
    facts.hashable = ", ".join(name for name in refused if _wants_hash(asking, given, name))


def _listed(pairs: Mapping[str, str]) -> str:
    return ", ".join(f"{name}: {text}" for name, text in pairs.items())


def _refused_number(asking: Asking, given: Given, name: str) -> str:
    """The error for a traced number in the place of an array, if a concrete one works: `choice(key, 4)`."""
    number = Arr("int", 0, ())
    if not eager(given.changed(**{name: number})).ok:
        return ""
    outcome = _probed(asking, given, name, number)
    return "" if outcome.ok else outcome.error


def _probed(asking: Asking, given: Given, name: str, probe: Any) -> Outcome:
    """The call with a tracer in one place: with all arrays traced, if they can be together, else alone."""
    changed = given.changed(**{name: probe})
    if asking.eager or (asking.lifting and asking.lifting not in given.examples):
        return alone(changed, name)
    return traced(changed, [name, *asking.arrays])


def _tracers_for(example: Any) -> list[Any]:
    """An example with arrays where it had numbers: what a tracer there would be."""
    if has_array(example):
        return [example]
    if type(example) in (bool, int, float):
        return [Arr(type(example).__name__, 0, ())]
    if type(example) is tuple:
        return [(Arr("int", 0, ()), *example[1:])] if is_size(example) else []
    return [Arr("int", 0, ())] if type(example) is str else []


def _lifted(asking: Asking, given: Given, name: str, probe: Any) -> str:
    """An option that, once given, lets the argument be traced."""
    for option, example in asking.optional.items():
        if (
            option != name
            and not has_array(example)
            and _probed(asking, given.changed(**{option: example}), name, probe).ok
        ):
            return option
    return ""


def _shapes_result(given: Given, name: str) -> bool:
    """Whether other values in an array give a result of another shape."""
    if not any(part.rank for part in flat(given.examples[name]) if isinstance(part, Arr)):
        return False
    others = [n for n, v in given.examples.items() if n != name and has_array(v)]
    for around in (0, 2):
        calls = [eager(given, {**dict.fromkeys(others, around), name: seed}) for seed in range(3)]
        if len({tuple(leaf.shape for leaf in found.leaves) for found in calls if found.ok}) > 1:
            return True
    return False


def _wants_hash(asking: Asking, given: Given, name: str) -> bool:
    """Whether a list fails where a tuple works, because it must be hashed."""
    example = given.examples.get(name, asking.optional.get(name))
    names = [] if asking.eager else asking.arrays
    for value in [example, *variants(example)]:
        if is_size(value) and traced(given.changed(**{name: value}), names).ok:
            return "hashable" in traced(given.changed(**{name: list(value)}), names).message
    return False
