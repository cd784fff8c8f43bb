"""Loops: `for`, `while`, `break` and `continue`.

A loop over a few known elements runs once for each. Any other loop runs its body until the state is stable (or
MAX_ROUNDS is reached): each time as a branch that may be taken or not, so that the state after it stands for any number
of rounds. The states at `break` and `continue` are recorded in `Loop`, and joined where they continue.
"""

from __future__ import annotations

from collections.abc import Callable

from jitlint import ir
from jitlint.analysis.arrays.rounds import check_unrolled, loop_element, resized_by_round, stepped_by_round
from jitlint.analysis.language.conditions import evaluate_test
from jitlint.analysis.language.decisions import decide
from jitlint.analysis.language.iteration import exact_elements, is_field, is_name, joined_elements, run_other_code
from jitlint.analysis.language.narrowing import narrow, narrow_to_present
from jitlint.analysis.machine.buffers import another, settle_donations, suppose_taken
from jitlint.analysis.machine.context import Loop
from jitlint.analysis.machine.handed_on import element_held
from jitlint.analysis.machine.interpreter import EXECUTORS, Interpreter, assign
from jitlint.analysis.machine.limits import MAX_ROUNDS, MAX_UNROLL, MAX_UNROLL_ITEMS, MAX_UNROLL_NAMES
from jitlint.analysis.machine.store import Change, Changes
from jitlint.analysis.values import NEVER, UNKNOWN, Const, Value
from jitlint.analysis.values.call_keys import CallKeys
from jitlint.analysis.values.joins import join_all, offered
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span


def _for(interp: Interpreter, node: ir.For) -> bool:
    """Runs a `for` loop. Under a trace, one that records operations in every round is reported as unrolled."""
    iterable = interp.evaluate(node.iterable)
    span = node.iterable.span
    exact = exact_elements(interp, iterable, span, "for")
    element = offered(join_all(exact)) if exact is not None else joined_elements(interp, iterable, span, "for")
    narrow_to_present(interp, node.iterable, iterable)
    if element is NEVER and exact is None:
        element = UNKNOWN

    recorded = interp.unit.recorded
    goes_on = _run_loop(
        interp, span, node.orelse, lambda loop: _for_rounds(interp, loop, node, iterable, exact, element)
    )
    if node.body:
        check_unrolled(interp, iterable, span, "for", node.body[0].span, recorded)
    return goes_on


def _for_rounds(
    interp: Interpreter, loop: Loop, node: ir.For, iterable: Value, exact: list[Value] | None, element: Value
) -> bool:
    """Runs the rounds of a `for`: one for each known element, else with the join of all until the state is stable.

    What is made in a loop whose rounds run different code does not count as made in a loop.
    """
    loop.open_range = (
        isinstance(iterable, Const) and isinstance(iterable.value, range) and _names_parameter(interp, node)
    )
    if exact is not None and run_other_code(exact):
        interp.loops = interp.loops[:-1]
    declares = len(node.body) == 1 and isinstance(node.body[0], ir.ExprStmt)  # `parser.add_argument(name)`
    most = MAX_UNROLL
    if exact is not None and all(map(is_name, exact)):
        most = MAX_UNROLL_NAMES if declares or all(map(is_field, exact)) else MAX_UNROLL_ITEMS
    if exact is not None and len(exact) <= most:
        return all(_for_round(interp, loop, node, element_held(interp, iterable, value)) for value in exact)
    varying = loop_element(iterable, element, loop.identity)

    def round_of_any() -> bool:
        value = another(interp, varying)
        return _for_round(interp, loop, node, element_held(interp, iterable, value))

    return _run_until_stable(interp, loop, node.body, round_of_any)


def _names_parameter(interp: Interpreter, node: ir.For) -> bool:
    """Whether what a loop goes over depends on a parameter of the running function, or on an attribute, as settings
    have them, as the source says.
    """
    frame = interp.function_frame()
    if frame is None or frame.function is None:
        return False
    parameters = {parameter.name for parameter in frame.function.parameters}
    return any(
        isinstance(part, ir.Attribute) or (isinstance(part, ir.Name) and part.name in parameters)
        for part in own_nodes(node.iterable)
    )


def _for_round(interp: Interpreter, loop: Loop, node: ir.For, element: Value) -> bool:
    """Runs one round of a `for` with `element` as its target's value; whether another may follow."""
    return _run_round(interp, loop, lambda: _for_body(interp, node, element))


def _for_body(interp: Interpreter, node: ir.For, element: Value) -> bool:
    """Assigns the target and runs the body; whether its end can be reached."""
    assign(interp, node.target, element)
    return interp.run(node.body)


