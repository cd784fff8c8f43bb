"""Compares structures that structured control flow must keep: carries, branches, predicates, scanned lengths.

`lax.scan` wants the carry that its body returns to have the structure, shapes and dtypes of the one it got; `lax.cond`
wants all branches to return the same. Each `check_…` function emits an event for one such demand; `difference` says in
words what differs.
"""

from __future__ import annotations

import enum
import itertools
import re
from collections.abc import Sequence
from typing import Final

from jitlint.analysis.arrays.dtypes import least_rank, rank_of
from jitlint.analysis.language.classes import class_facts, lineage
from jitlint.analysis.language.instances import leaf_fields
from jitlint.analysis.language.signatures import signature_of
from jitlint.analysis.machine.context import Chosen
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.array_differences import array_difference, lead_difference, scalar_dtype
from jitlint.analysis.tracing.cache.static_fields import static_attributes
from jitlint.analysis.tracing.choices import ways_to_choose
from jitlint.analysis.values import (
    NEVER,
    UNKNOWN,
    Array,
    BoundMethod,
    Const,
    Dict,
    Function,
    Instance,
    List,
    Method,
    Partial,
    Static,
    Traced,
    Transformed,
    Tuple,
    Union,
    Value,
    is_none,
    look,
)
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.flow import Flow
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span

DEEPEST: Final = 20
"""So deep the parts of two values are compared: what holds itself has no end."""

_NUMBERS = ("int", "float", "complex")


class Wanted(enum.Enum):
    """Which of the values that the two sides of a comparison may be have to differ."""

    ALL = enum.auto()
    """None on one side fits one on the other."""
    OF_ONE_KIND = enum.auto()
    """Both sides may be of the same kinds (None or a dict), and all of one kind differ: an option of one side is kept
    by the other."""
    ON_A_PATH = enum.auto()
    """All, where a value before or after stands for what one of two joined paths gives."""
    SOME = enum.auto()
    """One of those after fits none of those before."""


def difference(
    interp: Interpreter,
    before: Value,
    after: Value,
    *,
    yielding: bool = False,
    wanted: Wanted = Wanted.ALL,
    depth: int = DEEPEST,
) -> str:
    """Says why `after` cannot stand where `before` was: "float becomes int"; "" if it can, or if that is not known.

    Args:
        yielding: whether a Python number in `before` may become an array of a higher dtype in `after`, as in carries.
            Otherwise the dtypes must be equal.
        wanted: which of several values have to differ.
        depth: how deep parts are compared.
    """
    look()
    if depth == 0:
        return ""
    if isinstance(before, Union) or isinstance(after, Union):
        return _difference_of_alternatives(interp, before, after, yielding, wanted, depth)
    if isinstance(before, Array) and isinstance(after, Array):
        grown = lead_difference(before, after)
        if grown:
            return grown
    kinds = kind_of(before), kind_of(after)
    if "" in kinds or any(isinstance(value, Instance) and value.guessed for value in (before, after)):
        return ""
    if kinds[0] != kinds[1]:
        return f"{kinds[0]} becomes {kinds[1]}"
    if isinstance(before, Tuple) and isinstance(after, Tuple) and before.cls is not after.cls:
        return f"{class_name_of(before)} becomes {class_name_of(after)}"
    if kinds[0] == "an array":
        found = array_difference(before, after, yielding)
        if found or wanted is not Wanted.ON_A_PATH:
            return found
        return next(filter(None, (array_difference(*each, yielding) for each in _on_each_path(before, after))), "")
    if isinstance(before, Instance) and isinstance(after, Instance):
        parts = fields_of(interp, before), fields_of(interp, after)
        changed = _static_difference(interp, before, after) if parts[0] is not None else ""
        if changed:
            return changed
    else:
        parts = parts_of(before), parts_of(after)
    if parts[0] is None or parts[1] is None:
        return ""
    if parts[0].keys() != parts[1].keys():
        return keys_difference(kinds[0], list(parts[0]), list(parts[1]))
    for key, part in parts[0].items():
        found = difference(interp, part, parts[1][key], yielding=yielding, wanted=wanted, depth=depth - 1)
        if found:
            return f"`{key}`: {found}" if isinstance(before, (Instance, Dict)) else found
    return ""


