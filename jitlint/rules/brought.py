"""Rules that installed packages bring, beside jitlint's own.

A package names a module of its rules in the group `jitlint.rules` of its entry points; the entry point's name is the
prefix of their codes. The module is loaded from its file, so that the package itself, and JAX with it, is not imported.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from types import ModuleType
from typing import NamedTuple

from jitlint.project import brought as packages
from jitlint.rules.rule import Rule, Severity

GROUP = "jitlint.rules"
"""The entry points that name them."""

SUFFIX = ".py"

OWN = "JIT"
"""The prefix of jitlint's own codes."""

_PREFIX = re.compile(r"[A-Z]{2,5}")


class UnusableError(Exception):
    """Rules that cannot be used; the message says why and what to write instead."""


class Brought(NamedTuple):
    """The rules, and by the modules' names why some cannot be used."""

    rules: tuple[Rule, ...]
    errors: tuple[tuple[str, str], ...]


@cache
def prefixes() -> tuple[str, ...]:
    """What codes may begin with."""
    return (OWN, *(prefix for prefix, _ in packages.points(GROUP)))


@cache
def brought() -> Brought:
    """The rules that packages bring."""
    found: list[Rule] = []
    errors: list[tuple[str, str]] = []
    for prefix, value in packages.points(GROUP):
        try:
            found += _rules(prefix, value)
        except UnusableError as error:
            errors.append((value, str(error)))
        except Exception as error:  # noqa: BLE001 - it is somebody else's code
            errors.append((value, f"cannot be loaded: {type(error).__name__}: {error}"))
    return Brought(tuple(found), tuple(errors))


def stamp() -> str:
    """What tells the rules that packages bring from others: their prefixes and texts."""
    return packages.stamp(GROUP, SUFFIX)


def _rules(prefix: str, value: str) -> list[Rule]:
    """The rules of a module.

    Raises:
        UnusableError: the prefix or a rule is not as it has to be.
        Exception: whatever loading the module raises.
    """
    if not _PREFIX.fullmatch(prefix) or prefix.startswith(OWN):
        raise UnusableError(
            f"the entry point's name `{prefix}` is no prefix of codes; use two to five capitals, not {OWN}"
        )
    file = packages.locate(value, SUFFIX)
    if file is None or not file.is_file():
        raise UnusableError(f"there is no file {file or value}; name a module of the package, such as package.rules")
    module = ModuleType(f"_jitlint_rules_{prefix}")
    exec(compile(file.read_bytes(), file, "exec"), vars(module))  # an import would leave bytecode in the package
    classes = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, Rule)]
    rules = [each() for each in classes if each.__module__ == module.__name__ and not inspect.isabstract(each)]
    for rule in rules:
        _check(rule, prefix)
    return rules


def _check(rule: Rule, prefix: str) -> None:
    name = type(rule).__name__
    missing = [field for field in Rule.__annotations__ if not hasattr(rule, field)]
    if missing:
        raise UnusableError(f"{name} has no `{missing[0]}`")
    if not re.fullmatch(rf"{prefix}[0-9]{{3}}", rule.code):
        raise UnusableError(f"{name}: the code `{rule.code}` is not {prefix} and three digits")
    if not isinstance(rule.severity, Severity):
        raise UnusableError(f"{name}: `severity` is no Severity")
