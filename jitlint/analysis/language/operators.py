"""Operators: arithmetic, comparisons, `is`, `in`.

Each operator goes by the kinds of its operands, in this order: alternatives one by one, two constants (computed),
classes that define the operator (called), containers, arrays, numbers of the host. The arrays' part is array_result
(arrays/results.py), which also decides whether the result is traced.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from jitlint import ir
from jitlint.analysis.arrays.dtype_tests import is_same_dtype
from jitlint.analysis.arrays.dtypes import least_rank, with_exact_dtype, with_least_rank
from jitlint.analysis.arrays.operations import operate_on_arrays
from jitlint.analysis.arrays.results import array_result, is_variable
from jitlint.analysis.arrays.rounds import counter_operation
from jitlint.analysis.language.classes import class_facts, class_option, plain_member
from jitlint.analysis.language.decisions import asks_for_either, decide, no_container
from jitlint.analysis.language.protocols import call_special_method, percent_format
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    BOOL,
    FALSE,
    FLOAT,
    NEVER,
    OBJECT,
    TRUE,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    Dict,
    External,
    Function,
    HostArray,
    Instance,
    JaxArray,
    List,
    Member,
    ModuleValue,
    Partial,
    Sequence,
    Static,
    Traced,
    Transformed,
    Tuple,
    Union,
    Unknown,
    Value,
    is_none,
    may_be_none,
    text_of,
)
from jitlint.analysis.values.containers import Slice, content_of, known_constants
from jitlint.analysis.values.folding import fold, fold_operator
from jitlint.analysis.values.joins import alternatives, join, join_all, tuple_of
from jitlint.analysis.values.keys import constant_key, may_be_text
from jitlint.analysis.values.objects import FieldFact
from jitlint.analysis.values.structures import differ
from jitlint.events.assumption import AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span

_PYTHON_OPERATORS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
"""What computes `left op right` for constants."""

_METHOD_NAMES: Final = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
    "==": "eq",
    "!=": "ne",
}
"""The special method of each operator, without the underscores."""

_REFLECTED_COMPARISONS: Final = {"<": "gt", "<=": "ge", ">": "lt", ">=": "le", "==": "eq", "!=": "ne"}
"""The special method that Python asks the right operand for: `a < b` is `b.__gt__(a)`. Of all others, `__r…__`."""

_PYTHON_UNARY_OPERATORS: Final[dict[str, Callable[[Any], Any]]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
}

_UNARY_METHODS: Final = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}


def binary(interp: Interpreter, op: str, left: Value, right: Value, span: Span) -> Value:
    """The value of `left op right` for an arithmetic operator."""
    if isinstance(left, Union) or isinstance(right, Union):
        pairs = [(a, b) for a in alternatives(left) for b in alternatives(right)]
        return join_all(binary(interp, op, a, b, span) for a, b in pairs)
    left, right = plain_member(interp, left), plain_member(interp, right)
    if isinstance(left, Const) and isinstance(right, Const):
        return _fold_constants(op, left.value, right.value)
    if op == "%" and isinstance(left, Const) and isinstance(left.value, str):
        return percent_format(interp, left.value, right, span)
    if _has_project_class(left) or _has_project_class(right):
        result = _call_operator_method(interp, op, left, right, span)
        if result is not None:
            return result
        if _may_inherit_operators(interp, left) or _may_inherit_operators(interp, right):
            return UNKNOWN
    if op == "|" and (isinstance(left, Dict) or isinstance(right, Dict)):
        merged = [_as_dict(interp, value, span) for value in (left, right)]
        if isinstance(merged[0], Dict) and isinstance(merged[1], Dict):
            rest = merged[1].rest  # NEVER, or what may stand under any key of the left one
            entries = {key: join(value, rest) for key, value in merged[0].entries.items()} | merged[1].entries
            return interp.new_dict(entries, join(merged[0].rest, rest), span)
    if isinstance(left, List) and left.kind in ("set", "frozenset") and op in ("-", "|", "&", "^"):
        return interp.new_list(left.kind, Sequence("tuple", UNKNOWN), span)
    if isinstance(left, (Tuple, List, Sequence)) and isinstance(right, (Tuple, List, Sequence)) and op == "+":
        return _concatenate(interp, left, right, span)
    if _is_container(left) or _is_container(right):
        return UNKNOWN
    if op == "+" and any(isinstance(value, List) for value in (left, right)) and any(map(_is_tree, (left, right))):
        return _concatenate(interp, _as_list(interp, left, span), _as_list(interp, right, span), span)
    if isinstance(left, Array) or isinstance(right, Array) or is_variable(interp, left) or is_variable(interp, right):
        return operate_on_arrays(interp, op, left, right, span)
    if isinstance(left, (Tuple, List, Sequence)) and op == "*":
        return _repeat(interp, left, right, span)
    if isinstance(left, (Const, Static)) and isinstance(right, (Const, Static)):
        return _operate_on_host_numbers(op, left, right)
    if op == "|" and _is_type(left) and _is_type(right):
        return Tuple((left, right))  # `isinstance` takes `A | B` for `(A, B)`
    return UNKNOWN


def _is_type(value: Value) -> bool:
    """Whether a value may be a class, so that `A | B` is a union of types."""
    return isinstance(value, (External, Class)) or (isinstance(value, Tuple) and all(map(_is_type, value.elements)))


def _is_container(value: Value) -> bool:
    """Whether a value is a pytree of unknown structure that is known to be a container."""
    return isinstance(value, Traced) and value.container


def _is_tree(value: Value) -> bool:
    """Whether a value is a pytree of unknown structure."""
    return isinstance(value, Traced) and value.tree


def _as_list(interp: Interpreter, value: Value, span: Span) -> Value:
    """A pytree of unknown structure as the list that it is where a list is added to it: JAX adds arrays to none."""
    if not isinstance(value, Traced):
        return value
    return interp.new_list("list", Sequence("tuple", value.element_tracer(lead=None)), span)


def _as_dict(interp: Interpreter, value: Value, span: Span) -> Value:
    """What is traced as the dict that it is where a dict is merged with it: arrays refuse that. Other values as is."""
    if not isinstance(value, Traced):
        return value
    return interp.new_dict({}, value.element_tracer(lead=None, rank=None, dtype=None), span)


def _fold_constants(op: str, left: Any, right: Any) -> Value:
    """The value of `left op right` for two constants: computed, unless that fails or may be large."""
    function = _PYTHON_OPERATORS.get(op)
    return UNKNOWN if function is None else fold_operator(op, function, left, right) or UNKNOWN


def _has_project_class(value: Value) -> bool:
    """Whether a class of the project may define what operators do with a value."""
    return isinstance(value, Instance) or (isinstance(value, Tuple) and value.cls is not None)


def _may_inherit_operators(interp: Interpreter, value: Value) -> bool:
    """Whether a base that is not in view may define operators, as `numpy.lib.mixins.NDArrayOperatorsMixin` does."""
    return isinstance(value, Instance) and class_facts(interp, value.cls).open and not is_variable(interp, value)


def _call_operator_method(interp: Interpreter, op: str, left: Value, right: Value, span: Span) -> Value | None:
    """The result of the operands' own operator methods (`__add__`, `__radd__`); None if they have none."""
    name = _METHOD_NAMES.get(op, "")
    reflected = _REFLECTED_COMPARISONS.get(op, f"r{name}")
    for value, other, method in ((left, right, f"__{name}__"), (right, left, f"__{reflected}__")):
        result = call_special_method(interp, value, method, [other], span)
        if result is not None:
            return result
    return None


