"""Finds the rules. A rule registers itself by being in a module of a family's folder."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from types import ModuleType

from jitlint import rules
from jitlint.events.event import Event, EventKind
from jitlint.rules.plugins import OWN, plugin_rules
from jitlint.rules.rule import Rule
from jitlint.source.defects import Defects


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, jitlint's own and those of installed packages, in the order of their codes."""
    own = (rule() for rule in _rule_classes())
    return tuple(sorted((*own, *plugin_rules().rules), key=lambda rule: rule.code))


def by_code(code: str) -> Rule | None:
    """The rule with this code (in any case), None if there is none."""
    return next((rule for rule in all_rules() if rule.code == code.upper()), None)


def objections(event: Event, defects: Defects) -> Iterator[tuple[Rule, str]]:
    """The rules that object to an event, with their messages: at most one of jitlint's own, and any of packages.

    An exception in a rule becomes one of the `defects`.
    """
    objected = False
    for rule in _by_event().get(event.kind, ()):
        own = rule.code.startswith(OWN)
        if own and objected:
            continue
        with defects.contained(event.place.path, f"rule {rule.code}", event.symbol):
            message = rule.check(event)
            if message is not None:
                objected = objected or own
                yield rule, message


@cache
def _by_event() -> Mapping[EventKind, tuple[Rule, ...]]:
    return {kind: tuple(rule for rule in all_rules() if kind in rule.events) for kind in EventKind}


def _rule_classes() -> Iterator[type[Rule]]:
    for family in pkgutil.iter_modules(rules.__path__, f"{rules.__name__}."):
        if family.ispkg:
            for module in pkgutil.iter_modules(importlib.import_module(family.name).__path__, f"{family.name}."):
                yield from _rules_in(importlib.import_module(module.name))


def _rules_in(module: ModuleType) -> Iterator[type[Rule]]:
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__:
            yield value