def _on_each_path(before: Value, after: Value) -> list[tuple[Value, Value]]:
    """Two arrays as each of two paths makes them that one was joined of. What both were joined of, may be the same."""
    old = before.mixed if isinstance(before, Array) else ()
    new = after.mixed if isinstance(after, Array) else ()
    if old and new:
        return []
    return [
        *((Array(dtype, rank_of(before), weak), after) for dtype, weak in old),
        *((before, Array(dtype, rank_of(after), weak)) for dtype, weak in new),
    ]


def _difference_of_alternatives(
    interp: Interpreter, before: Value, after: Value, yielding: bool, wanted: Wanted, depth: int
) -> str:
    """As `difference`, where one side may be one of several values."""
    olds, news = alternatives(before), alternatives(after)
    options = [
        [difference(interp, old, new, yielding=yielding, wanted=wanted, depth=depth) for old in olds] for new in news
    ]
    if wanted is Wanted.OF_ONE_KIND:
        return _of_one_kind([*map(kind_of, olds)], [*map(kind_of, news)], options)
    wrong = [each[0] for each in options if all(each)]
    return wrong[0] if wrong and (wanted is Wanted.SOME or len(wrong) == len(options)) else ""


def _of_one_kind(before: list[str], after: list[str], options: list[list[str]]) -> str:
    """The difference of two sides that may be of the same kinds, if all of one kind differ; else "".

    Args:
        before: the kinds of the values before.
        after: those of the values after.
        options: for each value after, how it differs from each before.
    """
    if set(before) != set(after) or "" in before:
        return ""
    for kind in dict.fromkeys(before):
        pairs = [
            found
            for new, row in zip(after, options, strict=True)
            for old, found in zip(before, row, strict=True)
            if old == new == kind
        ]
        if all(pairs):
            return pairs[0]
    return ""


def kind_of(value: Value) -> str:
    """What kind of structure a value is, in the words of messages; "" if that is not known."""
    if is_none(value):
        return "None"
    if isinstance(value, Tuple):
        return "a tuple"
    if isinstance(value, List):
        return "a list" if value.kind == "list" else ""
    if isinstance(value, Dict):
        return "a dict"
    if isinstance(value, Traced) and value.tree:
        return ""
    if isinstance(value, Instance):
        return f"a `{value.cls.code.name}`"
    if isinstance(value, (Array, Const, Static)) and (isinstance(value, Array) or scalar_dtype(value)):
        return "an array"
    return ""


def class_name_of(value: Tuple) -> str:
    """The name of a named tuple's class."""
    return value.cls.code.name if value.cls is not None else "a tuple"


def parts_of(value: Value) -> dict[object, Value] | None:
    """The parts of a container by index or key; None if they are not all known."""
    content = content_of(value)
    if isinstance(content, Tuple):
        return dict(enumerate(content.elements))
    if isinstance(content, Dict) and content.rest is NEVER and not content.unsure:
        return dict(content.entries)
    return None


def fields_of(interp: Interpreter, value: Instance) -> dict[object, Value] | None:
    """The leaves of an instance of a pytree class, by name; None if they are not all known."""
    names = leaf_fields(interp, value.cls)
    if names is None or value.guessed or any(cls.by_functions for cls in lineage(value.cls)):
        return None
    known = class_facts(interp, value.cls)
    leaves = [field.name for field in known.fields if not field.static and (not names or field.name in names)]
    return {name: value.fields.get(name, UNKNOWN) for name in leaves}


def _static_difference(interp: Interpreter, before: Instance, after: Instance) -> str:
    """Says which static field, a part of the structure, has another value: text or a number that is known."""
    if before.several or after.several:
        return ""
    for name in sorted(static_attributes(interp, before.cls)):
        values = before.fields.get(name), after.fields.get(name)
        old, new = (each.value if isinstance(each, Const) else None for each in values)
        if isinstance(old, (str, int, float)) and isinstance(new, (str, int, float)) and old != new:
            return f"the static `{name}`: {old!r} becomes {new!r}"
    return ""


