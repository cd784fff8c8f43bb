"""Loop-variant values: counters, and arrays whose length depends on them or grows (they defeat the compile cache).

`values.Rounds` says how such a value follows a loop. A loop of the program runs here until its state is stable, so the
interpreter cannot see each round's value; these functions mark it where it is made, and find it at a call under `jit`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.walks import inside
from jitlint.analysis.values import (
    UNKNOWN,
    Array,
    Const,
    Dict,
    GrowingSequence,
    HostArray,
    Instance,
    Iterator,
    JaxArray,
    Lead,
    List,
    LoopCounter,
    ResizedInLoop,
    Rounds,
    Sequence,
    Slice,
    Static,
    Traced,
    Tuple,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import alternatives, join_all
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span

MANY = 32
"""A loop over a known range is reported as long to unroll from this number of rounds."""

GROWS = "grows"
"""The formula of an array that each round makes longer or shorter (`xs = jnp.append(xs, x)`)."""


def is_series(name: str, args: Args, rank: int | None) -> bool:
    """Whether a function of NumPy gives many numbers that differ.

    Args:
        name: its last name.
        args: what it gets; numbers that are known say how many there are.
        rank: how many axes its result has.
    """
    arrays = [value for value in args.all() if isinstance(value, HostArray) and value.series]
    if name not in _SERIES:
        return bool(arrays) and name in _OF_EACH
    counts = args.positional[2:3] if name != "arange" else args.positional[:2][-1:]
    known = [count.value for count in (*counts, *map(args.keywords.get, ("num",))) if isinstance(count, Const)]
    few = any(isinstance(count, int) and count <= _FEW for count in known)
    return rank == 1 and not few and "axis" not in args.keywords


_SERIES = frozenset({"arange", "linspace", "logspace", "geomspace"})
_OF_EACH = frozenset(
    {"array", "asarray", "minimum", "maximum", "clip", "exp", "log", "sqrt", "sin", "cos", "tanh", "power", "float32"}
)
"""Functions of each element that leave many different numbers."""


def loop_element(iterable: Value, element: Value, loop: int) -> Value:
    """What the target of a loop gets in each round: LoopCounters for the numbers of a range or of `enumerate`.

    So it is with numbers that another loop has computed, as a comprehension, and with those of a series.

    Args:
        iterable: what the loop goes over.
        element: the join of its elements: the result for anything else.
        loop: the loop's identity.
    """
    number = LoopCounter(Rounds(loop, "i"))
    if isinstance(iterable, Sequence) and iterable.kind == "range":
        return number
    if isinstance(iterable, Const) and isinstance(iterable.value, range):
        return number
    enumeration = isinstance(iterable, Iterator) and iterable.kind == "enumerate"
    if enumeration and isinstance(element, Tuple) and len(element.elements) == 2:
        return Tuple((number, loop_element(UNKNOWN, element.elements[1], loop)))
    if isinstance(element, LoopCounter) and element.has_many_values:
        return LoopCounter.in_many_rounds(loop, element.kind)
    if isinstance(element, Tuple) and element.cls is None:
        return Tuple(tuple([loop_element(UNKNOWN, part, loop) for part in element.elements]))
    return element


def counter_operation(op: str, left: Value, right: Value) -> LoopCounter | None:
    """`left op right` if one is a counter, the other static, and the result differs from round to round; else None.

    Two counters of one loop will do, too: `(1 + i) / (10 + i)`, but not `i - i`.
    """
    operands = [operand for operand in (left, right) if isinstance(operand, (Const, Static))]
    counters = [operand for operand in operands if isinstance(operand, LoopCounter)]
    kinds = {_kind(operand) for operand in operands}
    if not counters or len(operands) < 2 or op not in DIFFERING or not kinds <= {"int", "float", "bool", "number"}:
        return None
    if not all(counter.each for counter in counters) and all(counter.has_many_values for counter in counters):
        return LoopCounter.in_many_rounds(counters[0].rounds.loop, "float" if op == "/" else "number")
    alike = len(counters) == 2 and op in ("-", "/", "//") and counters[0].rounds == counters[1].rounds
    of_zero = op == "*" and any(isinstance(operand, Const) and not operand.value for operand in operands)
    if alike or of_zero or len({counter.rounds.loop for counter in counters}) > 1:
        return None
    if op == "//" and isinstance(right, LoopCounter):
        return None
    kind = "float" if op == "/" or "float" in kinds else "number" if op == "**" or "number" in kinds else "int"
    each = op != "//" and all(counter.each for counter in counters)
    return _computed(counters[0], f"({_formula(left)}{op}{_formula(right)})", kind, each=each)


DIFFERING = ("+", "-", "*", "/", "//", "**")
"""With them, other operands mostly give another result."""


def _kind(number: Const | Static) -> str:
    return type(number.value).__name__ if isinstance(number, Const) else number.kind


def _formula(number: Value) -> str:
    """How a number follows a loop; what does not follow it is told apart by its value, or as a value."""
    if isinstance(number, LoopCounter):
        return number.rounds.formula
    return repr(number.value) if isinstance(number, Const) else str(id(number))


def _computed(counter: LoopCounter, formula: str, kind: str, *, each: bool) -> LoopCounter | None:
    """What is computed from a counter; None if its formula is too long to follow."""
    return LoopCounter(Rounds(counter.rounds.loop, formula), kind, each=each) if len(formula) <= _LONGEST else None


_LONGEST = 400
"""A formula may have so many characters: `x * x` doubles it."""


def function_of_counter(name: str, args: Args) -> LoopCounter | None:
    """What a function of numbers gives for a counter, if another number gives another result: `math.exp`, `float`.

    Args:
        name: the function's full name.
        args: what it gets.
    """
    counter = args.positional[0] if len(args.positional) == 1 and not args.keywords else None
    if not isinstance(counter, LoopCounter) or name not in _OF_NUMBERS:
        return None
    if not counter.each and counter.has_many_values:
        return LoopCounter.in_many_rounds(counter.rounds.loop, "float")
    return _computed(counter, f"{name}({counter.rounds.formula})", "float", each=counter.each)


_SMOOTH = ("exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "cos", "sin", "tanh")
_OF_NUMBERS = frozenset({"builtins.float", *(f"math.{name}" for name in _SMOOTH)})
"""Functions that mostly give another result for another number."""


def bounded_counter(name: str, numbers: list[Value]) -> LoopCounter | None:
    """`min` or `max` of a counter and of a bound that leaves it many values; None for anything else.

    Args:
        name: the function's name.
        numbers: what it compares.
    """
    counters = [number for number in numbers if isinstance(number, LoopCounter)]
    bounds = [number for number in numbers if not isinstance(number, LoopCounter)]
    if len(counters) != 1 or not all(isinstance(bound, (Const, Static)) for bound in bounds):
        return None
    rounds = counters[0].rounds
    if counters[0].kind != "int":
        return LoopCounter.in_many_rounds(rounds.loop, "number") if counters[0].has_many_values else None
    known = [bound.value for bound in bounds if isinstance(bound, Const)]
    if not all(type(value) is int for value in known) or (name == "min" and known and min(known) <= _FEW):
        return None
    text = ", ".join(map(_formula, bounds))
    return LoopCounter(Rounds(rounds.loop, f"{name}({rounds.formula}, {text})"), each=False)


def drawn_number(interp: Interpreter, method: str, args: Args, span: Span) -> LoopCounter | None:
    """The random number that the host draws in each round of a running loop; None if it is none, or one of few.

    Args:
        method: the function's last name: `randint`, `integers` …
        args: its arguments.
        span: where the call is written.
    """
    if method not in _DRAWN or not interp.loops or interp.staging:
        return None
    most = 0 if method in _BY_SIZE else 2
    if len(args.positional) > most or not args.keywords.keys() <= _NO_SIZE:
        return None  # an array, or what is not known
    bounds = [*args.positional, *(args.keywords[name] for name in ("low", "high") if name in args.keywords)]
    known = [bound.value for bound in bounds if isinstance(bound, Const) and isinstance(bound.value, int)]
    if _DRAWN[method] == "int" and known and len(known) == len(bounds) and _range(known) <= _FEW:
        return None
    return LoopCounter(Rounds(interp.loops[-1], f"drawn at {interp.module.name}:{span}"), _DRAWN[method])


def number_read(interp: Interpreter, value: Value, span: Span) -> LoopCounter | None:
    """The whole number that the host reads from an array in a round of a running loop: `int(buffer.size)`; else None.

    Whether it is another one in other rounds, the code around has to say.

    Args:
        value: what is read.
        span: where it is.
    """
    if not isinstance(value, (JaxArray, HostArray)) or not interp.loops or interp.staging:
        return None
    return LoopCounter(Rounds(interp.loops[-1], f"{READ}{interp.module.name}:{span}"), each=False)


READ = "read at "
"""In the formula of a number that is read from an array."""

_WHOLE = ("integers", "randint", "randrange", "randbelow")
_BY_SIZE = ("random", "rand", "randn", "standard_normal")
"""What is given to these by position is the shape of an array."""
_REAL = (*_BY_SIZE, "uniform", "gauss", "normal", "normalvariate")
_DRAWN = {**dict.fromkeys(_WHOLE, "int"), **dict.fromkeys(_REAL, "float")}
"""The kinds of numbers that functions of `random`, `secrets` and `numpy.random` draw."""
_NO_SIZE = {"low", "high", "endpoint", "loc", "scale", "dtype"}
"""Arguments with which they still draw one number."""

_FEW = 16
"""From a range of so many numbers each is drawn soon, and compiled once."""


def _range(bounds: list[int]) -> int:
    """How many numbers lie between two bounds, or between 0 and one bound."""
    return abs(bounds[0] - (bounds[1] if len(bounds) > 1 else 0))


def varying_slice_length(index: Value, lead: Lead | None) -> Rounds | None:
    """How the length of `array[index]` follows a loop, if a bound of the slice is a counter; else None.

    `lead` is the array's leading axis, on which the length of `array[i:]` depends.
    """
    first = index.elements[0] if isinstance(index, Tuple) and index.elements else index
    if not isinstance(first, Slice) or len(first.bounds) != 3:
        return None
    lower, upper, step = first.bounds
    if not isinstance(step, Const):
        return None
    if isinstance(upper, LoopCounter) and isinstance(lower, Const):
        return Rounds(upper.rounds.loop, f"{lower.value}:{upper.rounds.formula}")
    if isinstance(lower, LoopCounter) and isinstance(upper, Const):
        return Rounds(lower.rounds.loop, f"{lower.rounds.formula}:{upper.value} of {lead}")
    return None


def resized_by_round(interp: Interpreter, before: object, after: object, loop: int) -> Value | None:
    """If a round of a loop made an array longer or shorter: that array, with a length that differs in each round.

    So with a list or tuple that it made longer: what that holds; and with a tuple, or an object of which it made
    another, that holds such an array: one that does.

    Args:
        before: what the variable held before the round.
        after: what it holds after the round.
        loop: the loop's identity.
    """
    if isinstance(before, Instance) and isinstance(after, Instance):
        return inside(interp, after, partial(_resized_fields, interp, before, after, loop), None)
    if isinstance(before, Tuple) and isinstance(after, Tuple) and len(after.elements) == len(before.elements):
        pairs = zip(before.elements, after.elements, strict=True)
        parts = [resized_by_round(interp, *pair, loop) for pair in pairs]
        kept = tuple(part or old for part, old in zip(parts, before.elements, strict=True))
        return Tuple(kept, before.cls) if any(parts) else None
    if isinstance(before, Tuple) and isinstance(after, Tuple) and len(after.elements) > len(before.elements):
        return GrowingSequence(join_all(after.elements), loop) if after.cls is None else None
    if not isinstance(after, (JaxArray, HostArray)):
        return None
    leads = (before.lead, after.lead) if isinstance(before, Array) else (None, None)
    if leads[0] is not None and leads[1] is not None and leads[0][0] == leads[1][0] and leads[0] != leads[1]:
        return type(after)(after.dtype, after.rank, after.weak, (Rounds(loop, GROWS), 0))
    if not _was_joined(before, after):
        return None
    array = type(after)(after.dtype, after.rank, after.weak, exact=after.exact)
    array.whole = Rounds(loop, GROWS), 0
    return array


def _resized_fields(interp: Interpreter, before: Instance, after: Instance, loop: int) -> Instance | None:
    """An object that holds an array which a round made longer, where it made another object of the class."""
    if before is after or before.cls is not after.cls or before.traced is not None:
        return None
    pairs = {name: (before.fields.get(name), value) for name, value in after.fields.items()}
    resized = {name: resized_by_round(interp, *pair, loop) for name, pair in pairs.items() if pair[0] is not pair[1]}
    changed = {name: value for name, value in resized.items() if value is not None}
    return before.with_fields(changed) if changed else None


def grown(result: Value, joined: Tuple) -> Value:
    """The result of joining arrays, with a note of what it is longer than.

    In a trace, that is the argument that is joined with others just as it came; outside of one, each of the arrays.
    """
    if len(joined.elements) < 2:
        return result
    if isinstance(result, (JaxArray, HostArray)):
        arrays = [part for part in joined.elements if isinstance(part, (JaxArray, HostArray))]
        before = [part.whole for part in arrays if part.whole is not None]
        growing = next((whole for whole in before if isinstance(whole[0], Rounds)), None)
        times = max((whole[1] for whole in before), default=0) + 1
        result.whole = growing or ((joined, times) if times <= _MOST_JOINED else None)
    wholes = [part.whole for part in joined.elements if isinstance(part, Traced) and part.whole is not None]
    if not wholes or not isinstance(result, Traced):
        return result
    symbol, added = wholes[0]
    return result.replace(whole=(symbol, added + len(joined.elements) - 1))


_MOST_JOINED = 64
"""What was joined so often is not remembered any longer: each remembers the one before."""


def joined_by_library(interp: Interpreter, result: Value, name: str, args: Args, span: Span) -> Value:
    """What a function of a library has given; if it joins arrays of the host, or a list that grows, that says so.

    A list from which something is popped may have a few lengths only.
    """
    last = name.rpartition(".")[2]
    content = content_of(args.first)
    if not isinstance(result, (HostArray, JaxArray)) or result.whole is not None:
        return result
    if isinstance(content, GrowingSequence) and last in _OF_LISTS:
        if isinstance(args.first, List) and args.first.kind != "list":  # a deque may have a longest length
            return result
        tree = interp.project.tree(interp.module)
        if tree is None or interp.module.snippet(args.place(span)).rpartition(".")[2] in tree.popped:
            return result
        result.whole = Rounds(content.loop, GROWS), 0
    elif isinstance(result, HostArray) and last == "append" and len(args.positional) > 1:
        grown(result, Tuple(tuple(args.positional[:2])))
    elif isinstance(result, HostArray) and last in _JOINING and isinstance(content, Tuple):
        grown(result, content)
    return result


_JOINING = frozenset({"concatenate", "vstack", "hstack", "column_stack", "row_stack"})
_OF_LISTS = frozenset({"array", "asarray", "stack", *_JOINING})
"""Functions whose result is as long, or as wide, as the list that they get."""


def _was_joined(before: object, after: JaxArray | HostArray) -> bool:
    """Whether an array is one that was joined with others, along whichever axis."""
    joined = after.whole[0] if after.whole is not None else None
    return isinstance(joined, Tuple) and before is not UNKNOWN and any(part is before for part in joined.elements)


def stepped_by_round(after: object, name: str, op: str, loop: int) -> LoopCounter | None:
    """The counter that a number is which each round of a loop computes anew from itself; None if that is none.

    An int that is doubled or halved has a few values only until it is large: they are no reason to trace it.

    Args:
        after: what the variable holds after a round.
        name: the variable.
        op: what a round does to it.
        loop: the loop's identity.
    """
    kind = type(after.value).__name__ if isinstance(after, Const) else after.kind if isinstance(after, Static) else ""
    if kind == "number":  # as `max(least, rate * noise)` gives: at its bound in the end
        return LoopCounter.in_many_rounds(loop, kind)
    if kind not in ("int", "float") or op not in (("+", "-") if kind == "int" else ("+", "-", "*", "/")):
        return None
    return LoopCounter(Rounds(loop, f"{name}{op}"), kind)


def loop_that_adds(interp: Interpreter, held: Dict, key: Value) -> int | None:
    """The running loop, by its identity, each of whose rounds adds a key to a dict from before; None if none does."""
    loop = key.rounds.loop if isinstance(key, LoopCounter) and key.each else None
    return loop if loop in interp.loops and loop not in held.loops else None


def varying_size(interp: Interpreter, value: Value, loops: tuple[int, ...]) -> Rounds | None:
    """How the shape of an argument, or of an element of it, follows one of `loops`; None if it does not."""
    for part in alternatives(value):
        rounds = part.lead[0] if isinstance(part, Array) and part.lead is not None else None
        if isinstance(part, (JaxArray, HostArray)) and part.whole is not None and not isinstance(rounds, Rounds):
            rounds = part.whole[0]
        if isinstance(part, ResizedInLoop):
            rounds = part.rounds
        held = content_of(part)
        if isinstance(held, GrowingSequence):
            rounds = Rounds(held.loop, GROWS)
        if isinstance(part, Dict) and part.grows is not None:
            rounds = Rounds(part.grows, GROWS)
        if isinstance(rounds, Rounds) and rounds.loop in loops:
            return rounds
        if isinstance(part, Instance):
            found = inside(interp, part, partial(_first_size, interp, part.fields.values(), loops), None)
        else:
            found = _first_size(interp, part.elements, loops) if isinstance(part, Tuple) else None
        if found is not None:
            return found
    return None


def _first_size(interp: Interpreter, parts: Iterable[Value], loops: tuple[int, ...]) -> Rounds | None:
    """How the shape of the first of some values that follows one of `loops` does; None if none does."""
    return next(filter(None, (varying_size(interp, part, loops) for part in parts)), None)


def check_unrolled(interp: Interpreter, iterable: Value, span: Span, construct: str, body: Span, before: int) -> None:
    """Predicts an event where a Python loop in traced code is unrolled: each round records its body again.

    Args:
        interp: where the loop has just ended.
        iterable: what it goes over.
        span: where that is written.
        construct: the kind of loop: "for", or a comprehension.
        body: where its body is written.
        before: `unit.recorded` when the loop began: a loop that recorded nothing is not unrolled.
    """
    if not interp.staging or interp.unit.recorded == before:
        return
    for part in alternatives(iterable):
        detail = {"over": "range", "body": str(interp.module.place(body).line)}
        if isinstance(part, Traced) and not part.concrete and not part.tree and part.rank != 0:
            interp.emit(EventKind.UNROLLED, span, construct, value=part, detail={**detail, "over": "array"})
        elif isinstance(part, Sequence) and part.kind == "range":
            long = Assumption(AssumptionKind.MANY_ROUNDS, f"`{interp.module.snippet(span)}` is long")
            interp.emit(EventKind.UNROLLED, span, construct, detail=detail, assuming=long)
        elif isinstance(part, Const) and isinstance(part.value, range) and len(part.value) >= MANY:
            interp.emit(EventKind.UNROLLED, span, construct, detail=detail)
