"""Functions of the project: making them, binding arguments, running bodies, remembering results.

A call runs the body on its arguments, unless a call with the same arguments has run before: then it has the same result
(the memo). A function that calls itself gets the best result known so far, and runs again until that does not change (a
fixpoint). machine/limits.py bounds depth and number of calls; beyond a limit the result is Unknown.

calls.py says which values are functions to call; `call_function` is where all calls of project code end.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Mapping
from itertools import islice

from jitlint import ir
from jitlint.analysis.language.annotations import declares_dict
from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.language.instances import as_declared
from jitlint.analysis.machine.accesses import record_compiled_calls
from jitlint.analysis.machine.buffers import another, is_one_object
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.limits import (
    CALL_COST,
    MAX_CALL_DEPTH,
    MAX_CALLS,
    PRECISE_CALLS,
    PRECISE_TEXTS,
    ROOT_CALLS,
    TOO_DEEP,
    TOO_MANY,
)
from jitlint.analysis.machine.options import COMMAND_LINE, as_default, as_typed, default_in_call, note_empty
from jitlint.analysis.machine.parts import Result
from jitlint.analysis.machine.store import NO_SERIAL
from jitlint.analysis.values import (
    NEVER,
    NONE,
    UNKNOWN,
    Const,
    Dict,
    Frame,
    Function,
    Instance,
    Iterator,
    Partial,
    Sequence,
    Traced,
    Tuple,
    Union,
    Unknown,
    Value,
    look,
    newest_serial,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of, with_new_identity
from jitlint.analysis.values.joins import (
    join,
    join_all,
    join_if_told_apart,
    offered,
    tuple_of,
    widen,
    without_doubtful_arrays,
)
from jitlint.source.places import Span

_MAKERS = 3
"""So many of the calls in which a function is made are kept with it."""

_MOST_PARTS = 100
"""Among so many parts of what a call gives, its arguments are looked for."""


def make_function(interp: Interpreter, code: ir.Function) -> Function:
    """The function that a `def` or `lambda` makes here, with its defaults and closure."""
    owner = f"{interp.module.name}.{code.qualname}"
    defaults = {
        p.name: note_empty(
            interp,
            as_default(interp.evaluate(p.default), p.name, owner, declared=p.annotation is not None),
            p.name,
            owner,
            p.annotation,
        )
        for p in code.parameters
        if p.default is not None
    }
    options = [value.option for value in defaults.values() if isinstance(value, Const) and value.option is not None]
    interp.world.settings.written.update(options)
    function = Function(code, interp.module, interp.frame, defaults, interp.loops, interp.depth)
    calls = (frame.called_at for frame in interp.path.frames[-_MAKERS:])
    function.made_by = tuple([site for site in calls if site is not None])
    interp.world.functions.append(function)
    interp.frame.has_closures = True
    return function


def bind_arguments(interp: Interpreter, function: Function, args: Args, span: Span) -> dict[str, Value]:
    """The values of the parameters in a call, by name. A parameter without an argument or default is Unknown."""
    bound: dict[str, Value] = {}
    parameters = function.code.parameters
    needed = args.rest is not None and _leaves_parameters_open(function, args)
    positional = args.positional
    missing = len(positional) - len(args.spans)
    spans = [*args.spans, *[span] * missing] if missing > 0 else args.spans
    keywords = dict(args.keywords)
    taken = 0
    for parameter in parameters:
        name = parameter.name
        if parameter.kind == "*":
            extra = [
                _with_passing_step(interp, positional[i], spans[i], function, name)
                for i in range(taken, len(positional))
            ]
            taken = len(positional)
            bound[name] = _value_of_star_parameter(extra, args.rest)
            continue
        if parameter.kind == "**":
            rest = NEVER if args.more is None else args.more
            given = Dict(dict(keywords), rest, interp.depth, interp.loops, None)
            given.maybe = args.maybe
            bound[name] = given
            continue
        if parameter.kind != "keyword-only" and taken < len(positional):
            bound[name] = _with_passing_step(interp, positional[taken], spans[taken], function, name)
            taken += 1
        elif name in keywords and parameter.kind != "positional-only":
            place = args.keyword_spans.get(name, span)
            bound[name] = _with_passing_step(interp, keywords.pop(name), place, function, name)
        else:
            bound[name] = _value_without_argument(interp, function, parameter, args, needed)
        if interp.root_run.command_line is not None:
            bound[name] = as_typed(interp, bound[name], function.defaults.get(name))
        if parameter.annotation is not None:
            bound[name] = _as_annotated(interp, function, parameter.annotation, bound[name])
    return bound


def _as_annotated(interp: Interpreter, function: Function, annotation: ir.Expr, value: Value) -> Value:
    """An argument as the annotation of its parameter says, as far as it is not known.

    What goes where a dict is declared is one, even if it comes from a dict whose other items are arrays.
    """
    if isinstance(value, (Unknown, Union)):
        return as_declared(interp, function, annotation, value)
    if isinstance(value, Traced) and not value.tree and declares_dict(annotation):
        return value.replace(tree=True, rank=None)
    return value


def _is_refused(function: Function, args: Args) -> bool:
    """Whether Python refuses a call: it has too many arguments, or a keyword that is none of the parameters.

    Too few are another matter: a library calls functions with arguments that the models do not know of.
    """
    kinds, names = set(), set()
    for parameter in function.code.parameters:
        kinds.add(parameter.kind)
        names.add(parameter.name)
    plain = sum(p.kind in ("positional", "positional-only") for p in function.code.parameters)
    if len(args.positional) > plain and "*" not in kinds:
        return True
    return "**" not in kinds and not names.issuperset(args.keywords)


def _leaves_parameters_open(function: Function, args: Args) -> bool:
    """Whether there are parameters that have neither an argument nor a default."""
    plain = [p.name for p in function.code.parameters if p.kind in ("positional-only", "positional")]
    return any(name not in args.keywords and name not in function.defaults for name in plain[len(args.positional) :])


def _value_of_star_parameter(values: list[Value], rest: Value | None) -> Value:
    """The value of `*args`: the arguments that are left, and those of a star of unknown length."""
    return tuple_of(values) if rest is None else Sequence("tuple", join_all([*values, rest]))


def _value_without_argument(
    interp: Interpreter, function: Function, parameter: ir.Parameter, args: Args, needed: bool
) -> Value:
    """The value of a parameter that no argument names: its default, or what a star of unknown length may pass.

    Such a star is taken to end with the parameters that need it (`needed`: there are some): in `f(x, *rest)`, `rest`
    passes what has no default, and the parameters with a default have it.
    """
    default = function.defaults.get(parameter.name)
    possible: Value = NEVER
    if args.rest is not None and parameter.kind != "keyword-only" and (default is None or not needed):
        possible = without_doubtful_arrays(with_new_identity(args.rest))  # each parameter gets another element
    elif (given := args.further(parameter.name)) is not None and parameter.kind != "positional-only":
        possible = UNKNOWN if args.maybe is None else without_doubtful_arrays(given)
    if default is None:
        return UNKNOWN if possible is NEVER else possible
    return default_in_call(interp, function.code, default) if possible is NEVER else join(default, possible)


def _with_passing_step(interp: Interpreter, value: Value, span: Span, function: Function, name: str) -> Value:
    """An argument with one more step in its flow: passed to the function."""
    if isinstance(value, Traced) and function.code.name != "<lambda>":
        return value.with_step(interp.module, span, f"passed to `{function.code.name}` as `{name}`")
    return value


def call_function(interp: Interpreter, function: Function, args: Args, span: Span) -> Value:
    """The result of calling a function of the project: its body is run, unless the same call was seen before.

    Calls are the same if their arguments have the same keys (values/call_keys.py), in the same kind of context, and the
    variables of the closure have not changed since.
    """
    code = function.code
    interp.unit.looked_at[id(code)] = function
    if function.cls is not None and is_stub(interp, code):
        return UNKNOWN
    if _is_refused(function, args):
        return UNKNOWN
    if interp.path.call_depth >= MAX_CALL_DEPTH:
        interp.give_up(TOO_DEEP)
        return UNKNOWN
    interp.unit.used_keys.latest = frozenset()
    interp.spend(CALL_COST)
    interp.unit.visited.add(id(code))
    interp.record_call(function)
    bound = bind_arguments(interp, function, args, span)
    # beyond PRECISE_CALLS different calls of a function, constants are forgotten; beyond MAX_CALLS, it is not followed
    place = (id(code), interp.depth, interp.staging)
    count = interp.unit.call_counts.get(place, 0)
    of_root = interp.root_run.call_counts.get(place, 0)
    if count > MAX_CALLS and of_root >= ROOT_CALLS:
        interp.give_up(TOO_MANY)
        return UNKNOWN
    if count > PRECISE_CALLS and of_root >= ROOT_CALLS:
        bound = {name: _widened(value, count) for name, value in bound.items()}
    # the same call as before has the same result
    trace = interp.trace
    context = (trace.depth, trace.staging, trace.concrete, trace.cached, trace.axis_names) if trace else ()
    known: Hashable = (
        id(code),
        function.closure.serial,
        tuple([interp.unit.keys.of(value) for value in bound.values()]),
        context,
        bool(interp.loops),
        bool(interp.path.handlers),
        bool(interp.path.assumptions),
        interp.path.silenced > 0,
        interp.path.untraced,
    )
    rebound = _count_rebound(function.closure)
    result, remembered = _remembered_result(interp, known, rebound)
    enters = code.is_generator and interp.unit.state.order.is_entering  # what it sets and puts back counts each time
    if result is not None and not enters and not _was_changed(interp, result.value):
        interp.meet_again(tuple(interp.unit.met.in_calls.get(remembered, ())))
        record_compiled_calls(interp, interp.unit.state.met.in_calls.get(remembered, {}))
        interp.unit.used_keys.latest = interp.unit.used_keys.by_call.get(remembered, frozenset())
        return _once_more(interp, result, bound)
    if remembered in interp.unit.running_calls:  # the function calls itself
        interp.unit.recursive_calls.add(remembered)
        return interp.unit.running_calls[remembered]
    interp.unit.call_counts[place] = count + 1
    interp.root_run.call_counts[place] = of_root + 1
    return _run_to_fixpoint(interp, function, bound, remembered, span)


def _widened(value: Value, count: int) -> Value:
    """An argument of a function that was called in so many ways: its number is forgotten, later its text, too."""
    is_text = isinstance(value, Const) and isinstance(value.value, str)
    return value if is_text and count <= PRECISE_TEXTS else widen(value)


def _once_more(interp: Interpreter, result: Result, bound: Mapping[str, Value]) -> Value:
    """The result of a remembered call, as one more call gives it, with that call's arguments (`bound`)."""
    given = {id(old): bound[name] for name, old in result.given}
    if id(result.value) in given:
        return given[id(result.value)]
    return _made_anew(interp, result.value, result.began, given) if interp.trace is None else result.value