def keys_difference(kind: str, before: list[object], after: list[object]) -> str:
    """Says how the keys or the lengths of two containers differ."""
    if kind == "a dict":
        changed = [key for key in after if key not in before] or [key for key in before if key not in after]
        return f"the dict's key {changed[0]!r} is not in both"
    return f"{kind} of {len(before)} becomes one of {len(after)}"


# --- checks -----------------------------------------------------------------------------------------------------------


def where_written(interp: Interpreter, functions: list[Value], what: str) -> Flow | None:
    """A flow through the places where the functions are written that do not fit."""
    flow: Flow | None = None
    for function in functions:
        target = signature_of(interp, function)
        if target is not None:
            module, span = target.function.module, target.code.name_span
            flow = interp.source_at(module, span, what) if flow is None else flow.then(module, span, what)
    return flow


def _difference_of_results(
    interp: Interpreter,
    before: Value,
    after: Value,
    who: str,
    chosen: Sequence[Chosen],
    *,
    yielding: bool = False,
) -> tuple[str, Assumption | None]:
    """Says what differs, and what that rests on: that `who` returns the one of several values that does not fit.

    Args:
        chosen: the calls of one of several functions.
        yielding: see `difference`.
    """
    found = difference(interp, before, after, yielding=yielding)
    if found:
        return found, None
    found = difference(interp, before, after, yielding=yielding, wanted=Wanted.ON_A_PATH)
    if found:
        return found, Assumption(AssumptionKind.PATH_TAKEN, "the path is taken on which it changes")
    found = difference(interp, before, after, yielding=yielding, wanted=Wanted.OF_ONE_KIND)
    if found:
        return found, Assumption(AssumptionKind.OF_ONE_KIND, "the part is there, or is of the kind, that changes")
    found = difference(interp, before, after, yielding=yielding, wanted=Wanted.SOME)
    for kind, results, _, called in chosen if found else ():
        for one, (other, text) in itertools.permutations(zip(results, called, strict=True), 2):  # each can be chosen
            if found == difference(interp, one[0], other, yielding=yielding):
                return found, Assumption(kind, text)
    if not found:
        ways = [(assumed, before, way) for assumed, way in ways_to_choose(chosen, after)]
        ways += [(assumed, way, after) for assumed, way in ways_to_choose(chosen, before)]
        for assumed, old, new in ways:
            found = difference(interp, old, new, yielding=yielding)
            if found:
                return found, assumed
    return found, Assumption(AssumptionKind.ONE_OF_VALUES, f"one of the values that {who} may return")


_OTHER_CHOICE: Final = re.compile(r"(.*: )?(an array|a tuple|a list|a dict) becomes (an array|a tuple|a list|a dict)")
"""Differences between what goes with one of several functions and what goes with another one."""


def check_carry(interp: Interpreter, name: str, body: Value, before: Value, after: Value, span: Span) -> None:
    """The carry must come out of a loop's body as it went in."""
    chosen = interp.trace.chosen if interp.trace is not None else ()
    found, assuming = _difference_of_results(interp, before, after, "the body", chosen, yielding=True)
    if _OTHER_CHOICE.fullmatch(found):
        kinds = {each.kind for each in (*interp.path.assumptions, *([assuming] if assuming else []))}
        if AssumptionKind.OFFERED_FUNCTION in kinds:
            assuming = Assumption(AssumptionKind.ONE_OF_FUNCTIONS, "what is carried goes with another of the functions")
    if found:
        flow = where_written(interp, [body], "the body")
        interp.emit(EventKind.CARRY, span, name, flow=flow, detail={"difference": found}, assuming=assuming)


def check_counter(interp: Interpreter, name: str, counter: Value, span: Span) -> bool:
    """Whether the body of a `fori_loop` uses the counter, which it gets first, as a scalar.

    Emits an event where it uses it as an array: it takes the counter for the carry.
    """
    if interp.trace is None or not isinstance(counter, Traced):
        return True
    for flow, module, place, symbol in interp.trace.scalar_uses:
        if flow.start is counter.flow.start:
            steps = flow.then(interp.frame.module, span, "the loop")
            interp.emit(EventKind.BODY_ORDER, place, name, value=counter, flow=steps, module=module, symbol=symbol)
            return False
    return True


