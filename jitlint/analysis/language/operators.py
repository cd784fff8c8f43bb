"""Operators on abstract values."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, Final

from jitlint.analysis.arrays import shapes
from jitlint.analysis.arrays.dtypes import common_exact_dtype, dtype_of, rank_of, with_exact_dtype
from jitlint.analysis.arrays.results import array_result, common_lead, is_variable
from jitlint.analysis.arrays.rounds import counter_operation
from jitlint.analysis.language.decisions import decide
from jitlint.analysis.language.protocols import special
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    BOOL,
    FALSE,
    FLOAT,
    NONE,
    OBJECT,
    STR,
    TRUE,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    Dict,
    External,
    ExternalInstance,
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
)
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import alternatives, join, join_all
from jitlint.analysis.values.keys import constant_key
from jitlint.events.event import EventKind
from jitlint.source.places import Span

_BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
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

_METHODS: Final = {
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

_REFLECTED: Final = {"<": "gt", "<=": "ge", ">": "lt", ">=": "le", "==": "eq", "!=": "ne"}
_UNARY: Final = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_SIZE_LIMIT: Final = 10_000
_PLAIN: Final = (int, float, bool, complex, str, bytes)


def binary(interp: Interpreter, op: str, left: Value, right: Value, span: Span) -> Value:
    """`left op right`."""
    if isinstance(left, Union) or isinstance(right, Union):
        pairs = [(a, b) for a in alternatives(left) for b in alternatives(right)]
        return join_all(binary(interp, op, a, b, span) for a, b in pairs)
    if isinstance(left, Const) and isinstance(right, Const):
        return _fold(op, left.value, right.value)
    if op == "%" and isinstance(left, Const) and isinstance(left.value, str):
        return _percent(interp, left.value, right, span)
    if _of_class(left) or _of_class(right):
        result = _overloaded(interp, op, left, right, span)
        if result is not None:
            return result
    if isinstance(left, Dict) and isinstance(right, Dict) and op == "|":
        entries = {**left.entries, **right.entries}
        rest = join(left.rest, right.rest)
        return interp.new_dict(entries, rest, span)
    if isinstance(left, List) and left.kind in ("set", "frozenset") and op in ("-", "|", "&", "^"):
        return interp.new_list(left.kind, Sequence("tuple", UNKNOWN), span)
    if isinstance(left, (Tuple, List, Sequence)) and isinstance(right, (Tuple, List, Sequence)) and op == "+":
        return _concatenated(interp, left, right, span)
    if _is_container(left) or _is_container(right):
        return UNKNOWN
    if isinstance(left, Array) or isinstance(right, Array) or is_variable(interp, left) or is_variable(interp, right):
        return _array_operation(interp, op, left, right, span)
    if isinstance(left, (Tuple, List, Sequence)) and op == "*":
        return _repeated(interp, left, right, span)
    if isinstance(left, (Const, Static)) and isinstance(right, (Const, Static)):
        return _static_operation(op, left, right)
    if op == "|" and _is_type(left) and _is_type(right):
        return Tuple((left, right))  # which is what `isinstance` takes it for
    return UNKNOWN


def _is_type(value: Value) -> bool:
    return isinstance(value, (External, Class)) or (isinstance(value, Tuple) and all(map(_is_type, value.elements)))


def _is_container(value: Value) -> bool:
    return isinstance(value, Traced) and value.container


def _fold(op: str, left: Any, right: Any) -> Value:
    if not isinstance(left, _PLAIN) or not isinstance(right, _PLAIN) or op not in _BINARY:
        return UNKNOWN
    if op in ("**", "<<", "*") and any(isinstance(v, (int, str, bytes)) and _large(v) for v in (left, right)):
        return Static(type(left).__name__)
    try:
        return Const(_BINARY[op](left, right))
    except (TypeError, ValueError, ArithmeticError, MemoryError):
        return UNKNOWN


def _large(value: int | str | bytes) -> bool:
    return abs(value) > _SIZE_LIMIT if isinstance(value, int) else len(value) > _SIZE_LIMIT


def _percent(interp: Interpreter, text: str, right: Value, span: Span) -> Value:
    values = right.elements if isinstance(right, Tuple) else (right,)
    for code, value in zip(_CONVERSION.findall(text), values, strict=False):
        if code not in "sra" and interp.traced(value) is not None:
            interp.emit(EventKind.FORMAT, span, "%", value=value)
    return STR


_CONVERSION: Final = re.compile(r"%(?:\(\w+\))?[-+ #0]*\d*(?:\.\d+)?([a-zA-Z])")


def _of_class(value: Value) -> bool:
    """Whether a class of the project may say what operators do with a value."""
    return isinstance(value, Instance) or (isinstance(value, Tuple) and value.cls is not None)


def _overloaded(interp: Interpreter, op: str, left: Value, right: Value, span: Span) -> Value | None:
    """What the operands' own classes make of an operator; None if they say nothing."""
    name = _METHODS.get(op, "")
    for value, other, method in ((left, right, f"__{name}__"), (right, left, f"__{_REFLECTED.get(op, f'r{name}')}__")):
        result = special(interp, value, method, [other], span)
        if result is not None:
            return result
    return None


