"""Built-in functions that convert one value: int, float, bool, str, hash, round, pow …"""

from __future__ import annotations

from jitlint.analysis.arrays.ragged import longest_of
from jitlint.analysis.arrays.results import array_result
from jitlint.analysis.arrays.rounds import function_of_counter, number_read
from jitlint.analysis.language import operators
from jitlint.analysis.language.decisions import decide
from jitlint.analysis.language.protocols import call_special_method, convert_to_string, format_value
from jitlint.analysis.libraries.requirements import emit_for_argument, tracer_in
from jitlint.analysis.libraries.tables import FUNCTIONS
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    BOOL,
    FLOAT,
    INT,
    STR,
    UNKNOWN,
    Array,
    Const,
    HostArray,
    JaxArray,
    LoopCounter,
    Static,
    Traced,
    Tuple,
    Value,
    text_of,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.folding import fold
from jitlint.analysis.values.joins import alternatives
from jitlint.events.event import EventKind
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def _number(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`int(x)`, `float(x)`, `complex(x)`: a tracer has no value to convert."""
    name = model.name.rpartition(".")[2]
    value = args.first
    for position, given in enumerate(args.positional):
        for part in alternatives(given):
            if isinstance(part, Traced) and (not part.concrete or name in ("float", "complex")):
                text = interp.module.snippet(args.place(span, position))
                interp.emit(EventKind.CONVERT, span, name, value=given, flow=part.flow, subject=text)
    if isinstance(value, Const) and not args.keywords and len(args.positional) == 1:
        return fold({"int": int, "float": float, "complex": complex}[name], value.value) or Static(name)
    if isinstance(value, LoopCounter) and value.kind == name:
        return value
    counter = function_of_counter(model.name, args)
    if counter is not None:
        return counter
    if name == "float" and isinstance(value, JaxArray) and interp.loops and not interp.staging:
        return _number_of_round(interp, span)
    if name == "int" and isinstance(value, (HostArray, JaxArray)):
        longest = longest_of(interp, span, of_array=True)
        if longest is not None:
            return longest
    read = number_read(interp, value, span) if name == "int" and len(args.positional) == 1 else None
    return read or Static(name)


def _number_of_round(interp: Interpreter, span: Span) -> Value:
    """A number that code in a loop takes out of an array: what is computed there differs from round to round."""
    number = LoopCounter.in_many_rounds(interp.loops[-1], "float")
    place = interp.module, span, interp.symbol()
    interp.unit.static_fields.converted[id(number)] = number, place
    return number


def _bool(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`bool(x)` asks for the truth of x, as `if x` does."""
    if not args.positional:
        return Const(False)
    known = decide(interp, args.positional[0], "bool", span, args.place(span))
    return BOOL if known is None else Const(known)


def _str(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`str(x)` may call a `__str__` of the project."""
    value = args.first
    if isinstance(value, Const) and len(args.positional) == 1:
        return fold(str, value.value) or STR
    convert_to_string(interp, value, span)
    return text_of((value,))


def _format(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`format(x, spec)`: a tracer takes no format specification."""
    spec = args.get(1, "format_spec")
    known = "" if spec is None else spec.value if isinstance(spec, Const) and isinstance(spec.value, str) else None
    format_value(interp, args.first, known, span)
    return STR


def _repr(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`repr(x)` may call a `__repr__` of the project."""
    for part in alternatives(args.first):
        call_special_method(interp, part, "__repr__", (), span)
    return text_of((args.first,))


def _hash(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`hash(x)`: a tracer is not hashable."""
    if interp.traced(args.first) is not None:
        interp.emit(EventKind.HASH, span, "hash", value=args.first)
    return INT


def _round(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`round(x)` works for tracers; an array stays one."""
    value = args.first
    if isinstance(value, Array):
        return value if isinstance(value, HostArray) else array_result(interp, [value], span, value.dtype, value.rank)
    return INT if len(args.positional) == 1 else FLOAT


def _abs(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`abs(x)`: an array of the same kind and rank."""
    value = args.first
    if isinstance(value, Const) and isinstance(value.value, (int, float, complex)):
        return fold(abs, value.value) or UNKNOWN
    if isinstance(value, Array) and not isinstance(value, HostArray):
        return array_result(interp, [value], span, value.dtype, value.rank)
    return value if isinstance(value, (HostArray, Static)) else UNKNOWN


def _pow(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`pow(a, b)` is `a ** b`; with a modulus, Python needs integers."""
    if len(args.positional) == 2:
        return operators.binary(interp, "**", args.positional[0], args.positional[1], span)
    tracer = tracer_in(interp, args.positional)
    if tracer is not None and len(args.positional) == 3:
        emit_for_argument(interp, EventKind.CONVERT, args, span, "pow")
    return UNKNOWN


def _divmod(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`divmod(a, b)` is `(a // b, a % b)`."""
    if len(args.positional) != 2:
        return UNKNOWN
    a, b = args.positional
    return Tuple((operators.binary(interp, "//", a, b, span), operators.binary(interp, "%", a, b, span)))


FUNCTIONS.update(
    {
        **{f"builtins.{name}": _number for name in ("int", "float", "complex")},
        "builtins.bool": _bool,
        "builtins.str": _str,
        "builtins.repr": _repr,
        "builtins.format": _format,
        "builtins.hash": _hash,
        "builtins.round": _round,
        "builtins.abs": _abs,
        "builtins.pow": _pow,
        "builtins.divmod": _divmod,
    }
)