def _concatenate(interp: Interpreter, left: Value, right: Value, span: Span) -> Value:
    """The value of `left + right` for tuples and lists."""
    a = content_of(left)
    b = content_of(right)
    content: Tuple | Sequence
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        content = tuple_of([*a.elements, *b.elements])
    else:
        parts = [*(a.elements if isinstance(a, Tuple) else [a.element if isinstance(a, Sequence) else UNKNOWN])]
        parts += b.elements if isinstance(b, Tuple) else [b.element if isinstance(b, Sequence) else UNKNOWN]
        content = Sequence("tuple", join_all(parts))
    if isinstance(left, List):
        return interp.new_list("list", content, span)
    return content


def _repeat(interp: Interpreter, left: Value, right: Value, span: Span) -> Value:
    """The value of `left * right` for a tuple or list."""
    base = content_of(left)
    content: Tuple | Sequence
    if isinstance(base, Tuple) and isinstance(right, Const) and isinstance(right.value, int) and right.value <= 64:
        content = tuple_of(list(base.elements) * right.value)
    else:
        element = join_all(base.elements) if isinstance(base, Tuple) else base.element  # type: ignore[attr-defined]
        content = Sequence("tuple", element)
    if isinstance(left, List):
        return interp.new_list("list", content, span)
    return content


