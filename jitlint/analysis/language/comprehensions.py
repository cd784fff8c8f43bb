"""Comprehensions and generator expressions."""

from __future__ import annotations

from collections.abc import Callable

from jitlint import ir
from jitlint.analysis.arrays.rounds import check_unrolled, loop_element
from jitlint.analysis.language.conditions import tested
from jitlint.analysis.language.decisions import decide
from jitlint.analysis.language.hashing import check_hash
from jitlint.analysis.language.iteration import elements_of, exact_elements, has_callables
from jitlint.analysis.language.narrowing import narrow
from jitlint.analysis.machine.interpreter import EVALUATORS, Interpreter, assign
from jitlint.analysis.machine.limits import MAX_UNROLL
from jitlint.analysis.values import NEVER, Dict, Frame, Iterator, List, Sequence, Tuple, Value
from jitlint.analysis.values.joins import join, join_all
from jitlint.analysis.values.keys import constant_key


def run_clauses(interp: Interpreter, clauses: tuple[ir.Clause, ...], body: Callable[[], None]) -> bool:
    """Runs a comprehension's body for its clauses; whether it ran exactly once per element of the result."""
    if not clauses:
        body()
        return True
    clause, rest = clauses[0], clauses[1:]
    iterable = interp.evaluate(clause.iterable)
    exact = exact_elements(interp, iterable, clause.iterable.span, "for")
    is_exact = exact is not None and len(exact) <= MAX_UNROLL
    if exact is not None:
        elements = exact if is_exact else [join_all(exact)]
    else:
        elements = [elements_of(interp, iterable, clause.iterable.span, "for")]
    outer = interp.loops
    if exact is None or not has_callables(exact):
        loop = interp.new_loop(clause.iterable.span).identity
        interp.loops = (*outer, loop)
        elements = elements if is_exact else [loop_element(iterable, elements[0], loop)]
    recorded = interp.unit.recorded
    try:
        for element in elements:
            assign(interp, clause.target, element, local=True)
            outcomes = []
            for test in clause.tests:
                known = decide(interp, tested(interp, test), "comprehension", test.span)
                outcomes.append(known)
                if known is False:
                    break
                narrow(interp, test, True)
            if False in outcomes and is_exact:
                continue
            is_exact = is_exact and None not in outcomes
            is_exact = run_clauses(interp, rest, body) and is_exact
    finally:
        interp.loops = outer
    check_unrolled(interp, iterable, clause.iterable.span, "comprehension", clause.span, recorded)
    return is_exact


def _comprehension(interp: Interpreter, node: ir.Comprehension) -> Value:
    outer = interp.frame
    interp.frame = Frame(outer.module, None, outer, interp.depth, interp.loops)
    items: list[Value] = []
    keys: list[Value] = []
    try:
        exact = run_clauses(interp, node.clauses, lambda: _collect(interp, node, items, keys))
    finally:
        interp.frame = outer
    return _collected(interp, node, items, keys, exact)


def _collect(interp: Interpreter, node: ir.Comprehension, items: list[Value], keys: list[Value]) -> None:
    if node.key is not None:
        key = interp.evaluate(node.key)
        check_hash(interp, key, node.key, "dict")
        keys.append(key)
    items.append(interp.evaluate(node.element))
    if node.kind == "set":
        check_hash(interp, items[-1], node.element, "set")


def _collected(
    interp: Interpreter, node: ir.Comprehension, items: list[Value], keys: list[Value], exact: bool
) -> Value:
    site = interp.site(node.span)
    if node.kind == "dict":
        result = Dict({}, NEVER, interp.depth, interp.loops, site)
        for key, item in zip(keys, items, strict=True):
            name = constant_key(key) if exact else None
            if name is None:
                result.fields["rest"] = join(result.rest, item)
                result.fields["keys"] = join(result.unknown_keys, key)
            else:
                result.entries[name[0]] = item
        return result
    content: Tuple | Sequence = Tuple(tuple(items)) if exact else Sequence("tuple", join_all(items))
    if node.kind == "generator":
        known = content.elements if isinstance(content, Tuple) else None
        return Iterator("generator", join_all(items), interp.depth, interp.loops, site, known)
    return List(node.kind, content, interp.depth, interp.loops, site)


EVALUATORS[ir.Comprehension] = _comprehension
