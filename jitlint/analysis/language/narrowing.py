"""Narrowing: what the outcome of a test says of the variables in it.

After `if x is not None:`, `x` is no longer None in the branch. Of a value with several alternatives, those are left for
which the test can have that outcome: the test is evaluated once more for each, silently. A pytree of unknown structure
becomes an array or a container by what is asked of it (`isinstance(x, jax.Array)`, `hasattr(x, "shape")`), and an array
gets the rank that it is tested for (`x.ndim == 2`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

from jitlint import ir
from jitlint.analysis.language.classes import class_attribute, class_facts
from jitlint.analysis.language.decisions import truth
from jitlint.analysis.language.guessed_classes import as_read
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    NONE,
    PRESENT,
    STR,
    UNKNOWN,
    Class,
    Const,
    External,
    Frame,
    Function,
    HeapObject,
    Instance,
    OneOfArguments,
    Present,
    Sequence,
    Traced,
    Tuple,
    Union,
    Unknown,
    UnknownArgument,
    Value,
)
from jitlint.analysis.values.base import is_none
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import alternatives, offered_like
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.ir.named_tests import named_tests
from jitlint.ir.own_nodes import own_nodes

MAX_NARROWED: Final = 3
"""How many variables with several alternatives one test narrows: each costs an evaluation per alternative."""

MAX_TESTED = 64
"""How many operands, and how many variables, of one test are looked at."""


def narrow(interp: Interpreter, test: ir.Expr, outcome: bool) -> None:
    """Narrows the variables of a test to what they are if it has that outcome. Call it within the branch."""
    if isinstance(test, ir.Unary) and test.op == "not":
        narrow(interp, test.operand, not outcome)
        return
    if isinstance(test, ir.BoolOp) and outcome is (test.op == "and"):
        for operand in _operands(test):
            narrow(interp, operand, outcome)
        return
    if isinstance(test, ir.Name) and (named := _named_test(interp, test)) is not None:
        narrow(interp, named, outcome)
        return
    _narrow_rank(interp, test, outcome)
    narrowed = 0
    variables = interp.world.readings.tested_paths.get(id(test))
    if variables is None:
        variables = interp.world.readings.tested_paths[id(test)] = tuple(
            itertools.islice(_tested_variables(test), MAX_TESTED)
        )
    for node in variables:
        found = find_variable(interp, node)
        if found is None:
            continue
        target, key, value = found
        if isinstance(value, Const) and value.option in interp.root_run.open_options:
            value = as_read(interp, value)
        if isinstance(value, Union) and narrowed < MAX_NARROWED:
            narrowed += 1
            possible = [
                part for part in value.alternatives if _outcome_if(interp, test, target, key, part) is not (not outcome)
            ]
            parts = [_narrow_pytree(interp, test, node, part, outcome) for part in possible or value.alternatives]
            _narrow_all(interp, target, key, offered_like(value, parts))
        elif isinstance(value, Traced) and value.tree:
            interp.store.narrow(target, key, _narrow_pytree(interp, test, node, value, outcome))
        elif isinstance(value, Unknown) and (absent := as_none(test, node, outcome)) is not None:
            _narrow_all(interp, target, key, NONE if absent else _present(value))
        elif outcome and isinstance(value, Instance) and _is_of_another_class(interp, test, node, value):
            interp.store.narrow(target, key, UNKNOWN)
        elif outcome and isinstance(value, Traced) and _asks_for_own_class(interp, test, node):
            interp.store.narrow(target, key, UNKNOWN)  # whatever it is here, it is no tracer


def _named_test(interp: Interpreter, name: ir.Name) -> ir.Expr | None:
    """The test whose outcome a variable is: `grid is not None` of `if has_grid`; None if it is no such variable."""
    frame = interp.frame
    while name.name not in frame.fields and frame.parent is not None and frame.function is not None:
        frame = frame.parent
    if frame.function is None:
        return None
    known = interp.world.readings.named_tests.get(id(frame.function))
    if known is None:
        known = named_tests(interp.project.body(frame.function))
        interp.world.readings.named_tests[id(frame.function)] = known
    test = known.get(name.name)
    if test is None or frame is interp.frame:
        return test
    inner = {part.name for part in own_nodes(test) if isinstance(part, ir.Name)}
    return None if inner & interp.frame.fields.keys() else test


def _narrow_rank(interp: Interpreter, test: ir.Expr, outcome: bool) -> None:
    """Gives an array the rank that `x.ndim == 2` or `len(x.shape) == 2` tells, if it is not known."""
    if not isinstance(test, ir.Compare) or len(test.ops) > 1 or test.ops[0] != ("==" if outcome else "!="):
        return
    asked, number = test.first, test.rest[0]
    if not isinstance(number, ir.Const) or type(number.value) is not int or number.value < 0:
        return
    counts = isinstance(asked, ir.Call) and isinstance(asked.function, ir.Name) and asked.function.name == "len"
    if isinstance(asked, ir.Call) and counts and len(asked.arguments) == 1:
        asked = asked.arguments[0].value
    if not isinstance(asked, ir.Attribute) or asked.name != ("shape" if counts else "ndim"):
        return
    found = find_variable(interp, asked.value)
    if found is None:
        return
    target, key, value = found
    if isinstance(value, Traced) and not value.tree and value.rank is None:
        interp.store.narrow(target, key, value.replace(rank=number.value))


def as_none(test: ir.Expr, variable: ir.Expr, outcome: bool) -> bool | None:
    """Whether a variable is None if a test has that outcome; None if the test does not ask for that."""
    if not isinstance(test, ir.Compare) or test.first is not variable or len(test.ops) > 1:
        return None
    asked = test.rest[0]
    if test.ops[0] not in ("is", "is not") or not isinstance(asked, ir.Const) or asked.value is not None:
        return None
    return outcome is (test.ops[0] == "is")


def _present(value: Unknown) -> Value:
    """An unknown value that is not None; those of which the identity counts stay as they are."""
    if isinstance(value, UnknownArgument):
        return UnknownArgument(value.used, present=True)
    if isinstance(value, OneOfArguments):
        return OneOfArguments(value.parts, present=True)
    if value is UNKNOWN:
        return PRESENT
    return Present() if type(value) is Unknown else value


def _narrow_all(interp: Interpreter, target: HeapObject, key: str, value: Value) -> None:
    """Narrows a variable to `value`, and those of the running function that are the same object: `chosen = given`."""
    old = target.fields.get(key)
    interp.store.narrow(target, key, value)
    code = interp.frame.function
    if target is not interp.frame or code is None:
        return
    aliases = interp.world.readings.aliases.get(id(code))
    if aliases is None:
        aliases = interp.world.readings.aliases[id(code)] = _aliases(interp.project.body(code))
    for pair in aliases:
        other = pair[1] if pair[0] == key else pair[0]
        if key in pair and target.fields.get(other) is old:
            interp.store.narrow(target, other, value)


def _aliases(body: tuple[ir.Stmt, ...]) -> tuple[tuple[str, str], ...]:
    """The pairs of variables of which a body assigns one to the other: `chosen = given`."""
    return tuple(
        (target.name, node.value.name)
        for node in own_nodes(body)
        if isinstance(node, ir.Assign) and isinstance(node.value, ir.Name)
        for target in node.targets
        if isinstance(target, ir.Name)
    )


def _operands(test: ir.BoolOp) -> list[ir.Expr]:
    """The operands of `a and b and c`, or of a chain of `or`; of a long chain the last MAX_TESTED.

    Each operand runs under what those before it say: with all of them, the time would grow with the square.
    """
    found: list[ir.Expr] = []
    node: ir.Expr = test
    while isinstance(node, ir.BoolOp) and node.op == test.op and len(found) < MAX_TESTED:
        found.append(node.right)
        node = node.left
    if len(found) < MAX_TESTED:
        found.append(node)
    return found[::-1]


def _tested_variables(node: ir.Expr) -> Iterator[ir.Name | ir.Attribute]:
    """The variables, and attributes of variables, that a test asks about directly or as the first argument of a call.

    `x` and `self.y` in `x is None and isinstance(self.y, int)`.
    """
    if isinstance(node, (ir.Name, ir.Attribute)):
        yield node
    elif isinstance(node, ir.NamedExpr):
        yield from _tested_variables(node.target)
    elif isinstance(node, ir.Unary):
        yield from _tested_variables(node.operand)
    elif isinstance(node, ir.BoolOp):
        yield from _tested_variables(node.left)
        yield from _tested_variables(node.right)
    elif isinstance(node, ir.Compare):
        yield from _tested_variables(node.first)
        for other in node.rest:
            yield from _tested_variables(other)
    elif isinstance(node, ir.Call):
        for argument in node.arguments[:1]:
            yield from _tested_variables(argument.value)


def find_variable(interp: Interpreter, node: ir.Expr) -> tuple[HeapObject, str, Value] | None:
    """Where a local variable (or an instance's attribute, `self.x`) is stored, and its value; None if it is neither.

    Returns:
        The frame or instance, the name in it, and the value: what `Store.narrow` needs to change it.
    """
    if isinstance(node, ir.Attribute):
        owner = find_variable(interp, node.value)
        if owner is None or not isinstance(owner[2], Instance):
            return None
        value = owner[2].fields.get(node.name)
        return (owner[2], node.name, value) if isinstance(value, Value) else None
    if not isinstance(node, ir.Name):
        return None
    frame: Frame | None = interp.frame
    while frame is not None and frame.parent is not None:
        value = frame.fields.get(node.name)
        if value is not None:
            return frame, node.name, value
        frame = frame.parent
    return None


ARRAY_ONLY_ATTRIBUTES: Final = frozenset({"shape", "ndim", "dtype", "at", "T", "astype", "reshape"})
"""Attributes that arrays have and containers lack: reading one tells that a value is an array."""


def narrow_to_array(interp: Interpreter, node: ir.Name) -> None:
    """A variable of unknown structure is asked for what only arrays have: from here on, it is one."""
    found = find_variable(interp, node)
    if found is not None and found[0] is interp.frame and isinstance(found[2], Traced) and found[2].tree:
        interp.store.narrow(found[0], found[1], found[2].replace(tree=False))


TEXT_METHODS: Final = frozenset(
    {"startswith", "endswith", "partition", "rpartition", "split", "rsplit", "removeprefix", "removesuffix"}
    | {"strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "isdigit", "isidentifier"}
)
"""Methods that text has and neither arrays nor containers have: asking for one tells that a value is text."""


def narrow_to_text(interp: Interpreter, node: ir.Name) -> None:
    """A variable is asked for what only text has: from here on, it is text."""
    found = find_variable(interp, node)
    if found is not None and found[0] is interp.frame:
        interp.store.narrow(found[0], found[1], STR)


def narrow_to_present(interp: Interpreter, node: ir.Expr, value: Value) -> None:
    """A variable is used as None cannot be (`x.width`, `x[0]`, `for item in x`): from here on, it is not None.

    An attribute that is None as far as the analysis sees stays so: what sets it may not be seen.
    """
    if not any(is_none(part) for part in alternatives(value)):
        return
    found = find_variable(interp, node)
    if found is None:
        return
    target, key, held = found
    if isinstance(held, Union):
        _narrow_all(interp, target, key, offered_like(held, [part for part in held.alternatives if not is_none(part)]))
    elif is_none(held) and target is interp.frame:
        _narrow_all(interp, target, key, PRESENT)


def asks_for_unknown_type(interp: Interpreter, test: ir.Expr) -> bool:
    """Whether a test asks of which type a value is that nothing shows to be traced.

    Code that tells numbers from arrays so (`isinstance(x, (int, float))`) knows which of them it gets. Where the
    analysis does not, that the array's branch leads to a tracer is no reason to expect one.
    """
    asked = interp.world.readings.type_questions.get(id(test))
    if asked is None:
        asked = interp.world.readings.type_questions[id(test)] = tuple(_type_questions(test))
    return any(interp.traced(_silently(interp, node), concrete=True) is None for node in asked)


def asked_elsewhere(interp: Interpreter, test: ir.Expr, value: Value) -> Assumption | None:
    """What is assumed of a test that asks for something of a tracer which is not known: `backend_of(x) == "numpy"`.

    The answer may be a variable of the running function: `backend = backend_of(x)`. None for other tests.

    Args:
        interp: where it is asked.
        test: the test.
        value: its value.
    """
    code = interp.frame.function
    if interp.trace is None or code is None or interp.traced(value) is not None:
        return None
    nodes = list(own_nodes(test))
    names = {part.name for part in nodes if isinstance(part, ir.Name)}
    calls = [part for part in nodes if isinstance(part, ir.Call)]
    calls += [
        statement.value
        for statement in interp.project.body(code)
        if isinstance(statement, ir.Assign)
        and isinstance(statement.value, ir.Call)
        and any(isinstance(target, ir.Name) and target.name in names for target in statement.targets)
    ]
    compared = [side for part in nodes if isinstance(part, ir.Compare) for side in (part.first, *part.rest)]
    for_text = any(isinstance(side, ir.Const) and isinstance(side.value, str) for side in compared)
    if not any(_asks_of_tracer(interp, each, for_text) for each in calls):
        return None
    text = f"`{interp.module.snippet(test.span)}` does not tell tracers apart"
    return Assumption(AssumptionKind.NOT_TOLD_APART, text)


def _asks_of_tracer(interp: Interpreter, node: ir.Call, for_text: bool) -> bool:
    """Whether a call gives a tracer to a function that no model knows, for a text or, by its name, for what it is."""
    function = _silently(interp, node.function)
    if isinstance(function, External):
        named_so = function.name.rpartition(".")[2].lstrip("_").startswith("is_")
        asks = (for_text or named_so) and interp.models.function(function.name) is None
    else:
        asks = for_text and isinstance(function, Function)
    return asks and any(interp.traced(_silently(interp, each.value)) is not None for each in node.arguments)


def _type_questions(test: ir.Expr) -> Iterator[ir.Expr]:
    """The expressions whose type a test asks for: `x` in `isinstance(x, float) or type(x) is int`."""
    if isinstance(test, ir.Unary):
        yield from _type_questions(test.operand)
    elif isinstance(test, ir.BoolOp):
        for operand in _operands(test):
            yield from _type_questions(operand)
    else:
        asked = test.first if isinstance(test, ir.Compare) else test
        names = ("type",) if isinstance(test, ir.Compare) else ("isinstance", "hasattr", "callable", "is_dataclass")
        if isinstance(asked, ir.Call) and asked.arguments:
            value = asked.arguments[0].value
            if _is_call_of(asked, value, *names):
                yield value


def _silently(interp: Interpreter, node: ir.Expr) -> Value:
    """The value of an expression. Leaves no trace: no event, no change."""
    interp.store.open()
    try:
        with interp.silenced():
            return interp.evaluate(node)
    finally:
        interp.store.rollback()


def _outcome_if(interp: Interpreter, test: ir.Expr, target: HeapObject, key: str, part: Value) -> bool | None:
    """The outcome of a test if the variable had the value `part`. Leaves no trace: no event, no change."""
    interp.store.open()
    try:
        interp.store.narrow(target, key, part)
        return truth(interp, _silently(interp, test))
    finally:
        interp.store.rollback()


def _asks_for_own_class(interp: Interpreter, test: ir.Expr, variable: ir.Expr) -> bool:
    """Whether a test asks for instances of classes of the project, which no array is."""
    types = _types_tested(test, variable)
    if types is None:
        return False
    asked = _silently(interp, types)
    content = content_of(asked)
    classes = content.elements if isinstance(content, Tuple) else (asked,)
    return bool(classes) and all(isinstance(cls, Class) for cls in classes)


def _is_of_another_class(interp: Interpreter, test: ir.Expr, variable: ir.Expr, value: Instance) -> bool:
    """Whether `hasattr(variable, "name")` holds for an instance of a guessed class that has no such attribute."""
    if not value.guessed or not isinstance(test, ir.Call) or not _is_call_of(test, variable, "hasattr"):
        return False
    name = test.arguments[1].value if len(test.arguments) > 1 else None
    declared = {field.name for field in class_facts(interp, value.cls).fields}
    return (
        isinstance(name, ir.Const)
        and isinstance(name.value, str)
        and name.value not in {*value.fields, *declared}
        and class_attribute(interp, value.cls, name.value) is None
    )


# --- pytrees of unknown structure -------------------------------------------------------------------------------------

_SEQUENCE_TYPES: Final = {"tuple": "tuple", "list": "tuple", "Sequence": "tuple", "Iterable": "tuple"}
"""The kind of Sequence that an instance of a type is taken for, by the type's name."""


_ARRAY_TYPES: Final = frozenset({"Array", "Tracer", "ndarray"})
"""The names of types that tracers are instances of."""


def _narrow_pytree(interp: Interpreter, test: ir.Expr, variable: ir.Expr, value: Value, outcome: bool) -> Value:
    """What a test of its type makes of a pytree of unknown structure; all other values stay as they are."""
    if not isinstance(value, Traced) or not value.tree:
        return value
    if isinstance(test, ir.Call) and _is_call_of(test, variable, "callable", "hasattr", "getattr"):
        return _doubted(interp, variable, value, _as_having_attribute(value, test, outcome), outcome)
    if (
        isinstance(test, ir.Compare)
        and isinstance(test.first, ir.Call)
        and _is_call_of(test.first, variable, "getattr")
    ):
        has = outcome is (test.ops[0] in ("is not", "!="))
        return _doubted(interp, variable, value, _as_having_attribute(value, test.first, has), has)
    types = _types_tested(test, variable)
    if types is None:
        return value
    if not outcome and _hold_pytree_class(interp, _silently(interp, types)):
        text = f"`{interp.module.snippet(variable.span)}` is no `{interp.module.snippet(types.span)}`"
        value = value.replace(flow=value.flow.assuming(Assumption(AssumptionKind.NO_OTHER_CLASS, text)))
    return _as_instance_of(value, types, outcome)


def _doubted(interp: Interpreter, variable: ir.Expr, value: Traced, narrowed: Value, outcome: bool) -> Value:
    """A narrowed value, in doubt if it lacks an attribute by which code tells arrays: most arguments are arrays."""
    if outcome or not isinstance(narrowed, Traced) or not narrowed.container or value.container:
        return narrowed
    text = f"`{interp.module.snippet(variable.span)}` is no array"
    return narrowed.replace(flow=narrowed.flow.assuming(Assumption(AssumptionKind.NOT_ARRAY, text)))


def _hold_pytree_class(interp: Interpreter, types: Value) -> bool:
    """Whether there is a pytree class of the project among types: what JAX traces may be an object of it."""
    content = content_of(types)
    classes = content.elements if isinstance(content, Tuple) else (content,)
    facts = [class_facts(interp, cls) for cls in classes if isinstance(cls, Class)]
    return any(known.pytree or known.open for known in facts)


_ARRAY_ATTRIBUTES: Final = frozenset({"shape", "ndim", "dtype", "size", "at", "aval", "__array__", "__jax_array__"})
"""Attributes that code asks for by `hasattr` to tell arrays from containers."""


def _as_having_attribute(value: Traced, test: ir.Call, outcome: bool) -> Value:
    """What a pytree of unknown structure is where it has (or lacks) the attribute that `test` names.

    What has `shape` is an array; what has another attribute, or lacks `shape`, is a container.
    """
    name = test.arguments[1].value if len(test.arguments) > 1 else None
    of_arrays = isinstance(name, ir.Const) and name.value in _ARRAY_ATTRIBUTES
    if outcome and of_arrays:
        return value.replace(tree=False, container=False)
    return value.replace(container=True) if outcome or of_arrays else value


def _is_call_of(test: ir.Expr, variable: ir.Expr, *names: str) -> bool:
    """Whether a test calls one of the functions `names` with the variable as its first argument."""
    return (
        isinstance(test, ir.Call)
        and isinstance(test.function, ir.Name)
        and test.function.name in names
        and bool(test.arguments)
        and test.arguments[0].value is variable
    )


def _types_tested(test: ir.Expr, variable: ir.Expr) -> ir.Expr | None:
    """The types in `isinstance(variable, types)`, `type(variable) is types` and `type(variable) == types`."""
    if isinstance(test, ir.Call) and _is_call_of(test, variable, "isinstance") and len(test.arguments) > 1:
        return test.arguments[1].value
    if isinstance(test, ir.Compare) and test.ops[0] in ("is", "==") and _is_call_of(test.first, variable, "type"):
        return test.rest[0]
    return None


def _as_instance_of(value: Traced, types: ir.Expr, outcome: bool) -> Value:
    """What a pytree of unknown structure is where it is (or is not) an instance of the named types."""
    named = types.elements if isinstance(types, ir.Display) else (types,)
    names = {node.name for node in named if isinstance(node, (ir.Name, ir.Attribute))}
    is_array = bool(names) and names <= _ARRAY_TYPES
    if not outcome:
        return value.replace(container=True) if is_array else value
    if names & _ARRAY_TYPES and not is_array:
        return value
    if {_SEQUENCE_TYPES.get(name) for name in names} == {"tuple"}:
        return Sequence("tuple", value.element_tracer())
    return value.replace(tree=not is_array, container=not is_array)
