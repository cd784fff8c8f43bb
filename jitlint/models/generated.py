"""What JAX itself answered about its functions: reads the files in `data/generated/`, when a function of theirs is met.

`tools/ask_jax` makes the files by calling and tracing JAX's functions, and describes their words. One file holds one
public package of JAX with its modules, one line per function.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from importlib import resources

from jitlint.models.function import Concrete, FunctionModel, Parameter, Rule

_FOLDER = "data/generated"
_TABLE = '[functions."'


def generated(name: str) -> FunctionModel | None:
    """The model of a function by its qualified name; None if JAX was not asked about it."""
    module, _, last = name.rpartition(".")
    line = _lines(".".join(module.split(".")[:2])).get((module, last))
    return _model(name, tomllib.loads(line)[last]) if line is not None else None


@functools.cache
def _lines(package: str) -> Mapping[tuple[str, str], str]:
    """The lines of a package's file by module and function; empty if there is no file.

    Lines are parsed one by one when they are needed: a whole file takes longer than most runs need.
    """
    path = resources.files("jitlint.models").joinpath(_FOLDER, f"{package}.toml")
    found: dict[tuple[str, str], str] = {}
    module = ""
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        if line.startswith("["):
            module = line.removeprefix(_TABLE).rstrip('"]') if line.startswith(_TABLE) else ""
        elif module and line:
            found[module, line.partition(" = ")[0]] = line
    return found


def _model(name: str, row: Mapping[str, str]) -> FunctionModel:
    """The record that a parsed line stands for."""
    parameters = tuple(_parameters(row["parameters"]))
    positions = {parameter.name: parameter.position for parameter in parameters}
    unless = dict(_pairs(row.get("unless", "")))

    def listed(key: str, scalar: bool = False) -> tuple[Concrete, ...]:
        return tuple(
            Concrete(parameter, positions.get(parameter), error, unless.get(parameter, ""), scalar)
            for parameter, error in _pairs(row.get(key, ""))
        )

    return FunctionModel(
        name,
        result=row["result"].partition(",")[0],
        concrete=listed("concrete") + listed("concrete_scalar", scalar=True),
        data_shape=listed("data_shape"),
        strict=tuple(row["strict"].split(", ")) if "strict" in row else (),
        hashable=tuple(row["hashable"].split(", ")) if "hashable" in row else (),
        parameters=parameters,
        structure=_rule(row["result"]),
        dtypes=tuple(map(_rule, row["dtype"].split("; "))) if "dtype" in row else (),
        ranks=tuple(map(_rule, row["rank"].split("; "))) if "rank" in row else (),
    )


def _parameters(text: str) -> list[Parameter]:
    """The parameters of a signature as it is written: "a, /, b=1, *, c=None"."""
    found: list[Parameter] = []
    position: int | None = 0
    for word in text.split(", ") if text else ():
        name, _, default = word.partition("=")
        if name.startswith("**") or name == "/":
            continue
        if name.startswith("*"):
            if name != "*":
                found.append(Parameter(name[1:], position, "", rest=True))
            position = None
            continue
        found.append(Parameter(name, position, default))
        position = None if position is None else position + 1
    return found


def _rule(text: str) -> Rule:
    """Reads "base, option: rule, option: rule"."""
    base, *given = re.split(r", (?=\w+: )", text)
    return Rule(base, tuple((option, word) for option, _, word in (part.partition(": ") for part in given)))


def _pairs(text: str) -> list[tuple[str, str]]:
    """Reads "name: word, name: word"."""
    return [(name, word) for name, _, word in (part.partition(": ") for part in text.split(", ")) if word]
