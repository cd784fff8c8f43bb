"""Comprehensions and generator expressions.

A comprehension runs like nested loops, in a frame of its own for its targets. A generator expression runs at once
instead of when something takes from it: its elements are the same, and its events are those of its body.
"""

from __future__ import annotations

from collections.abc import Callable

from jitlint import ir
from jitlint.analysis.arrays.rounds import check_unrolled, loop_element
from jitlint.analysis.language.conditions import evaluate_test
from jitlint.analysis.language.decisions import decide
from jitlint.analysis.language.iteration import exact_elements, has_callables, joined_elements
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
    ExternalInstance,
    Frame,
    Iterator,
    List,
    Sequence,
    Tuple,
    Value,
)
from jitlint.analysis.values.joins import join, join_all, tuple_of
from jitlint.analysis.values.keys import constant_key


def run_clauses(interp: Interpreter, clauses: tuple[ir.Clause, ...], body: Callable[[], None], times: int = 1) -> bool:
    """Runs a comprehension's body under its clauses: `for x in a if test for y in b …`.

    `times` is how often the clauses around these run them. Returns whether the body ran exactly once for each element
    of the result. It did not where a clause has an unknown number of elements, or a test an unknown outcome.
    """
    if not clauses:
        interp.spend(1)
        body()
        return True
    clause, rest = clauses[0], clauses[1:]
    iterable = interp.evaluate(clause.iterable)
    exact = exact_elements(interp, iterable, clause.iterable.span, "for")
    most = MAX_UNROLL_NAMES if exact is not None and all(map(_is_name, exact)) else MAX_UNROLL
    one_by_one = exact is not None and len(exact) <= most and times * len(exact) <= MAX_UNROLL_TOGETHER
    is_exact = one_by_one
    if exact is not None:
        elements = exact if one_by_one else [join_all(exact)]
    else:
        elements = [joined_elements(interp, iterable, clause.iterable.span, "for")]
    outer = interp.loops
    loop = interp.new_loop(clause.iterable.span)
    if exact is None or not has_callables(exact):
        interp.loops = (*outer, loop.identity)
        elements = elements if one_by_one else [loop_element(iterable, elements[0], loop.identity)]
    recorded = interp.unit.recorded

    def run_element(element: Value) -> bool:
        assign(interp, clause.target, element, local=True)
        outcomes = []
        for test in clause.tests:
            known = decide(interp, evaluate_test(interp, test), "comprehension", test.span)
            outcomes.append(known)
            if known is False:
                break
            narrow(interp, test, True)
        if False in outcomes and one_by_one:
            return True
        return run_clauses(interp, rest, body, times * len(elements)) and None not in outcomes

    try:
        if one_by_one:
            for element in elements:
                is_exact = run_element(element) and is_exact
        else:
            varying = elements[0]
            run_rounds(interp, loop, lambda: run_element(element_held(interp, iterable, another(interp, varying))))
    finally:
        interp.loops = outer
    check_unrolled(interp, iterable, clause.iterable.span, "comprehension", clause.span, recorded)
    return is_exact


def _is_name(value: Value) -> bool:
    """Whether a value is a name, an item of a dict with a name for its key, or a field of a dataclass."""
    if isinstance(value, Tuple) and len(value.elements) == 2:
        value = value.elements[0]
    field = isinstance(value, ExternalInstance) and value.of == "dataclasses.Field"
    return field or (isinstance(value, Const) and isinstance(value.value, str))


def _comprehension(interp: Interpreter, node: ir.Comprehension) -> Value:
    """The value of a comprehension."""
    outer = interp.frame
    interp.frame = Frame(outer.module, None, outer, interp.depth, interp.loops)
    items: list[Value] = []
    keys: list[Value] = []
    try:
        exact = run_clauses(interp, node.clauses, lambda: _evaluate_element(interp, node, items, keys))
    finally:
        interp.frame = outer
    return _make_result(interp, node, items, keys, exact)


def _evaluate_element(interp: Interpreter, node: ir.Comprehension, items: list[Value], keys: list[Value]) -> None:
    """Evaluates the element (and a dict's key) once, and adds the values to `items` and `keys`."""
    if node.key is not None:
        key = interp.evaluate(node.key)
        check_hash(interp, key, node.key, "dict")
        keys.append(key)
    items.append(interp.evaluate(node.element))
    if node.kind == "set":
        check_hash(interp, items[-1], node.element, "set")


def _by_text(keys: list[Value], items: list[Value]) -> dict[str, Value] | None:
    """What a dict may hold under its keys; None if these are not all known texts."""
    found: dict[str, Value] = {}
    for key, item in zip(keys, items, strict=True):
        if not isinstance(key, Const) or not isinstance(key.value, str):
            return None
        found[key.value] = join(found[key.value], item) if key.value in found else item
    return found if len(found) < MAX_SIZE else None


def _make_result(
    interp: Interpreter, node: ir.Comprehension, items: list[Value], keys: list[Value], exact: bool
) -> Value:
    """The list, set, dict or generator that the collected elements make.

    Args:
        exact: whether `items` are its elements one by one; otherwise their number is not known.
    """
    site = interp.site(node.span)
    if node.kind == "dict":
        result = Dict({}, NEVER, interp.depth, interp.loops, site)
        exact = exact and len(items) < MAX_SIZE
        for key, item in zip(keys, items, strict=True):
            name = constant_key(key) if exact else None
            if name is None:
                result.fields["rest"] = join(result.rest, item)
                result.fields["keys"] = join(result.unknown_keys, key)
            else:
                result.entries[name[0]] = item
        result.maybe = None if exact else _by_text(keys, items)
        return result
    content = tuple_of(items) if exact else Sequence("tuple", join_all(items))
    if node.kind == "generator":
        known = content.elements if isinstance(content, Tuple) else None
        return Iterator("generator", join_all(items), interp.depth, interp.loops, site, known)
    return List(node.kind, content, interp.depth, interp.loops, site)


EVALUATORS[ir.Comprehension] = _comprehension