def _concatenated(interp: Interpreter, left: Value, right: Value, span: Span) -> Value:
    a = content_of(left)
    b = content_of(right)
    content: Tuple | Sequence
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        content = Tuple((*a.elements, *b.elements))
    else:
        parts = [*(a.elements if isinstance(a, Tuple) else [a.element if isinstance(a, Sequence) else UNKNOWN])]
        parts += b.elements if isinstance(b, Tuple) else [b.element if isinstance(b, Sequence) else UNKNOWN]
        content = Sequence("tuple", join_all(parts))
    if isinstance(left, List):
        return interp.new_list("list", content, span)
    return content


def _repeated(interp: Interpreter, left: Value, right: Value, span: Span) -> Value:
    base = content_of(left)
    content: Tuple | Sequence
    if isinstance(base, Tuple) and isinstance(right, Const) and isinstance(right.value, int) and right.value <= 64:
        content = Tuple(base.elements * right.value)
    else:
        element = join_all(base.elements) if isinstance(base, Tuple) else base.element  # type: ignore[attr-defined]
        content = Sequence("tuple", element)
    if isinstance(left, List):
        return interp.new_list("list", content, span)
    return content


def _static_operation(op: str, left: Const | Static, right: Const | Static) -> Value:
    counter = counter_operation(op, left, right)
    if counter is not None:
        return counter
    kinds = {type(v.value).__name__ if isinstance(v, Const) else v.kind for v in (left, right)}
    if kinds == {"str"}:
        return STR
    if not kinds <= {"int", "float", "bool", "number"}:
        return Static("object") if "object" in kinds or "dtype" in kinds else UNKNOWN
    if op == "/":
        return FLOAT
    if kinds <= {"int", "bool"}:
        return Static("int")
    return FLOAT if "float" in kinds else Static("number")


def _array_operation(interp: Interpreter, op: str, left: Value, right: Value, span: Span) -> Value:
    dtypes = (dtype_of(left), dtype_of(right))
    left_rank, right_rank = rank_of(left), rank_of(right)
    rank = None if left_rank is None or right_rank is None else max(left_rank, right_rank)
    if op == "@":
        rank = shapes.matmul_rank(left_rank, right_rank)
    dtype = _result_dtype(op, *dtypes)
    for value in (left, right):
        if isinstance(value, ExternalInstance):
            held = is_variable(interp, value)
            return array_result(interp, [left, right], span, None, by=value.of) if held else UNKNOWN
    least = max(_least(left), _least(right)) if op != "@" else 0
    if all(isinstance(v, HostArray) or not isinstance(v, Array) for v in (left, right)):
        unknown = isinstance(left, Unknown) or isinstance(right, Unknown)
        return UNKNOWN if unknown else HostArray(dtype, rank, least=least)
    weak = all(isinstance(v, (Const, Static)) or (isinstance(v, Array) and v.weak) for v in (left, right))
    lead = common_lead([left, right]) if op != "@" else None
    result = array_result(interp, [left, right], span, dtype, rank, weak=weak, lead=lead, least=least)
    return with_exact_dtype(result, common_exact_dtype([left, right], dtype))