def check_combined(interp: Interpreter, name: str, elements: Value, result: Value, span: Span) -> None:
    """The function given to `associative_scan` must return as many leaves as an element has."""
    counts = _leaf_count(elements), _leaf_count(result)
    if None not in counts and counts[0] != counts[1]:
        leaves = "leaf becomes" if counts[0] == 1 else "leaves become"
        interp.emit(EventKind.CARRY, span, name, detail={"difference": f"{counts[0]} {leaves} {counts[1]}"})


def _leaf_count(value: Value) -> int | None:
    """How many leaves a value has; None if that is not known."""
    kind = kind_of(value)
    if kind in ("None", "an array"):
        return int(kind == "an array")
    parts = parts_of(value)
    counts = [_leaf_count(part) for part in parts.values()] if parts is not None else [None]
    return None if None in counts else sum(count or 0 for count in counts)


def check_branches(
    interp: Interpreter,
    name: str,
    branches: list[Value],
    results: list[Value],
    chosen: Sequence[Chosen],
    span: Span,
) -> None:
    """All branches must return the same structure. `chosen` are their calls of one of several functions."""
    for branch, result in zip(branches[1:], results[1:], strict=True):
        found, assuming = _difference_of_results(interp, results[0], result, "a branch", chosen)
        if found:
            flow = where_written(interp, [branches[0], branch], "a branch")
            detail = {"difference": found.replace(" becomes ", " against ")}
            interp.emit(EventKind.BRANCHES, span, name, flow=flow, detail=detail, assuming=assuming)
            return


def check_operands(interp: Interpreter, name: str, function: Value, count: int, span: Span) -> bool:
    """Whether a branch can take as many operands as it is given. Emits an event if it cannot."""
    if isinstance(function, (Array, Tuple, List, Dict)) and not (isinstance(function, Traced) and function.tree):
        detail = {"difference": f"a branch is {kind_of(function) or 'a container'}, no function"}
        interp.emit(EventKind.BRANCHES, span, name, detail=detail)
        return False
    taken = other_count(interp, function, count)
    if taken:
        flow = where_written(interp, [function], "the branch")
        detail = {"difference": f"a branch takes {taken} operands and gets {count}"}
        interp.emit(EventKind.BRANCHES, span, name, flow=flow, detail=detail)
    return not taken


def check_arguments_of_body(interp: Interpreter, name: str, body: Value, count: int, span: Span) -> bool:
    """Whether the body of a loop can take as many arguments as it is given. Emits an event if it cannot."""
    taken = other_count(interp, body, count)
    if taken:
        flow, detail = where_written(interp, [body], "the body"), {"takes": taken, "gets": str(count)}
        interp.emit(EventKind.BODY_ORDER, span, name, flow=flow, detail=detail)
    return not taken


def other_count(interp: Interpreter, function: Value, count: int) -> str:
    """How many arguments a function takes by position, if it cannot take `count`: "1", or "1 to 3"; else ""."""
    target = signature_of(interp, function)
    if target is None or target.count is None:
        return ""
    plain = [p for p in target.parameters if p.kind in ("positional-only", "positional")]
    needed = sum(p.default is None for p in plain)
    if needed <= count <= len(plain):
        return ""
    return f"{needed}" if needed == len(plain) else f"{needed} to {len(plain)}"


def check_predicate(interp: Interpreter, name: str, condition: Value, result: Value, span: Span) -> None:
    """The condition of a `while_loop` must return a boolean scalar."""
    given = ""
    if isinstance(result, (Tuple, List, Dict)) or kind_of(result) == "None":
        given = kind_of(result)
    elif isinstance(result, Array) and not (isinstance(result, Traced) and result.tree):
        if result.dtype in ("int", "float", "complex", "number"):
            given = "a number" if result.dtype == "number" else f"dtype {result.dtype}"
        elif result.rank:
            given = f"rank {result.rank}"
        elif least_rank(result):
            given = f"rank {least_rank(result)} or more"
    elif scalar_dtype(result) not in (None, "bool"):
        given = f"dtype {scalar_dtype(result)}"
    if given:
        flow = where_written(interp, [condition], "the condition")
        interp.emit(EventKind.PREDICATE, span, name, flow=flow, detail={"given": given})


