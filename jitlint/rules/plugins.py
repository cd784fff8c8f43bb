"""Rules of installed packages, beside jitlint's own.

A package names a module of its rules in the group `jitlint.rules` of its entry points; the entry point's name is the
prefix of their codes. The module is loaded from its file, so that the package itself, and JAX with it, is not imported.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from types import ModuleType
from typing import NamedTuple

from jitlint.project import plugins
from jitlint.rules.rule import Rule, Severity
from jitlint.source.reading import SOURCE_BYTES, read_file

GROUP = "jitlint.rules"
"""The entry points that name modules of rules."""

SUFFIX = ".py"

OWN = "JIT"
"""The prefix of jitlint's own codes."""

_PREFIX = re.compile(r"[A-Z]{2,5}")


class UnusableError(Exception):
    """A package's rules cannot be used; the message says why and what to write instead."""


class PluginRules(NamedTuple):
    """The rules of all packages, and for modules whose rules cannot be used: the module's name and why."""

    rules: tuple[Rule, ...]
    errors: tuple[tuple[str, str], ...]


@cache
def prefixes() -> tuple[str, ...]:
    """What rules' codes may begin with."""
    return (OWN, *(prefix for prefix, _ in plugins.entry_points(GROUP)))


@cache
def plugin_rules() -> PluginRules:
    """The rules of installed packages."""
    found: list[Rule] = []
    errors: list[tuple[str, str]] = []
    for prefix, value in plugins.entry_points(GROUP):
        try:
            found += _rules(prefix, value)
        except UnusableError as error:
            errors.append((value, str(error)))
        except Exception as error:  # noqa: BLE001 - it is somebody else's code
            errors.append((value, f"cannot be loaded: {type(error).__name__}: {error}"))
    return PluginRules(tuple(found), tuple(errors))


def stamp() -> str:
    """A digest of the packages' rules: it changes with their prefixes and their files."""
    return plugins.stamp(GROUP, SUFFIX)


def _rules(prefix: str, value: str) -> list[Rule]:
    """The rules of the module that an entry point names.

    Raises:
        UnusableError: the prefix is not one, the module has no file, or a rule lacks something.
        Exception: whatever the module raises when it is loaded.
    """
    if not _PREFIX.fullmatch(prefix) or prefix.startswith(OWN):
        raise UnusableError(
            f"the entry point's name `{prefix}` is no prefix of codes; use two to five capitals, not {OWN}"
        )
    file = plugins.locate(value, SUFFIX)
    if file is None or not file.is_file():
        raise UnusableError(f"there is no file {file or value}; name a module of the package, such as package.rules")
    module = ModuleType(f"_jitlint_rules_{prefix}")
    exec(
        compile(read_file(file, SOURCE_BYTES), file, "exec"), vars(module)
    )  # an import would leave bytecode in the package
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