def _operate_on_host_numbers(op: str, left: Const | Static, right: Const | Static) -> Value:
    """The value of `left op right` for host values, not both constant: its type is known."""
    counter = counter_operation(op, left, right)
    if counter is not None:
        return counter
    kinds = {type(v.value).__name__ if isinstance(v, Const) else v.kind for v in (left, right)}
    if kinds == {"str"}:
        return text_of((left, right))
    if not kinds <= {"int", "float", "bool", "number", "complex"}:
        return Static("object") if "object" in kinds or "dtype" in kinds else UNKNOWN
    if op == "/" or "complex" in kinds:
        return Static("complex") if "complex" in kinds else FLOAT
    if kinds <= {"int", "bool"}:
        return Static("int")
    return FLOAT if "float" in kinds else Static("number")


def unary(interp: Interpreter, op: str, operand: Value, span: Span) -> Value:
    """The value of `-x`, `+x` or `~x`."""
    if isinstance(operand, Union):
        return join_all(unary(interp, op, part, span) for part in operand.alternatives)
    if isinstance(operand, Const) and isinstance(operand.value, (int, float, complex)):
        return fold(_PYTHON_UNARY_OPERATORS[op], operand.value) or UNKNOWN
    if isinstance(operand, Array):
        if isinstance(operand, HostArray):
            return operand
        dtype, rank, lead = operand.dtype, operand.rank, operand.lead
        result = array_result(interp, [operand], span, dtype, rank, weak=operand.weak, lead=lead)
        return with_least_rank(with_exact_dtype(result, operand.exact), least_rank(operand))
    own = call_special_method(interp, operand, _UNARY_METHODS[op], (), span)
    if own is not None:
        return own
    return operand if isinstance(operand, Static) else UNKNOWN


def compare(interp: Interpreter, op: str, left: Value, right: Value, span: Span) -> Value:
    """The value of `left op right` for one comparison, `is` and `in` included."""
    if op in ("in", "not in") and any(isinstance(part, (Dict, Instance)) for part in alternatives(right)):
        right = _without_tracers(right)  # what is a dict or an object on another path is asked for a key
    if isinstance(left, Union) or isinstance(right, Union):
        pairs = [(a, b) for a in alternatives(left) for b in alternatives(right)]
        text = f"one of the values that the operands of `{interp.module.snippet(span)}` may have"
        with interp.assuming(AssumptionKind.ONE_OF_VALUES, text):
            return join_all([compare(interp, op, a, b, span) for a, b in pairs])
    if op in ("is", "is not"):
        return _compare_identity(interp, op, left, right, span)
    if op in ("in", "not in"):
        return _test_membership(interp, op, left, right, span)
    if not isinstance(left, Member) or not isinstance(right, Member):
        left, right = plain_member(interp, left), plain_member(interp, right)
    if isinstance(left, Const) and isinstance(right, Const):
        if left.value is None or right.value is None:
            return Const((left.value is right.value) is (op == "=="))
        return _fold_constants(op, left.value, right.value)
    if (is_none(left) or is_none(right)) and not isinstance(left, Unknown) and not isinstance(right, Unknown):
        return Const(op == "!=") if not isinstance(left, Static) and not isinstance(right, Static) else BOOL
    if _is_text(left) or _is_text(right):
        return UNKNOWN if isinstance(left, (Traced, Unknown)) or isinstance(right, (Traced, Unknown)) else BOOL
    same_dtype = is_same_dtype(left, right) if op in ("==", "!=") else None
    if same_dtype is not None:
        return Const(same_dtype is (op == "=="))
    if op in ("==", "!=") and differ(left, right):
        return Const(op == "!=")
    if isinstance(left, Member) and isinstance(right, Member) and op in ("==", "!="):
        return Const((left is right) is (op == "=="))
    if isinstance(left, External) and isinstance(right, External) and op in ("==", "!="):
        return Const((left.name == right.name) is (op == "=="))
    either = ((left, right), (right, left))
    if op in ("==", "!=") and any(
        isinstance(a, (Traced, JaxArray)) and _is_refused_by_jax(interp, b) for a, b in either
    ):
        return BOOL  # JAX leaves the comparison to Python, which compares identities
    if _has_project_class(left) or _has_project_class(right):
        result = _call_operator_method(interp, op, left, right, span)
        if result is not None:
            return result
    equal = _equal_by_length(left, right) if op in ("==", "!=") else None
    if equal is not None:
        return Const(equal is (op == "=="))
    parts = _compared_parts(interp, left, right) if op in ("==", "!=") else None
    if parts is not None:
        _compare_parts(interp, op, parts, span)
        return BOOL
    if isinstance(left, Instance) or isinstance(right, Instance):
        return BOOL if op in ("==", "!=") and isinstance(left, Instance) else UNKNOWN
    if any(isinstance(v, (Tuple, List, Dict, Sequence)) or _is_container(v) for v in (left, right)):
        return UNKNOWN if any(isinstance(v, (Traced, Unknown)) for v in (left, right)) else BOOL
    if isinstance(left, Array) or isinstance(right, Array) or is_variable(interp, left) or is_variable(interp, right):
        result = operate_on_arrays(interp, op, left, right, span)
        if isinstance(result, Traced):
            return result.replace(dtype="bool")
        return type(result)("bool", result.rank) if isinstance(result, Array) else result
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return UNKNOWN
    return BOOL