def check_pair(interp: Interpreter, name: str, body: Value, result: Value, span: Span) -> None:
    """The body of a scan must return a pair (carry, output): any container of two parts that is a pytree."""
    parts = parts_of(result)
    given = kind_of(result)
    if parts is not None:
        given = f"{given} of {len(parts)}" if len(parts) != 2 else ""
    elif given not in ("None", "an array"):
        given = ""
    if given:
        flow = where_written(interp, [body], "the body")
        interp.emit(EventKind.BODY_RESULT, span, name, flow=flow, detail={"given": given})


def check_selector(interp: Interpreter, name: str, selector: Value, span: Span) -> None:
    """The value that selects a branch is a scalar: a boolean or real number for `cond`, an integer for `switch`.

    An object that an annotation or its attributes let guess may be a number: some classes only hold the names of such.
    """
    if isinstance(selector, Instance) and selector.guessed:
        return
    given = "" if kind_of(selector) == "an array" else kind_of(selector) or _no_number(selector)
    if isinstance(selector, Array) and not (isinstance(selector, Traced) and selector.tree) and selector.rank:
        given = f"rank {selector.rank}"
    elif isinstance(selector, Array) and least_rank(selector):
        given = f"rank {least_rank(selector)} or more"
    dtype = selector.dtype if isinstance(selector, Array) else scalar_dtype(selector)
    refused = ("bool", "float", "complex") if name.endswith("switch") else ("complex",)
    if not given and dtype in refused:
        given = f"dtype {dtype}"
    if given:
        interp.emit(EventKind.SELECTOR, span, name, detail={"given": given})


def _no_number(value: Value) -> str:
    """What a value is that is no number at all: a function that nobody called, or a text; else ""."""
    of_array = isinstance(value, Method) and isinstance(value.receiver, Array)  # of an object it may be any attribute
    if of_array or isinstance(value, (Function, BoundMethod, Partial, Transformed)):
        return "a function"
    text = isinstance(value, Const) and isinstance(value.value, str)
    return "a text" if text or (isinstance(value, Static) and value.kind == "str") else ""


def check_bounds(interp: Interpreter, name: str, lower: Value, upper: Value, span: Span) -> None:
    """The bounds of a `fori_loop` must have one dtype."""
    found = [value.dtype if isinstance(value, Array) else scalar_dtype(value) for value in (lower, upper)]
    if found[0] in _NUMBERS and found[1] in _NUMBERS and found[0] != found[1]:
        interp.emit(EventKind.BOUNDS, span, name, detail={"difference": f"{found[0]} and {found[1]}"})


def check_lengths(interp: Interpreter, name: str, xs: Value, length: Value | None, span: Span) -> None:
    """All leading axes that are scanned over must have the same length, which is also `length` if that is given.

    An array without any element was made of a list that other code fills: its length is not known.
    """
    known: dict[object, int] = {}
    if isinstance(length, Const) and isinstance(length.value, int):
        known[None] = length.value
    for lead in _leads(xs):
        if lead == (None, 0):
            continue
        other = known.setdefault(lead[0], lead[1])
        if other != lead[1]:
            detail = {"difference": f"one leading axis is {abs(other - lead[1])} longer than another"}
            interp.emit(EventKind.LENGTHS, span, name, detail=detail)
            return


def _leads(value: Value) -> list[tuple[object, int]]:
    """The leading axes of all arrays in a value."""
    if isinstance(value, Array):
        return [value.lead] if value.lead is not None else []
    parts = parts_of(value) if isinstance(value, (Tuple, List, Dict)) else None
    return [lead for part in (parts or {}).values() for lead in _leads(part)]