def _made_anew(interp: Interpreter, value: Value, began: int, given: Mapping[int, Value], nesting: int = 3) -> Value:
    """What a remembered call gives, or a part of it, as one more call makes it: another one each time.

    Args:
        interp: where it is called.
        value: what the first call gave, or a part of it.
        began: the youngest object's serial when that call began: what is older, calls give back as it is.
        given: the arguments of this call, by the identities of those of the first.
        nesting: how deep dicts and objects within each other are made anew; they may hold themselves.
    """
    if id(value) in given:
        return given[id(value)]
    if not nesting and isinstance(value, (Tuple, Dict, Instance)):
        return value
    if isinstance(value, Tuple) and any(isinstance(p, (Instance, Dict)) or id(p) in given for p in value.elements):
        look(made=len(value.elements))
        return Tuple(tuple([_made_anew(interp, part, began, given, nesting) for part in value.elements]), value.cls)
    if isinstance(value, Dict):
        made_in_it = value.serial > began and value.owner is None and value.factory is None and value.grows is None
        if not made_in_it or value.several:
            return value
        look(made=len(value.entries))
        entries = {key: _made_anew(interp, part, began, given, nesting - 1) for key, part in value.entries.items()}
        return value.with_values(entries, value.rest)
    if not isinstance(value, Instance) or value.several:
        return another(interp, value)
    known = class_facts(interp, value.cls)
    if not known.pytree or known.sparse or value.serial <= began:
        return value
    look(made=len(value.fields))
    fields = [(name, part) for name, part in value.fields.items() if isinstance(part, Value)]
    return value.with_fields({name: _made_anew(interp, part, began, given, nesting - 1) for name, part in fields})


