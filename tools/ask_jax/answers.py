"""All answers of a module, in units of work that processes can share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from inspect import Parameter
from typing import Any, NamedTuple

from tools.ask_jax.arguments import ask_arguments
from tools.ask_jax.asking import NoAnswerError, start
from tools.ask_jax.attributes import ask_attributes
from tools.ask_jax.facts import Facts, signature
from tools.ask_jax.files import Row
from tools.ask_jax.results import ask_result
from tools.ask_jax.surface import ARRAY, MODULES, asked, parameters, reasons
from tools.ask_jax.transforms import ask_transforms
from tools.ask_jax.uses import USES

_TOGETHER = 60
"""How many functions make a unit of work."""


class Unit(NamedTuple):
    """What is asked of a module: its functions from `start` to `end`, its transforms, or the attributes of arrays."""

    module: str
    subject: str
    start: int = 0
    end: int = 0


def units() -> list[Unit]:
    """All there is to ask, the largest modules first."""
    functions = [
        Unit(module, "functions", start, start + _TOGETHER)
        for module in MODULES
        for start in range(0, max(len(asked(module)), 1), _TOGETHER)
    ]
    return [*functions, *(Unit(module, "transforms") for module in USES), Unit(ARRAY, "attributes")]


def ask(name: str, function: Callable[..., Any], parameters: tuple[Parameter, ...]) -> Facts:
    """All facts about a function.

    Args:
        name: its qualified name, by which it may have a recipe of its own.
        function: the function.
        parameters: its parameters.

    Raises:
        NoAnswerError: if no example works; the text says what the last one gave.
    """
    asking = start(name, function, parameters)
    facts = Facts(parameters=signature(parameters), result=asking.first.structure)
    if facts.result in ("array", "tuple", "list"):
        ask_result(asking, facts)
    ask_arguments(asking, facts)
    return facts


def row(facts: Facts) -> Row:
    """What a file says of a function."""
    return {field: text for field, text in asdict(facts).items() if text or field == "parameters"}


def answers(unit: Unit) -> dict[str, dict[str, dict[str, Row]]]:
    """The tables that a unit of work gives: `functions` and `not_asked`, `transforms` or `attributes`."""
    module = unit.module
    if unit.subject == "transforms":
        return {"transforms": {module: ask_transforms(module)}}
    if unit.subject == "attributes":
        return {"attributes": {module: ask_attributes()}}
    functions: dict[str, Row] = {}
    for name, function in list(asked(module).items())[unit.start : unit.end]:
        try:
            facts = ask(f"{module}.{name}", function, parameters(function))
        except NoAnswerError as error:
            raise NoAnswerError(f"{module}.{name} has no example that works: {error}") from error
        functions[name] = row(facts)
    tables: dict[str, dict[str, dict[str, Row]]] = {"functions": {module: functions}}
    if unit.start == 0 and reasons(module):
        tables["not_asked"] = {module: dict(reasons(module))}
    return tables
