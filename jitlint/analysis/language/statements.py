"""Simple statements and `if`: what each does, and whether the statement after it can be reached.

One executor per IR class, registered in EXECUTORS at the end of the file; `Interpreter.run` looks each statement up
there and stops at the first that does not go on. loops.py, blocks.py (`try`, `with`), definitions.py (`def`, `class`)
and modules.py (`import`) register theirs.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Final

from jitlint import ir
from jitlint.analysis.arrays.dtypes import dtype_of
from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.language.conditions import evaluate_test
from jitlint.analysis.language.decisions import decide
from jitlint.analysis.language.functions import record_return
from jitlint.analysis.language.mutations import extend_list
from jitlint.analysis.language.names import set_name
from jitlint.analysis.language.narrowing import as_none, asked_elsewhere, asks_for_unknown_type, narrow
from jitlint.analysis.language.operators import binary
from jitlint.analysis.language.patterns import run_match
from jitlint.analysis.language.protocols import call_special_method
from jitlint.analysis.language.subscripts import delete_item
from jitlint.analysis.language.unread_updates import check_unread_rebinding
from jitlint.analysis.machine.escapes import check_counted
from jitlint.analysis.machine.interpreter import EXECUTORS, Interpreter, assign
from jitlint.analysis.machine.options import mark_settings, note_way
from jitlint.analysis.values import (
    NEVER,
    NONE,
    UNKNOWN,
    Const,
    External,
    ExternalInstance,
    Frame,
    Instance,
    List,
    Static,
    Traced,
    Unknown,
    Value,
    may_be_none,
)
from jitlint.analysis.values.joins import alternatives, join, join_if_told_apart, join_offered
from jitlint.analysis.values.object_changes import ObjectWrite
from jitlint.events.assumption import AssumptionKind
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span


def _expression(interp: Interpreter, node: ir.ExprStmt) -> bool:
    """Runs an expression statement."""
    interp.path.statement = node.value
    interp.evaluate(node.value)
    return True


def _assign(interp: Interpreter, node: ir.Assign) -> bool:
    """Runs `a = b = value`."""
    value = interp.evaluate(node.value)
    interp.path.passes_on = interp.world.donates and not isinstance(node.value, (ir.Call, ir.Binary, ir.Const))
    for target in node.targets:
        if isinstance(target, ir.Name) and isinstance(node.value, ir.Call):
            interp.path.repeats = _is_repeated(interp, target.name, node.value, value)
        if isinstance(target, ir.Name) and _makes_dict(node.value) and interp.trace is None:
            mark_settings(target.name, value, interp.module.name)
        assign(interp, target, value)
        interp.path.repeats = False
    interp.path.passes_on = False
    return True


def _makes_dict(node: ir.Expr) -> bool:
    """Whether an expression makes a new dict: `{"lr": 0.1}`, `dict(lr=0.1)`."""
    named = isinstance(node, ir.Call) and isinstance(node.function, ir.Name) and node.function.name == "dict"
    return named or isinstance(node, ir.DictDisplay)


def _is_repeated(interp: Interpreter, name: str, node: ir.Call, value: Value) -> bool:
    """Whether a variable holds what the same call with constant arguments gave, as where a notebook repeats a cell.

    Only variables that functions may read from outside are asked for.
    """
    frame = interp.frame.home
    if frame.parent is not None and not frame.has_closures:
        return False
    constants = interp.unit.state.constants
    text = interp.module.snippet(node.span) if _is_constant(interp, node) else ""
    before = constants.get((frame.serial, name))
    constants[frame.serial, name] = text, value
    return bool(text) and before is not None and before[0] == text and frame.fields.get(name) is before[1]


def _is_constant(interp: Interpreter, node: ir.Expr) -> bool:
    """Whether an expression gives the same whenever it is evaluated: constants, and calls of pure library functions."""
    if not isinstance(node, ir.Call):
        return isinstance(node, ir.Const)
    if not all(_is_constant(interp, each.value) for each in node.arguments):
        return False
    with interp.silenced():
        callee = interp.evaluate(node.function)
    if not isinstance(callee, External):
        return False
    model = interp.models.function(callee.name)
    return model is not None and not model.effect and model.result != "unknown"


def _ann_assign(interp: Interpreter, node: ir.AnnAssign) -> bool:
    """Runs `a: annotation = value`; without a value, nothing happens."""
    if node.value is not None:
        assign(interp, node.target, interp.evaluate(node.value))
    return True


def _aug_assign(interp: Interpreter, node: ir.AugAssign) -> bool:
    """Runs `a += value`. `+=` extends a list in place; anything else is computed and assigned."""
    target = node.target
    old = interp.evaluate(target)
    value = interp.evaluate(node.value)
    if isinstance(old, List) and node.op == "+":
        extend_list(interp, old, value, node.span, interp.module.snippet(target.span))
        return True
    check_unread_rebinding(interp, node, old)
    new = _augmented(interp, node, old, value)
    if not isinstance(target, ir.Name) and _may_change(interp, old):
        with interp.assuming(AssumptionKind.NOT_IN_PLACE, f"`{node.op}=` does not change the old object"):
            assign(interp, target, new)
    else:
        assign(interp, target, new)
    if isinstance(target, ir.Attribute) and isinstance(target.value, ir.Name):
        owner = interp.frame.fields.get(target.value.name)
        if isinstance(owner, Instance) and interp.loops:
            interp.root_run.stepped[owner.serial, target.name] = node.op, interp.path.undecided
        if isinstance(owner, Instance) and _is_number(old) and _is_number(new):
            _note_counted(interp, owner, target.name, node.span)
    if interp.trace is not None and not interp.staging and isinstance(new, (Const, Static)):
        _check_counted(interp, target, node.span)
    return True


def _note_counted(interp: Interpreter, owner: Instance, name: str, span: Span) -> None:
    """Notes that a number is counted on which is an attribute of an object."""
    changes, made = interp.root_run.changes, ObjectWrite(owner, tuple(interp.path.frames), span)
    if interp.trace is not None:
        changes.counted.setdefault((owner.serial, name), made)
    elif class_facts(interp, owner.cls).static_numbers:
        _, count = changes.counted_outside.get((owner.serial, name), (made, 0))
        changes.counted_outside[owner.serial, name] = made, count + 1


def _is_number(value: Value) -> bool:
    """Whether a value is a Python number."""
    return isinstance(value, (Const, Static)) and dtype_of(value) in ("int", "float", "number")


def _augmented(interp: Interpreter, node: ir.AugAssign, old: Value, value: Value) -> Value:
    """The value of `old += value`: what its class says of that, or else what `old + value` gives."""
    if isinstance(old, Instance):
        changed = call_special_method(interp, old, _IN_PLACE[node.op], (value,), node.span)
        if changed is not None:
            return changed
    return binary(interp, node.op, old, value, node.span)


def _may_change(interp: Interpreter, old: Value) -> bool:
    """Whether an augmented assignment may change an object in place: one of which not all is in view."""
    return any(
        type(part) is Unknown
        or isinstance(part, ExternalInstance)
        or (isinstance(part, Instance) and class_facts(interp, part.cls).open)
        for part in alternatives(old)
    )


_IN_PLACE: Final = {
    "+": "__iadd__",
    "-": "__isub__",
    "*": "__imul__",
    "@": "__imatmul__",
    "/": "__itruediv__",
    "//": "__ifloordiv__",
    "%": "__imod__",
    "**": "__ipow__",
    "<<": "__ilshift__",
    ">>": "__irshift__",
    "&": "__iand__",
    "^": "__ixor__",
    "|": "__ior__",
}
"""The special method of each augmented assignment."""


def _check_counted(interp: Interpreter, target: ir.Expr, span: Span) -> None:
    """Asks whether a number that was counted up belongs to an object or variable from outside of a mapped function."""
    name = interp.module.snippet(target.span)
    if isinstance(target, (ir.Attribute, ir.Subscript)) and isinstance(target.value, (ir.Name, ir.Attribute)):
        construct = "attribute" if isinstance(target, ir.Attribute) else "item"
        check_counted(interp, interp.evaluate(target.value), span, construct, name)
    elif isinstance(target, ir.Name) and target.name not in interp.frame.home.fields:
        frame: Frame | None = interp.frame
        while frame is not None and target.name not in frame.fields:
            frame = frame.parent
        if frame is not None:
            check_counted(interp, frame, span, "nonlocal" if frame.parent is not None else "global", name)


def _return(interp: Interpreter, node: ir.Return) -> bool:
    """Runs `return`: the function's result and state so far are recorded, and nothing after it is reached."""
    record_return(interp, NONE if node.value is None else interp.evaluate(node.value))
    return False


