"""`match`: which cases may match, and what their patterns bind.

Asking (`matches`) and binding (`bind_pattern`) are separate: all cases are asked first, then those that may match run
as branches, each of which binds its own names.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections import deque
from collections.abc import Callable

from jitlint import ir
from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.language.conditions import evaluate_test
from jitlint.analysis.language.decisions import decide, truth
from jitlint.analysis.language.iteration import joined_elements, unpack
from jitlint.analysis.language.names import set_name
from jitlint.analysis.language.operators import compare
from jitlint.analysis.language.type_tests import instance_of
from jitlint.analysis.machine.interpreter import Interpreter, get_attribute
from jitlint.analysis.machine.options import note_asked, note_way, option_of
from jitlint.analysis.values import (
    NEVER,
    UNKNOWN,
    Array,
    Const,
    Dict,
    Instance,
    List,
    Sequence,
    Static,
    Traced,
    Tuple,
    Value,
    is_none,
)
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import join, join_offered
from jitlint.source.places import Span


def run_match(interp: Interpreter, node: ir.Match) -> bool:
    """Runs a match statement: every case that may match, from the same state; then joins their states."""
    subject = interp.evaluate(node.subject)
    note_way(interp, subject, True if isinstance(subject, Const) else None, node.subject.span)
    runs: list[Callable[[], bool]] = []
    exhausted = failed = False
    for case in node.cases:
        with interp.silenced() if failed else contextlib.nullcontext():
            outcome = matches(interp, case.pattern, subject, node.subject.span)
        # The first comparison with a tracer fails: Python gets to no other.
        failed = failed or (_compares(case.pattern) and interp.traced(subject) is not None)
        if outcome is False:
            continue
        runs.append(functools.partial(_run_case, interp, case, subject))
        if outcome is True and case.guard is None:
            exhausted = True
            break
    if not exhausted:
        runs.append(lambda: True)
    return interp.store.branch(runs, join_offered if any(_is_setting(case.pattern) for case in node.cases) else join)


def _compares(pattern: ir.Pattern) -> bool:
    """Whether a pattern compares the subject itself with a value."""
    if isinstance(pattern, ir.OrPattern):
        return any(map(_compares, pattern.patterns))
    return isinstance(pattern, ir.ValuePattern)


def _is_setting(pattern: ir.Pattern) -> bool:
    """Whether a pattern compares with a text, as code does that goes by a setting: `case "fast":`."""
    return (
        isinstance(pattern, ir.ValuePattern)
        and isinstance(pattern.value, ir.Const)
        and isinstance(pattern.value.value, str)
    )


def _run_case(interp: Interpreter, case: ir.Case, subject: Value) -> bool:
    """Binds a case's names, asks for its guard, runs its body. Whether the code after `match` can be reached."""
    bind_pattern(interp, case.pattern, subject)
    if case.guard is not None and decide(interp, evaluate_test(interp, case.guard), "match", case.guard.span) is False:
        return True
    before = interp.frame.choices
    if _is_setting(case.pattern):
        interp.frame.choices = [*before, interp.module.snippet(case.pattern.span)]
    try:
        return interp.run(case.body)
    finally:
        interp.frame.choices = before


def matches(interp: Interpreter, pattern: ir.Pattern, subject: Value, of: Span | None = None) -> bool | None:
    """Whether a pattern matches; None if it is not known. An event if a traced value decides it.

    Patterns for values compare (`case 0:`), those for structure look at the type (`case [x, y]:`), which tracers allow.

    Args:
        of: where the subject is written; None for a part of it.
    """
    if isinstance(pattern, ir.ValuePattern):
        value = interp.evaluate(pattern.value)
        op = "is" if isinstance(pattern.value, ir.Const) and pattern.value.value in (None, True, False) else "=="
        if op == "is" and not isinstance(pattern.value.value, (bool, type(None))):  # type: ignore[union-attr]
            op = "=="
        option = option_of(interp, subject)
        if option is not None:
            note_asked(interp, option, (value,))
        result = compare(interp, op, subject, value, pattern.span)
        decide(interp, result, "match", pattern.span, of)
        return truth(interp, result)
    if isinstance(pattern, ir.CapturePattern):
        return True if pattern.pattern is None else matches(interp, pattern.pattern, subject, of)
    if isinstance(pattern, ir.OrPattern):
        outcomes = [matches(interp, option, subject, of) for option in pattern.patterns]
        return True if True in outcomes else (None if None in outcomes else False)
    if isinstance(pattern, ir.SequencePattern):
        return _matches_sequence(interp, pattern, subject)
    if isinstance(pattern, ir.MappingPattern):
        return _matches_mapping(interp, pattern, subject)
    return _matches_class(interp, pattern, subject) if isinstance(pattern, ir.ClassPattern) else None


def _all_match(outcomes: list[bool | None]) -> bool | None:
    """Whether all parts match: False if one does not, None if one is not known."""
    return False if False in outcomes else (None if None in outcomes else True)


