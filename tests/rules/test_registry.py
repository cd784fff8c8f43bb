"""The registry finds each rule, and its metadata is complete."""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
import sys

import pytest

from jitlint import rules
from jitlint.events.event import EventKind
from jitlint.findings.finding import OWN
from jitlint.rules.page import page
from jitlint.rules.registry import all_rules, by_code
from jitlint.rules.rule import Rule, Severity

FAMILIES = {
    "tool": "JIT0",
    "control_flow": "JIT1",
    "shapes": "JIT2",
    "host": "JIT3",
    "cache": "JIT4",
    "purity": "JIT5",
    "arguments": "JIT6",
    "structured": "JIT7",
    "buffers": "JIT8",
    "verified": "JIT9",
}
TEXTS = ("what", "why", "example", "remedy", "fixed_example", "unknown", "verified_by", "summary")
EACH = pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.code) for rule in all_rules()])


def test_one_module_one_rule() -> None:
    modules = [
        module.name
        for family in FAMILIES
        for module in pkgutil.iter_modules(importlib.import_module(f"jitlint.rules.{family}").__path__)
    ]
    assert sorted(modules) == sorted(type(rule).__module__.rpartition(".")[2] for rule in all_rules())
    folders = {module.name for module in pkgutil.iter_modules(rules.__path__) if module.ispkg}
    assert folders == FAMILIES.keys()


def test_codes_and_names_are_unique_and_ordered() -> None:
    codes = [rule.code for rule in all_rules()]
    names = [rule.name for rule in all_rules()]
    assert codes == sorted(set(codes))
    assert len(names) == len(set(names))


@EACH
def test_metadata_is_complete(rule: Rule) -> None:
    family = type(rule).__module__.split(".")[2]
    assert re.fullmatch(FAMILIES[family] + r"\d\d", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert isinstance(rule.severity, Severity)
    for text in TEXTS:
        value = getattr(rule, text)
        assert value and value == value.strip(), text
        assert not value.startswith("A rule."), text
    if not rule.code.startswith(OWN):  # comments do nothing
        assert bool(rule.error) != bool(rule.symptom), "an example fails, or has a symptom"
    assert bool(rule.events) == (family != "tool")


@EACH
def test_texts_are_sentences(rule: Rule) -> None:
    for text in (rule.summary, rule.what, rule.why, rule.remedy, rule.unknown, rule.verified_by):
        assert text.endswith("."), text


@EACH
def test_polarity_is_stated(rule: Rule) -> None:
    assert not rule.events or re.search(r"\b[Ss]ilent\b", rule.unknown), "when is the rule silent?"


@EACH
def test_module_and_class_are_named_after_the_rule(rule: Rule) -> None:
    assert type(rule).__module__.rpartition(".")[2] == rule.name.replace("-", "_")
    assert type(rule).__name__ == "".join(word.capitalize() for word in rule.name.split("-"))


@EACH
def test_page_shows_everything(rule: Rule) -> None:
    text = page(rule)
    assert text.startswith(f"# {rule.code} {rule.name}\n") and text.endswith(".\n")
    assert text.count("```") % 2 == 0
    for part in TEXTS:
        assert getattr(rule, part) in text
    assert rule.error in text
    assert str(rule.severity) in text


def test_by_code() -> None:
    rule = by_code("jit101")
    assert rule is not None and rule.name == "traced-branch"
    assert by_code("JIT999") is None


def test_every_kind_of_event_has_a_rule() -> None:
    assert {kind for rule in all_rules() for kind in rule.events} == set(EventKind) - {EventKind.SUPPRESSION}


def test_rules_load_neither_jax_nor_libcst() -> None:
    code = "import sys; from jitlint.rules.registry import all_rules; all_rules(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"jax", "numpy", "libcst"} & set(done.stdout.split())