def _parts_of(value: Value, nesting: int = 3) -> Generator[Value, None, None]:
    """A value, and what the containers and objects hold that it is made of."""
    yield value
    fields = value.entries if isinstance(value, Dict) else value.fields if isinstance(value, Instance) else {}
    held = value.elements if isinstance(value, Tuple) else tuple(fields.values())
    for part in held:
        if nesting and isinstance(part, Value):
            yield from _parts_of(part, nesting - 1)


def _was_changed(interp: Interpreter, value: Value, nesting: int = 3) -> bool:
    """Whether another root has changed an object since a call gave it: this root's call gives one as it was made."""
    if not interp.unit.state.changed_in or not nesting:
        return False
    if isinstance(value, Instance):
        number = interp.unit.state.changed_in.get(value.serial, interp.root_run.number)
        inner = [field for field in value.fields.values() if isinstance(field, Value)]
    else:
        content = content_of(value)
        number, inner = interp.root_run.number, list(content.elements) if isinstance(content, Tuple) else []
    return number != interp.root_run.number or any(_was_changed(interp, part, nesting - 1) for part in inner)


def _remembered_result(interp: Interpreter, known: Hashable, rebound: int) -> tuple[Result | None, int]:
    """The result of a call that was seen before, None if it was not; and the number of the call.

    Where options are not at their defaults, a call that was seen with these counts only if none of them decided
    anything.
    So it is with one command line, where the call was seen with all.
    """
    unit, run = interp.unit, interp.root_run
    number = unit.call_numbers.setdefault(known, len(unit.call_numbers))
    result = unit.memo.get((number, rebound))
    deciding = unit.decisions.by_call.get(number, frozenset())
    other = run.open_options.union(run.given) if run.command_line is None else frozenset((COMMAND_LINE,))
    if other and (result is None or deciding & other):
        line = run.command_line, *run.given.values()
        number = unit.call_numbers.setdefault((known, other, line), len(unit.call_numbers))
        return unit.memo.get((number, rebound)), number
    run.chosen_by |= deciding
    for way, option in unit.decisions.ways_by_call.get(number, {}).items():
        run.other_ways.setdefault(way, option)
    return result, number