def _equal_by_length(left: Value, right: Value) -> bool | None:
    """Whether two sequences are equal, as far as their lengths tell: shapes of arrays of different ranks are not."""
    one, other = content_of(left), content_of(right)
    if isinstance(one, Tuple) and isinstance(other, Tuple):
        if len(one.elements) != len(other.elements):
            return False
        return True if not one.elements and type(left) is type(right) is Tuple else None
    for longer, shorter in ((left, right), (right, left)):
        if isinstance(longer, Sequence) and isinstance(shorter, Tuple) and longer.least > len(shorter.elements):
            return False
    return None


def _compared_parts(interp: Interpreter, left: Value, right: Value) -> list[tuple[Value, Value]] | None:
    """The pairs that Python compares, in turn, to compare two containers of the same length; None for other values."""
    if isinstance(left, Instance) and isinstance(right, Instance):
        return _compared_fields(interp, left, right)
    if isinstance(left, Dict) and isinstance(right, Dict):
        closed = left.rest is NEVER and right.rest is NEVER and not left.maybe and not right.maybe
        same = closed and left.entries.keys() == right.entries.keys()
        return [(value, right.entries[key]) for key, value in left.entries.items()] if same else None
    one, other = content_of(left), content_of(right)
    if not isinstance(one, Tuple) or not isinstance(other, Tuple) or len(one.elements) != len(other.elements):
        return None
    kinds = [value.kind if isinstance(value, List) else "tuple" for value in (left, right)]
    return list(zip(one.elements, other.elements, strict=True)) if kinds in (["list"] * 2, ["tuple"] * 2) else None


def _compared_fields(interp: Interpreter, left: Instance, right: Instance) -> list[tuple[Value, Value]] | None:
    """The pairs that the `__eq__` of two instances compares in turn, if a dataclass has generated it.

    Source: the documentation of `dataclasses.dataclass`, on `eq`.
    """
    known = class_facts(interp, left.cls)
    generated = known.dataclass and not known.open and all(model.decorator for model in known.models)
    options = left.cls.decorations.get("dataclasses.dataclass", {})
    if left.cls is not right.cls or not generated or class_option(options, "eq", default=True) is not True:
        return None
    names = [field.name for field in known.fields if not _is_left_out(field)]
    pairs = [(left.fields.get(name), right.fields.get(name)) for name in names]
    return [(one, other) for one, other in pairs if isinstance(one, Value) and isinstance(other, Value)]


def _is_left_out(field: FieldFact) -> bool:
    """Whether `field(compare=…)` says of a field of a dataclass that it may not be compared."""
    made = field.default
    return isinstance(made, ir.Call) and any(argument.keyword == "compare" for argument in made.arguments)


def _compare_parts(interp: Interpreter, op: str, parts: list[tuple[Value, Value]], span: Span) -> None:
    """Compares two values part by part, up to the first that differs: Python asks for the truth of each comparison.

    What may be the same object is left out: Python takes it for equal without asking it.
    """
    for left, right in parts:
        if left is not right and decide(interp, compare(interp, "==", left, right, span), op, span) is False:
            return


def _without_tracers(value: Value) -> Value:
    """What a value may be, tracers left out."""
    return join_all(part for part in alternatives(value) if not isinstance(part, Traced))