def _while(interp: Interpreter, node: ir.While) -> bool:
    """Runs a `while` loop."""
    return _run_loop(interp, node.test.span, node.orelse, lambda loop: _while_rounds(interp, loop, node))


def _while_rounds(interp: Interpreter, loop: Loop, node: ir.While) -> bool:
    """Runs the rounds of a `while`: one by one as long as its test is known to be true, then until the state is stable.

    `while True:` (`endless`) goes straight to the second part, and is left by `break` only. Returns whether the loop's
    end can be reached without a `break`.
    """
    outcome = _decide_test(interp, node)
    if outcome is False:
        return True
    endless = outcome is True and isinstance(node.test, ir.Const)
    for _ in range(MAX_UNROLL):
        if endless or outcome is not True:
            break
        if not _while_round(interp, loop, node):
            return False
        outcome = _decide_test(interp, node)
        if outcome is False:
            return True
    goes_on = _run_until_stable(interp, loop, node.body, lambda: _tested_round(interp, loop, node))
    if goes_on and not endless:
        narrow(interp, node.test, False)
    return goes_on and not endless


def _decide_test(interp: Interpreter, node: ir.While) -> bool | None:
    """Python asks for the truth of a `while`'s test: its outcome, None if it is not known."""
    return decide(interp, evaluate_test(interp, node.test), "while", node.test.span)


def _while_round(interp: Interpreter, loop: Loop, node: ir.While) -> bool:
    """Runs one round of a `while`; whether another may follow."""
    return _run_round(interp, loop, lambda: _while_body(interp, node))


def _while_body(interp: Interpreter, node: ir.While) -> bool:
    """Runs the body under what the test says of its variables."""
    narrow(interp, node.test, True)
    return interp.run(node.body)


def _tested_round(interp: Interpreter, loop: Loop, node: ir.While) -> bool:
    """Runs one round of a `while`, and asks for the test again as Python does before the next one."""
    goes_on = _while_round(interp, loop, node)
    if goes_on:
        _decide_test(interp, node)
    return goes_on


def _run_loop(interp: Interpreter, span: Span, orelse: tuple[ir.Stmt, ...], rounds: Callable[[Loop], bool]) -> bool:
    """Runs a loop's rounds, then its `else`; joins the states at its end and at its breaks.

    Args:
        span: the iterable or the test, by which findings name the loop.
        orelse: the body of `else`, which a `break` skips.
        rounds: runs all rounds; whether the loop's end can be reached without a `break`.
    """
    loop = interp.new_loop(span)
    loop.undecided = interp.path.undecided
    outer = interp.loops
    interp.loops = (*outer, loop.identity)
    interp.path.loops.append(loop)
    store = interp.store
    loop.mark = store.mark
    store.open()
    try:
        ends = rounds(loop)
    finally:
        interp.path.loops.pop()
        interp.loops = outer
    if ends and orelse:
        ends = interp.run(orelse)
    if loop.breaks:
        changes = store.rollback()
        store.merge([*loop.breaks, *([changes] if ends else [])])
        return True
    if interp.world.buffers.fields:
        suppose_taken(interp, store.since(loop.mark).values())
    store.commit()
    return ends


def _run_round(interp: Interpreter, loop: Loop, body: Callable[[], bool]) -> bool:
    """Runs a loop's body once and joins the states at its `continue`s; whether another round may follow."""
    store = interp.store
    loop.round_mark = store.mark
    store.open()
    goes_on = body()
    if not loop.continues:
        store.commit()
        return goes_on
    changes = store.rollback()
    store.merge([*loop.continues, *([changes] if goes_on else [])])
    loop.continues = []
    return True


def _run_until_stable(interp: Interpreter, loop: Loop, body: tuple[ir.Stmt, ...], once: Callable[[], bool]) -> bool:
    """Runs a round, any number of times, until the state does not change any more; whether the end can be reached.

    Rounds that follow the first one find what it has made: `if history is None:` holds in the first one only.
    """
    store = interp.store
    done: list[Change] = []

    def rounds() -> bool:
        goes_on = _rounds_until_stable(interp, loop, body, once)
        done[:] = store.since(store.mark - 1).values() if goes_on else []
        return goes_on

    store.branch([lambda: True, rounds])
    settle_donations(interp, done)
    return True