def _raise(interp: Interpreter, node: ir.Raise) -> bool:
    """Runs `raise`: nothing after it is reached."""
    for part in (node.value, node.cause):
        if part is not None:
            interp.evaluate(part)
    return False


def _assert(interp: Interpreter, node: ir.Assert) -> bool:
    """Runs `assert`. What follows may rely on the test."""
    decide(interp, evaluate_test(interp, node.test), "assert", node.test.span)
    narrow(interp, node.test, True)
    return True


def _delete(interp: Interpreter, node: ir.Delete) -> bool:
    """Runs `del`. A deleted variable holds Never."""
    for target in node.targets:
        if isinstance(target, ir.Name) and target.name in interp.frame.fields:
            interp.store.set(interp.frame, target.name, NEVER)
        elif isinstance(target, ir.Subscript):
            delete_item(interp, interp.evaluate(target.value), interp.evaluate(target.item), target)
    return True


def _if(interp: Interpreter, node: ir.If) -> bool:
    """Runs `if`: one branch if the test's outcome is known, else both from the same state, which are then joined.

    A test for something that was made before (`if cache is None:`, or a flag that the body clears) is counted in
    `path.guards`: a write below it is the first value of that state, not a change.
    """
    asked = interp.root_run.asked_settings
    test = evaluate_test(interp, node.test)
    chooses = (interp.root_run.asked_settings > asked or _compares_text(node.test)) and not _chooses_backend(
        interp, node
    )
    in_loop = bool(interp.path.loops) and interp.traced(test) is not None
    leaves = in_loop and any(map(_leaves_loop, own_nodes((node.body, node.orelse))))
    known = decide(interp, test, "if", node.test.span, detail={"leaves": "loop"} if leaves else None)
    note_way(interp, test, known, node.test.span, other=_has_other_way(node, known))
    guarded = _is_guard(node.test) or _clears_its_flag(interp, node)
    if known is not None:
        narrow(interp, node.test, known)
        interp.path.guards += guarded
        try:
            return interp.run(node.body if known else node.orelse)
        finally:
            interp.path.guards -= guarded
    failed = _certainly_fails(interp, test)
    frame = interp.frame
    exits = len(frame.exits)
    told_apart = asks_for_unknown_type(interp, node.test)
    not_told_apart = asked_elsewhere(interp, node.test, test)
    with interp.assuming(*not_told_apart) if not_told_apart else nullcontext():
        goes_on = interp.store.branch(
            [
                lambda: _run_branch(interp, node, True, guarded, failed, chooses),
                lambda: _run_branch(interp, node, False, guarded, failed, chooses),
            ],
            join_if_told_apart if told_apart else join_offered if chooses else join,
        )
    if len(frame.exits) > exits:
        frame.told_apart |= told_apart
        if not_told_apart:
            frame.assumed = (*frame.assumed, not_told_apart)
    return goes_on