def is_stub(interp: Interpreter, code: ir.Function) -> bool:
    """Whether a function has no body but a docstring or `...`: subclasses implement it, or it declares types."""
    return all(isinstance(s, ir.ExprStmt) and isinstance(s.value, ir.Const) for s in interp.project.body(code))


def _count_rebound(frame: Frame | None) -> int:
    """How often the variables that a closure may read have changed: a result is remembered for one such count."""
    count = 0
    while frame is not None:
        count += frame.rebound
        frame = frame.parent
    return count


def _run_to_fixpoint(
    interp: Interpreter, function: Function, bound: dict[str, Value], remembered: int, span: Span
) -> Value:
    """Runs a body until its result is stable, and remembers the result if the call changed nothing but what it made
    itself.

    Only a recursive call needs a second run: while a body runs, calls of itself get the best result known so far (Never
    at first). `Store.oldest_written` tells whether an object older than the call was written to.
    """
    unit = interp.unit
    running = unit.running_calls
    running[remembered] = NEVER
    store = interp.store
    floor, store.oldest_written = store.oldest_written, NO_SERIAL
    began = newest_serial()
    run = interp.root_run
    before, run.chosen_by = run.chosen_by, set()
    ways_before, run.other_ways = run.other_ways, {}
    nesting = len(interp.path.frames)
    unit.met.begin(nesting)
    unit.state.met.begin(nesting)
    remember = False
    try:
        result = run_body(interp, function, bound, span)
        for _ in range(3):
            if remembered not in unit.recursive_calls or unit.keys.of(result) == unit.keys.of(running[remembered]):
                break
            running[remembered] = join(running[remembered], result)
            result = join(running[remembered], run_body(interp, function, bound, span))
        unit.used_keys.by_call[remembered] = unit.used_keys.latest
        remember = store.oldest_written > began
        if remember:
            parts = {id(part) for part in islice(_parts_of(result), _MOST_PARTS)}
            given = [each for each in bound.items() if id(each[1]) in parts and is_one_object(each[1])]
            unit.memo[remembered, _count_rebound(function.closure)] = Result(result, tuple(given), began)
    finally:
        unit.met.end(remembered, remembered=remember)
        unit.state.met.end(remembered, remembered=remember)
        if run.chosen_by:
            unit.decisions.by_call[remembered] = frozenset(run.chosen_by)
        if run.other_ways:
            unit.decisions.ways_by_call[remembered] = run.other_ways
        run.chosen_by |= before
        run.other_ways = {**run.other_ways, **ways_before}
        del running[remembered]
        unit.recursive_calls.discard(remembered)
        store.oldest_written = min(floor, store.oldest_written)
    return result