def _is_refused_by_jax(interp: Interpreter, value: Value) -> bool:
    """Whether JAX leaves an operator to Python for this operand: a function, a class, an object, a slice, `...`."""
    if isinstance(value, External):
        known = interp.models.function(value.name)
        return value.name == "builtins.Ellipsis" or (known is not None and bool(known.parameters))
    objects = (BoundMethod, Class, Function, ModuleValue, Partial, Slice, Transformed)
    return value is OBJECT or isinstance(value, objects) or (isinstance(value, Const) and value.value is Ellipsis)


def _is_text(value: Value) -> bool:
    """Whether a value is a constant string."""
    return isinstance(value, Const) and isinstance(value.value, (str, bytes))


def _compare_identity(interp: Interpreter, op: str, left: Value, right: Value, span: Span) -> Value:
    """The value of `left is right` or `left is not right`. A tracer is neither True nor False."""
    same = op == "is"
    for value, other in ((left, right), (right, left)):
        if isinstance(other, Const) and isinstance(other.value, bool) and interp.traced(value) is not None:
            if not asks_for_either(interp, span):
                interp.emit(EventKind.IDENTITY, span, op, value=value, detail={"other": str(other.value)})
            return Const(not same)
    if isinstance(left, Const) and isinstance(right, Const):
        singletons = (None, True, False)
        if left.value in singletons or right.value in singletons:
            return Const((left.value is right.value) is same)
        return BOOL
    for value, other in ((left, right), (right, left)):
        if is_none(other):
            any_object = isinstance(value, Static) and value.kind == "object"
            if any_object or may_be_none(value) or (isinstance(value, Traced) and value.tree):
                return BOOL
            return Const(not same)
    if isinstance(left, External) and isinstance(right, External):
        return Const((left.name == right.name) is same)
    if isinstance(left, Member) and isinstance(right, Member):
        return Const((left is right) is same)
    return BOOL


def _test_membership(interp: Interpreter, op: str, left: Value, right: Value, span: Span) -> Value:
    """The value of `left in right` or `left not in right`.

    Python asks for the truth of each comparison with an element, so that a tracer on either side fails; in a dict it
    hashes instead. What is asked for a string is a dict. What nothing is known of may be a string.
    """
    is_set = isinstance(right, List) and right.kind in ("set", "frozenset")
    if is_set or isinstance(right, Dict):
        tracer = interp.traced(left)
        if tracer is not None and not tracer.tree:
            interp.emit(EventKind.HASH, span, "set" if is_set else "dict", value=left)
            return BOOL
    if isinstance(right, List) and is_set:
        held = known_constants(right.content) if right.depth >= interp.depth else None
        return Const((left.value in held) is (op == "in")) if held and isinstance(left, Const) else BOOL
    if isinstance(right, Dict):
        key = constant_key(left)
        if key is not None and right.rest is NEVER and right.depth >= interp.depth:
            is_key = key[0] in right.entries
            return BOOL if key[0] in right.unsure else TRUE if is_key is (op == "in") else FALSE
        return BOOL
    own = call_special_method(interp, right, "__contains__", [left], span)
    if own is not None:
        known = decide(interp, own, "in", span)
        return BOOL if known is None else Const(known is (op == "in"))
    content = content_of(right)
    candidates = content.elements if isinstance(content, Tuple) else ()
    if isinstance(content, Sequence):
        candidates = (content.element,)
    if may_be_text(left):
        right = _without_tracers(right)
    if any(isinstance(part, (Unknown, External)) for part in alternatives(left)):
        candidates = ()  # it may be text, which is no array's element
    elif isinstance(right, Traced) and not right.concrete:
        assuming = no_container(right, interp.module.snippet(span)) if right.tree else None
        interp.emit(EventKind.BOOL, span, "in", value=right, assuming=assuming)
        return BOOL
    compared = [compare(interp, "==", left, c, span) for c in candidates]
    tracer = interp.traced(join_all(compared))
    if tracer is not None and not tracer.tree:
        interp.emit(EventKind.BOOL, span, "in", value=tracer)
        return BOOL
    outcomes = [bool(each.value) for each in compared if isinstance(each, Const)]
    decided = isinstance(content, Tuple) and len(outcomes) == len(content.elements)
    return Const(any(outcomes) is (op == "in")) if decided else BOOL