def _rounds_until_stable(interp: Interpreter, loop: Loop, body: tuple[ir.Stmt, ...], once: Callable[[], bool]) -> bool:
    """Runs a first round, and others until these do not change the state any more; whether their end can be reached.

    An array that a round makes longer (`x = jnp.append(x, 0)`) becomes one of another length in each round, and a
    number that each makes another (`dt = 0.8 * dt`) a counter: joining what they are would forget that they differ,
    which is what defeats the compile cache.
    """
    store = interp.store
    growing: list[Change] = []
    stepped = _stepped(body)
    done: list[Change] = []

    def go_on() -> None:
        for target, name, array in growing:
            store.set(target, name, array)
        settle_donations(interp, done)

    def another_round() -> bool:
        return _round_noting_changes(interp, loop, stepped, once, growing, done)

    if not another_round():
        return False
    go_on()
    for _ in range(MAX_ROUNDS):
        mark = store.mark
        store.open()
        store.branch([lambda: True, another_round])
        go_on()
        stable = _is_stable(store.since(mark), store.old_since(mark), interp.unit.keys)
        store.commit()
        if stable:
            break
    return True


def run_rounds(interp: Interpreter, loop: Loop, once: Callable[[], object]) -> None:
    """Runs a comprehension's element as the rounds of a loop: again only if it changes more than its own variables."""
    store = interp.store

    def run_once() -> bool:
        once()
        return True

    store.open()
    once()
    if any(target is not interp.frame for target, _, _ in store.since(store.mark - 1).values()):
        _rounds_until_stable(interp, loop, (), run_once)
    store.commit()


def _round_noting_changes(
    interp: Interpreter,
    loop: Loop,
    stepped: dict[str, str],
    once: Callable[[], bool],
    growing: list[Change],
    done: list[Change],
) -> bool:
    """Runs a round, and puts what differs after each round into `growing`, all its changes into `done`."""
    goes_on = once()
    growing[:] = [*_arrays_that_grow(interp, loop), *_numbers_that_step(interp, loop, stepped)]
    done[:] = interp.store.since(interp.store.mark - 1).values() if goes_on else []
    return goes_on


def _arrays_that_grow(interp: Interpreter, loop: Loop) -> list[Change]:
    """The arrays that the round just run made longer or shorter, as arrays of another length in each round."""
    store = interp.store
    before = store.old_since(store.mark - 1)
    found = []
    for location, (target, name, value) in store.since(store.mark - 1).items():
        array = resized_by_round(interp, before[location][2], value, loop.identity)
        if array is not None:
            found.append((target, name, array))
    return found


def _numbers_that_step(interp: Interpreter, loop: Loop, stepped: dict[str, str]) -> list[Change]:
    """The variables and attributes that the round just run has made another number, as counters of the loop."""
    frame = interp.frame.home
    found: list[Change] = []
    for target, name, after in interp.store.since(interp.store.mark - 1).values():
        op, undecided = interp.root_run.stepped.get((target.serial, name), ("", -1))
        if target.several or undecided != loop.undecided:
            continue
        counter = stepped_by_round(after, name, op, loop.identity)
        if counter is not None:
            found.append((target, name, counter))
    for name, op in stepped.items():
        counter = stepped_by_round(frame.fields.get(name), name, op, loop.identity)
        if counter is not None:
            found.append((frame, name, counter))
    return found


def _stepped(body: tuple[ir.Stmt, ...]) -> dict[str, str]:
    """The variables that each round of a loop computes from themselves, by `+=` or `x = 0.8 * x`, and how.

    What a round does on a condition only may happen a few times in all.
    """
    found = {}
    for node in body:
        if isinstance(node, ir.AugAssign) and isinstance(node.target, ir.Name):
            found[node.target.name] = node.op
        elif isinstance(node, ir.Assign) and len(node.targets) == 1 and isinstance(node.value, ir.Binary):
            target, value = node.targets[0], node.value
            operands = [each.name for each in (value.left, value.right) if isinstance(each, ir.Name)]
            if isinstance(target, ir.Name) and target.name in operands:
                found[target.name] = value.op
    return found


def _is_stable(new: Changes, old: Changes, keys: CallKeys) -> bool:
    """Whether a round left everything as it was, as far as values are told apart."""
    for location, (_, _, value) in new.items():
        before = old[location][2]
        if value is before:
            continue
        if not isinstance(value, Value) or not isinstance(before, Value) or keys.of(value) != keys.of(before):
            return False
    return True


def _break(interp: Interpreter, node: ir.Break) -> bool:
    """Runs `break`: the state goes on after the loop."""
    if interp.path.loops:
        loop = interp.path.loops[-1]
        loop.breaks.append(interp.store.since(loop.mark))
    return False


def _continue(interp: Interpreter, node: ir.Continue) -> bool:
    """Runs `continue`: the state goes on at the end of the round."""
    if interp.path.loops:
        loop = interp.path.loops[-1]
        loop.continues.append(interp.store.since(loop.round_mark))
    return False


EXECUTORS.update(
    {
        ir.While: _while,
        ir.For: _for,
        ir.Break: _break,
        ir.Continue: _continue,
    }
)