def run_body(interp: Interpreter, function: Function, bound: dict[str, Value], span: Span) -> Value:
    """Runs a body once with its parameters bound; returns its result (a generator if it yields).

    Every `return` leaves the state it was reached in (`frame.exits`); the state after the call is their join.
    """
    code = function.code
    loops = _rounds_that_run(interp, bound) if function.cached else interp.loops
    store = interp.store
    mark = store.mark
    store.open()
    frame = Frame(function.module, code, function.closure, interp.depth, loops)
    frame.mark = mark
    frame.fields.update(bound)
    frame.given = bound
    frame.made_in = function.loops
    frame.called_at = interp.site(span)
    frame.maybe_traced = function.maybe_traced
    outer, interp.frame = interp.frame, frame
    outer_loops, interp.loops = interp.loops, loops
    running, interp.path.loops = interp.path.loops, []
    interp.path.call_depth += 1
    interp.path.frames.append(frame)
    try:
        for parameter in code.parameters:
            interp.unit.reveals.binds(interp, parameter.name, bound[parameter.name], parameter.span)
        ends = interp.run(interp.project.body(code))
        if ends:
            frame.result = join(frame.result, NONE)
        if frame.offers:
            frame.result = offered(frame.result)
        if frame.told_apart:
            frame.result = without_doubtful_arrays(frame.result)
        if frame.exits:
            changes = store.rollback()
            join_values = join_if_told_apart if frame.told_apart else join
            store.merge([*frame.exits, *([changes] if ends else [])], join_values)
            frame.exits = []  # they refer to the frame: without the cycle it is freed at once
        else:
            store.commit()
        interp.libraries.after_body(interp, frame)
    except BaseException:
        store.commit_to(frame.mark)
        raise
    finally:
        interp.frame = outer
        interp.loops = outer_loops
        interp.path.loops = running
        interp.path.call_depth -= 1
        interp.path.frames.pop()
    interp.unit.used_keys.latest = frozenset(frame.uses)
    if code.is_generator:
        site = (function.module, code.name_span)
        element = UNKNOWN if frame.yields is NEVER else frame.yields
        return Iterator("generator", element, interp.depth, interp.loops, site)
    return UNKNOWN if code.is_async else frame.result


def _rounds_that_run(interp: Interpreter, bound: dict[str, Value]) -> tuple[int, ...]:
    """The loops in whose rounds a function runs that `functools.cache` keeps results of: where an argument is new.

    Each `def` and lambda makes another function, and each `partial` another object, which equals none from before.
    """
    new = {loop for value in bound.values() if isinstance(value, (Function, Partial)) for loop in value.loops}
    return tuple([loop for loop in interp.loops if loop in new])


def record_return(interp: Interpreter, value: Value) -> None:
    """The running function returns a value here: joins it into the result, and records the state.

    It does not where the value itself has raised an error that a handler in the function catches.
    """
    if interp.path.has_failed(interp.frame):
        return
    frame: Frame | None = interp.frame
    while frame is not None and frame.function is None:
        frame = frame.parent
    if frame is None:
        return
    frame.result = join(frame.result, value)
    frame.offers |= bool(frame.choices)
    frame.exits.append(interp.store.since(frame.mark))