def _has_other_way(node: ir.If, known: bool | None) -> bool:
    """Whether code runs that does not run now if the test has the other outcome, and does not only raise an error."""
    if known is None:
        return False
    taken, other = (node.body, node.orelse) if known else (node.orelse, node.body)
    if other:
        return not isinstance(other[-1], ir.Raise)
    return bool(taken) and isinstance(taken[-1], (ir.Return, ir.Continue, ir.Break))


def _leaves_loop(node: object) -> bool:
    """Whether a statement leaves the loop around it."""
    return isinstance(node, (ir.Break, ir.Return))


def _run_branch(interp: Interpreter, node: ir.If, outcome: bool, guarded: bool, failed: bool, chooses: bool) -> bool:
    """Runs one branch of an `if` whose outcome is not known, under what the test says of its variables.

    Args:
        interp: runs it.
        node: the `if`.
        outcome: which branch.
        guarded: whether the test asks for what was made before.
        failed: whether tracing has failed at the test.
        chooses: whether a setting decides.
    """
    given_none = _parameter_given_none(interp, node.test, outcome)
    counts = not _asks_whether_main(node.test)
    narrow(interp, node.test, outcome)
    interp.path.guards += guarded
    interp.path.undecided += counts
    interp.path.failed += failed
    before = interp.frame.choices
    if chooses:
        interp.frame.choices = [*before, interp.module.snippet(node.test.span)]
    try:
        with interp.assuming(AssumptionKind.GIVEN_NONE, f"`{given_none}` is None") if given_none else nullcontext():
            return interp.run(node.body if outcome else node.orelse)
    finally:
        interp.path.guards -= guarded
        interp.path.undecided -= counts
        interp.path.failed -= failed
        interp.frame.choices = before