def _matches_mapping(interp: Interpreter, pattern: ir.MappingPattern, subject: Value) -> bool | None:
    """Whether `{key: pattern}` matches."""
    if isinstance(subject, Instance):
        return None if class_facts(interp, subject.cls).externals else False
    if not isinstance(subject, Dict):
        tree = isinstance(subject, Traced) and subject.tree
        return False if isinstance(subject, (Const, Static, Tuple, List, Sequence, Array)) and not tree else None
    entries: dict[object, Value] = subject.entries
    outcomes: list[bool | None] = []
    for key, part in pattern.items:
        if isinstance(key, ir.Const) and key.value in entries:
            outcomes.append(matches(interp, part, entries[key.value]))
        else:
            outcomes.append(False if isinstance(key, ir.Const) and subject.rest is NEVER else None)
    return _all_match(outcomes)


def _matches_class(interp: Interpreter, pattern: ir.ClassPattern, subject: Value) -> bool | None:
    """Whether `Class(pattern, name=pattern)` matches.

    Patterns by position ask for `__match_args__`, which is not followed; only `int(x)` and its like take the value
    itself.
    """
    is_instance = instance_of(interp, subject, interp.evaluate(pattern.cls))
    if is_instance is not True:
        return is_instance
    named = [matches(interp, part, get_attribute(interp, subject, n, pattern.span)) for n, part in pattern.keywords]
    single = pattern.patterns[:1] if isinstance(subject, (Const, Static, Array)) else ()
    placed = [matches(interp, part, subject) for part in single]
    return _all_match([*named, *placed, *(None for _ in pattern.patterns[len(single) :])])


def _matches_sequence(interp: Interpreter, pattern: ir.SequencePattern, subject: Value) -> bool | None:
    """Whether `[a, *b]` matches. A tracer is no sequence to `match`."""
    content = content_of(subject)
    starred = any(isinstance(part, ir.StarPattern) for part in pattern.patterns)
    if isinstance(content, Traced) and not content.tree:
        return False
    if isinstance(content, (Dict, Const, Static, Instance)):
        return False
    if not isinstance(content, Tuple):
        return None
    extra = len(content.elements) - len(pattern.patterns) + starred
    if extra < 0 or (extra and not starred):
        return False
    outcomes: list[bool | None] = []
    left = iter(content.elements)
    for part in pattern.patterns:
        if isinstance(part, ir.StarPattern):
            deque(itertools.islice(left, extra), maxlen=0)
        else:
            outcomes.append(matches(interp, part, next(left)))
    return _all_match(outcomes)


def bind_pattern(interp: Interpreter, pattern: ir.Pattern, subject: Value) -> None:
    """Binds the names of a pattern that matched."""
    if isinstance(pattern, ir.CapturePattern):
        if pattern.pattern is not None:
            bind_pattern(interp, pattern.pattern, subject)
        if pattern.name is not None:
            set_name(interp, pattern.name, subject, pattern.span)
    elif isinstance(pattern, ir.OrPattern):
        for option in pattern.patterns:
            bind_pattern(interp, option, subject)
    elif isinstance(pattern, ir.SequencePattern):
        starred = next((i for i, p in enumerate(pattern.patterns) if isinstance(p, ir.StarPattern)), None)
        values = unpack(interp, subject, len(pattern.patterns), starred, pattern.span)
        for part, value in zip(pattern.patterns, values, strict=True):
            bind_pattern(interp, part, value)
    elif isinstance(pattern, ir.StarPattern):
        if pattern.name is not None:
            set_name(interp, pattern.name, subject, pattern.span)
    elif isinstance(pattern, ir.MappingPattern):
        _bind_mapping(interp, pattern, subject)
    elif isinstance(pattern, ir.ClassPattern):
        _bind_class(interp, pattern, subject)


def _bind_mapping(interp: Interpreter, pattern: ir.MappingPattern, subject: Value) -> None:
    """Binds the names in `{key: pattern, **rest}`."""
    for key, part in pattern.items:
        value: Value = UNKNOWN
        if isinstance(subject, Dict) and isinstance(key, ir.Const):
            value = subject.entries.get(key.value, subject.rest)
        elif isinstance(subject, Traced):
            value = subject.element_tracer()
        bind_pattern(interp, part, UNKNOWN if value is NEVER else value)
    if pattern.rest is not None:
        set_name(interp, pattern.rest, subject if isinstance(subject, Dict) else UNKNOWN, pattern.span)


def _bind_class(interp: Interpreter, pattern: ir.ClassPattern, subject: Value) -> None:
    """Binds the names in `Class(pattern, name=pattern)`."""
    interp.evaluate(pattern.cls)
    for name, part in pattern.keywords:
        bind_pattern(interp, part, get_attribute(interp, subject, name, pattern.span))
    for i, part in enumerate(pattern.patterns):
        value: Value = UNKNOWN
        if isinstance(subject, Tuple) and i < len(subject.elements):
            value = subject.elements[i]
        elif isinstance(subject, Sequence):
            value = joined_elements(interp, subject, pattern.span, "match")
        elif len(pattern.patterns) == 1:
            value = subject
        bind_pattern(interp, part, UNKNOWN if is_none(value) else value)