def _least(value: Value) -> int:
    return value.least if isinstance(value, Array) else 0


_ORDER: Final = ("bool", "int", "float", "complex")


def _result_dtype(op: str, left: str | None, right: str | None) -> str | None:
    if left not in _ORDER or right not in _ORDER:
        return _partial_dtype(op, left, right)
    if op == "/":
        return "complex" if "complex" in (left, right) else "float"
    if op in ("<<", ">>"):
        return "int"
    top = max(_ORDER.index(left), _ORDER.index(right))
    if top == 0 and op not in ("&", "|", "^"):
        return "int"
    return _ORDER[top]


_ARITHMETIC: Final = frozenset({"+", "-", "*", "//", "%", "**"})


def _partial_dtype(op: str, left: str | None, right: str | None) -> str | None:
    """What is known of a result where one operand's dtype is not."""
    if "complex" in (left, right):
        return "complex"
    if op == "/" or ("float" in (left, right) and op in _ARITHMETIC):
        return "float"
    return "number" if op in _ARITHMETIC else None


def unary(interp: Interpreter, op: str, operand: Value, span: Span) -> Value:
    """`-x`, `+x` or `~x`."""
    if isinstance(operand, Union):
        return join_all(unary(interp, op, part, span) for part in operand.alternatives)
    if isinstance(operand, Const) and isinstance(operand.value, (int, float, complex)):
        if op == "~":
            return Const(~operand.value) if isinstance(operand.value, int) else UNKNOWN
        return Const(-operand.value if op == "-" else +operand.value)
    if isinstance(operand, Array):
        if isinstance(operand, HostArray):
            return operand
        return array_result(interp, [operand], span, operand.dtype, operand.rank, weak=operand.weak, lead=operand.lead)
    own = special(interp, operand, _UNARY[op], (), span)
    if own is not None:
        return own
    return operand if isinstance(operand, Static) else UNKNOWN


def _is_jax(value: Value) -> bool:
    return isinstance(value, (Traced, JaxArray))


def compare(interp: Interpreter, op: str, left: Value, right: Value, span: Span) -> Value:
    """`left op right` for one comparison."""
    if isinstance(left, Union) or isinstance(right, Union):
        pairs = [(a, b) for a in alternatives(left) for b in alternatives(right)]
        return join_all(compare(interp, op, a, b, span) for a, b in pairs)
    if op in ("is", "is not"):
        return _identity(op, left, right)
    if op in ("in", "not in"):
        return _membership(interp, op, left, right, span)
    if isinstance(left, Const) and isinstance(right, Const):
        return (
            _fold(op, left.value, right.value)
            if left.value is not None and right.value is not None
            else (Const((left.value is right.value) is (op == "==")))
        )
    if NONE in (left, right) and not isinstance(left, Unknown) and not isinstance(right, Unknown):
        return Const(op == "!=") if not isinstance(left, Static) and not isinstance(right, Static) else BOOL
    if _is_text(left) or _is_text(right):
        return UNKNOWN if isinstance(left, (Traced, Unknown)) or isinstance(right, (Traced, Unknown)) else BOOL
    if isinstance(left, Member) and isinstance(right, Member) and op in ("==", "!="):
        return Const((left is right) is (op == "=="))
    if isinstance(left, External) and isinstance(right, External) and op in ("==", "!="):
        return Const((left.name == right.name) is (op == "=="))
    if op in ("==", "!=") and (
        (_is_jax(left) and _is_no_operand(interp, right)) or (_is_jax(right) and _is_no_operand(interp, left))
    ):
        return BOOL  # JAX leaves it to Python, which compares identities
    if _of_class(left) or _of_class(right):
        result = _overloaded(interp, op, left, right, span)
        if result is not None:
            return result
    if isinstance(left, Instance) or isinstance(right, Instance):
        return BOOL if op in ("==", "!=") and isinstance(left, Instance) else UNKNOWN
    if any(isinstance(v, (Tuple, List, Dict, Sequence)) or _is_container(v) for v in (left, right)):
        return UNKNOWN if any(isinstance(v, (Traced, Unknown)) for v in (left, right)) else BOOL
    if isinstance(left, Array) or isinstance(right, Array) or is_variable(interp, left) or is_variable(interp, right):
        result = _array_operation(interp, op, left, right, span)
        if isinstance(result, Traced):
            return result.replace(dtype="bool")
        return type(result)("bool", result.rank) if isinstance(result, Array) else result
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return UNKNOWN
    return BOOL


