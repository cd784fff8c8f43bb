"""Comprehensions and generator expressions.

A comprehension runs like nested loops, in a frame of its own for its targets. A generator expression runs at once
instead of when something takes from it: its elements are the same, and its events are those of its body.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from jitlint import ir
from jitlint.analysis.arrays.rounds import check_unrolled, loop_element
from jitlint.analysis.language.conditions import evaluate_test
from jitlint.analysis.language.decisions import decide
from jitlint.analysis.language.iteration import exact_elements, is_name, joined_elements, run_other_code
from jitlint.analysis.language.loops import run_rounds
from jitlint.analysis.language.narrowing import narrow
from jitlint.analysis.language.protocols import check_hash
from jitlint.analysis.machine.buffers import another
from jitlint.analysis.machine.handed_on import element_held
from jitlint.analysis.machine.interpreter import EVALUATORS, Interpreter, assign
from jitlint.analysis.machine.limits import MAX_UNROLL, MAX_UNROLL_NAMES, MAX_UNROLL_TOGETHER
from jitlint.analysis.values import (
    MAX_SIZE,
    NEVER,
    Const,
    Dict,
    Frame,
    Iterator,
    List,
    Sequence,
    Tuple,
    Value,
)
from jitlint.analysis.values.joins import join, join_all, tuple_of
from jitlint.analysis.values.keys import constant_key


def run_clauses(
    interp: Interpreter,
    clauses: tuple[ir.Clause, ...],
    body: Callable[[bool], None],
    times: int = 1,
    *,
    certain: bool = True,
) -> None:
    """Runs a comprehension's body under its clauses: `for x in a if test for y in b …`.

    Args:
        interp: runs the code.
        clauses: the clauses.
        body: evaluates the element. It gets whether it runs exactly once for an element of the result. It does not
            where a clause has an unknown number of elements, or a test an unknown outcome.
        times: how often the clauses around these run them.
        certain: whether each of these runs is exactly one.
    """
    if not clauses:
        interp.spend(1)
        body(certain)
        return
    clause, rest = clauses[0], clauses[1:]
    iterable = interp.evaluate(clause.iterable)
    exact = exact_elements(interp, iterable, clause.iterable.span, "for")
    one_by_one = exact is not None and _runs_one_by_one(exact, times)
    if exact is not None:
        elements = exact if one_by_one else [join_all(exact)]
    else:
        elements = [joined_elements(interp, iterable, clause.iterable.span, "for")]
    outer = interp.loops
    loop = interp.new_loop(clause.iterable.span)
    if exact is None or not run_other_code(exact):
        interp.loops = (*outer, loop.identity)
        elements = elements if one_by_one else [loop_element(iterable, elements[0], loop.identity)]
    recorded = interp.unit.recorded

    def run_element(element: Value) -> None:
        assign(interp, clause.target, element, local=True)
        outcomes = []
        for test in clause.tests:
            known = decide(interp, evaluate_test(interp, test), "comprehension", test.span)
            outcomes.append(known)
            if known is False:
                break
            narrow(interp, test, True)
        if False not in outcomes or not one_by_one:
            exactly = certain and one_by_one and None not in outcomes
            run_clauses(interp, rest, body, times * len(elements), certain=exactly)

    try:
        if one_by_one:
            for element in elements:
                run_element(element_held(interp, iterable, element))
        else:
            varying = elements[0]
            run_rounds(interp, loop, lambda: run_element(element_held(interp, iterable, another(interp, varying))))
    finally:
        interp.loops = outer
    check_unrolled(interp, iterable, clause.iterable.span, "comprehension", clause.span, recorded)


def _runs_one_by_one(elements: list[Value], times: int) -> bool:
    """Whether a clause runs element by element, if the clauses around it run it so many times."""
    most = MAX_UNROLL_NAMES if all(map(is_name, elements)) else MAX_UNROLL
    return len(elements) <= most and times * len(elements) <= MAX_UNROLL_TOGETHER


class _Element(NamedTuple):
    """What one run of a comprehension's body gives."""

    key: Value
    """Never if it makes no dict."""
    item: Value
    certain: bool
    """Whether it is exactly one element of the result."""


def _comprehension(interp: Interpreter, node: ir.Comprehension) -> Value:
    """The value of a comprehension."""
    outer = interp.frame
    interp.frame = Frame(outer.module, None, outer, interp.depth, interp.loops)
    elements: list[_Element] = []
    try:
        run_clauses(interp, node.clauses, lambda certain: elements.append(_evaluate_element(interp, node, certain)))
    finally:
        interp.frame = outer
    return _make_dict(interp, node, elements) if node.kind == "dict" else _make_result(interp, node, elements)


def _evaluate_element(interp: Interpreter, node: ir.Comprehension, certain: bool) -> _Element:
    """Evaluates the element (and a dict's key) once."""
    key: Value = NEVER
    if node.key is not None:
        key = interp.evaluate(node.key)
        check_hash(interp, key, node.key, "dict")
    item = interp.evaluate(node.element)
    if node.kind == "set":
        check_hash(interp, item, node.element, "set")
    return _Element(key, item, certain)


def _make_dict(interp: Interpreter, node: ir.Comprehension, elements: list[_Element]) -> Dict:
    """The dict of some elements. What is not certainly one of its entries is in its rest."""
    result = Dict({}, NEVER, interp.depth, interp.loops, interp.site(node.span))
    uncertain = [element for element in elements if not element.certain or len(elements) >= MAX_SIZE]
    for key, item, certain in elements:
        name = constant_key(key) if certain and len(elements) < MAX_SIZE else None
        if name is None:
            result.fields["rest"] = join(result.rest, item)
            result.fields["keys"] = join(result.unknown_keys, key)
        else:
            result.entries[name[0]] = item
    result.maybe = _by_text(uncertain) if uncertain else None
    return result


def _by_text(elements: list[_Element]) -> dict[str, Value] | None:
    """What a dict may hold under its keys; None if these are not all known texts."""
    found: dict[str, Value] = {}
    for key, item, _ in elements:
        if not isinstance(key, Const) or not isinstance(key.value, str):
            return None
        found[key.value] = join(found[key.value], item) if key.value in found else item
    return found if len(found) < MAX_SIZE else None


def _make_result(interp: Interpreter, node: ir.Comprehension, elements: list[_Element]) -> Value:
    """The list, set or generator of some elements; if not all are certain, their number is not known."""
    site, items = interp.site(node.span), [element.item for element in elements]
    exact = all(element.certain for element in elements)
    content = tuple_of(items) if exact else Sequence("tuple", join_all(items))
    if node.kind == "generator":
        known = content.elements if isinstance(content, Tuple) else None
        return Iterator("generator", join_all(items), interp.depth, interp.loops, site, known)
    return List(node.kind, content, interp.depth, interp.loops, site)


EVALUATORS[ir.Comprehension] = _comprehension