def _parameter_given_none(interp: Interpreter, test: ir.Expr, outcome: bool) -> str:
    """The parameter whose default None was replaced by an unknown value that must be None, too, for this outcome.

    "" if there is none. Who replaces None by something means something else. An argument of a traced function may be
    any pytree, and None is one.
    """
    code = interp.frame.function
    if code is None or not isinstance(test, ir.Compare) or not isinstance(test.first, ir.Name):
        return ""
    name = test.first.name
    value = interp.frame.fields.get(name)
    if as_none(test, test.first, outcome) is not True or not isinstance(value, Value):
        return ""
    if not may_be_none(value) and not (isinstance(value, Traced) and value.tree):
        return ""
    defaults = (parameter.default for parameter in code.parameters if parameter.name == name)
    return name if any(isinstance(default, ir.Const) and default.value is None for default in defaults) else ""


def _asks_whether_main(test: ir.Expr) -> bool:
    """Whether a test is `__name__ == "__main__"`: what stands behind it, a script runs for sure."""
    first = test.first if isinstance(test, ir.Compare) else None
    return isinstance(first, ir.Name) and first.name == "__name__"


def _chooses_backend(interp: Interpreter, node: ir.If) -> bool:
    """Whether a module imports one or the other: the rest of a program fits what it runs with, not all on offer."""
    is_import = (ir.Import, ir.ImportFrom)
    return interp.frame.function is None and any(
        isinstance(each, is_import) for each in own_nodes((node.body, node.orelse))
    )


def _compares_text(test: ir.Expr) -> bool:
    """Whether a test compares with a text, as code does that goes by a setting: `mode == "fast"`."""
    if isinstance(test, ir.BoolOp):
        return _compares_text(test.left) or _compares_text(test.right)
    if not isinstance(test, ir.Compare):
        return False
    return any(isinstance(part, ir.Const) and isinstance(part.value, str) for part in test.rest)


def _certainly_fails(interp: Interpreter, test: Value) -> bool:
    """Whether deciding by a value fails for sure, so that effects in the branches never happen."""
    tracer = interp.traced(test)
    return tracer is test and not tracer.tree and not interp.path.handlers


def _is_guard(test: ir.Expr) -> bool:
    """Whether a test asks if something was made before: `is None`, `not in`, `not x`, `not hasattr(…)`."""
    if isinstance(test, ir.Compare):
        return test.ops[0] in ("is", "not in", "==") and (test.ops[0] == "not in" or _is_none(test.rest[0]))
    if isinstance(test, ir.Unary) and test.op == "not":
        return True
    return isinstance(test, ir.BoolOp) and (_is_guard(test.left) or _is_guard(test.right))


def _clears_its_flag(interp: Interpreter, node: ir.If) -> bool:
    """Whether the body of an `if` sets the flag that it tests to False: `if first: …; first = False` runs it once."""
    if not isinstance(node.test, (ir.Name, ir.Attribute)):
        return False
    return any(
        isinstance(part, ir.Assign)
        and isinstance(part.value, ir.Const)
        and not part.value.value
        and any(_is_same(target, node.test) for target in part.targets)
        for part in interp.world.readings.written_in(node.body).nodes
    )


def _is_same(first: ir.Expr, second: ir.Expr) -> bool:
    """Whether two expressions are the same variable, or the same attribute of one."""
    if isinstance(first, ir.Attribute) and isinstance(second, ir.Attribute):
        return first.name == second.name and _is_same(first.value, second.value)
    return isinstance(first, ir.Name) and isinstance(second, ir.Name) and first.name == second.name


def _is_none(node: ir.Expr) -> bool:
    """Whether an expression is the literal `None`."""
    return isinstance(node, ir.Const) and node.value is None


def _match(interp: Interpreter, node: ir.Match) -> bool:
    """Runs `match` (patterns.py)."""
    return run_match(interp, node)


def _type_alias(interp: Interpreter, node: ir.TypeAliasStmt) -> bool:
    """Runs `type Name = value`."""
    set_name(interp, node.name, UNKNOWN, node.span)
    return True


EXECUTORS.update(
    {
        ir.ExprStmt: _expression,
        ir.Assign: _assign,
        ir.AnnAssign: _ann_assign,
        ir.AugAssign: _aug_assign,
        ir.Return: _return,
        ir.Raise: _raise,
        ir.Assert: _assert,
        ir.Delete: _delete,
        ir.If: _if,
        ir.Match: _match,
        ir.TypeAliasStmt: _type_alias,
    }
)