def _is_no_operand(interp: Interpreter, value: Value) -> bool:
    """Whether it is nothing that JAX could compute with."""
    if isinstance(value, External):
        known = interp.models.function(value.name)
        return known is not None and bool(known.parameters)
    return value is OBJECT or isinstance(value, (BoundMethod, Class, Function, ModuleValue, Partial, Transformed))


def _is_text(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, (str, bytes))


def _identity(op: str, left: Value, right: Value) -> Value:
    same = op == "is"
    if isinstance(left, Const) and isinstance(right, Const):
        singletons = (None, True, False)
        if left.value in singletons or right.value in singletons:
            return Const((left.value is right.value) is same)
        return BOOL
    for value, other in ((left, right), (right, left)):
        if other is NONE or (isinstance(other, Const) and other.value is None):
            if isinstance(value, (Unknown, Static)) or (isinstance(value, Traced) and value.tree):
                return BOOL
            return Const(not same)
    if isinstance(left, External) and isinstance(right, External):
        return Const((left.name == right.name) is same)
    if isinstance(left, Member) and isinstance(right, Member):
        return Const((left is right) is same)
    return BOOL


def _membership(interp: Interpreter, op: str, left: Value, right: Value, span: Span) -> Value:
    if isinstance(right, Dict):
        tracer = interp.traced(left)
        if tracer is not None and not tracer.tree:
            interp.emit(EventKind.HASH, span, "dict", value=left)
            return BOOL
        key = constant_key(left)
        if key is not None and right.rest.__class__.__name__ == "Never" and right.depth >= interp.depth:
            return TRUE if (key[0] in right.entries) is (op == "in") else FALSE
        return BOOL
    own = special(interp, right, "__contains__", [left], span)
    if own is not None:
        known = decide(interp, own, "in", span)
        return BOOL if known is None else Const(known is (op == "in"))
    content = content_of(right)
    candidates = content.elements if isinstance(content, Tuple) else ()
    if isinstance(content, Sequence):
        candidates = (content.element,)
    if isinstance(right, List) and right.kind in ("set", "frozenset"):
        return BOOL
    text = isinstance(left, Const) and isinstance(left.value, str)
    if isinstance(right, Traced) and not right.concrete and not (right.tree and (text or isinstance(left, Unknown))):
        interp.emit(EventKind.BOOL, span, "in", value=right)
        return BOOL
    compared = join_all(compare(interp, "==", left, c, span) for c in candidates)
    tracer = interp.traced(compared)
    if tracer is not None and not tracer.tree:
        interp.emit(EventKind.BOOL, span, "in", value=tracer)
        return BOOL
    if isinstance(left, Const) and isinstance(content, Tuple) and all(isinstance(c, Const) for c in content.elements):
        present = any(c.value == left.value for c in content.elements if isinstance(c, Const))
        return Const(present is (op == "in"))
    return BOOL
