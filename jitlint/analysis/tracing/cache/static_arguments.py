"""Keys of the compile cache: static arguments that cannot be keys or never repeat, and shapes that change in a loop.

`jax.jit` looks a call up by the hash of its static arguments and the shapes of the others. A list as static argument is
an error; a new lambda, a loop's counter or a growing array compiles again in every round.
"""

from __future__ import annotations

from functools import partial

from jitlint import ir
from jitlint.analysis.arrays.dtypes import dtype_of
from jitlint.analysis.language.classes import class_attribute, class_facts, class_option, lineage
from jitlint.analysis.language.guessed_classes import class_of_parameter
from jitlint.analysis.language.instances import generic_instance, leaf_fields
from jitlint.analysis.language.signatures import Signature, StaticArguments
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.walks import inside
from jitlint.analysis.tracing.entries import entry_of
from jitlint.analysis.tracing.varying import comes_from_round, levels, mentions, node_at
from jitlint.analysis.values import (
    PARSED,
    Array,
    BoundMethod,
    Class,
    Const,
    Dict,
    ExternalInstance,
    Function,
    HostArray,
    Instance,
    JaxArray,
    List,
    LoopCounter,
    Method,
    Partial,
    ProjectCallable,
    Sequence,
    Static,
    Traced,
    Transformed,
    Tuple,
    UnknownArgument,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.flow import Flow
from jitlint.analysis.values.joins import alternatives
from jitlint.analysis.values.objects import FieldFact
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span


def check_static_arguments(
    interp: Interpreter,
    transformed: Transformed,
    target: Signature | None,
    static: StaticArguments,
    args: Args,
    span: Span,
) -> None:
    """Emits events for static arguments that are not hashable, or new in every round of a loop."""
    if not transformed.transform.cached:
        return
    given = arguments_given(target, static, args, span, is_static=True)
    if transformed.transform.leaves == "arrays":
        others = arguments_given(target, static, args, span, is_static=False)
        given += [each for each in others if not isinstance(each[1], Array)]
    for name, value, place in given:
        construct = _defeats_cache(interp, transformed, value, place)
        assuming = None
        if construct == "loop variable":
            if name in _FEW_VALUES:
                continue
            assuming = Assumption(AssumptionKind.MANY_ROUNDS, "the loop has many rounds")
        if construct == "list" and _is_tuple_or_list(value):
            assuming = Assumption(
                AssumptionKind.OTHER_OPTION, f"`{interp.module.snippet(place)}` is a list and no tuple"
            )
        if construct == "array" and _is_number_or_array(value):
            text = f"a path on which `{interp.module.snippet(place)}` is an array"
            assuming = Assumption(AssumptionKind.UNDECIDED_JOIN, text)
        if construct == "object":
            assuming = _listed_field(interp, value)
        wanted = class_of_parameter(interp, target, name) if target and isinstance(value, UnknownArgument) else None
        if wanted is not None and _unhashable(interp, generic_instance(interp, wanted)):
            construct = "object"
            assuming = Assumption(AssumptionKind.CLASS_GUESSED, f"it is a `{wanted.code.name}`")
        if interp.root_run.open_options and construct not in _UNHASHABLE | _FUNCTIONS:
            continue  # which numbers come, and how often, is not known where an option is open
        if construct:
            assert transformed.site is not None
            bound = binding_of(interp, place)
            functions = [each for each in alternatives(value) if isinstance(each, Function) and each.made_by]
            flow = interp.source_at(*transformed.site, f"`{name}` is static here")
            tracer = interp.traced(value)
            if tracer is not None:
                flow = tracer.flow.then(*transformed.site, f"`{name}` is static here")
            elif functions:
                flow = _flow_of_function(interp, functions[0]).then(*transformed.site, f"`{name}` is static here")
            elif bound is not None:
                text = f"assigned to `{interp.module.snippet(place)}`"
                flow = interp.source(bound, text, "").then(*transformed.site, f"`{name}` is static here")
            interp.emit(
                EventKind.STATIC_VALUE,
                place,
                construct,
                flow=flow,
                detail={"parameter": name, "holds": _held_function(interp, value) if construct == "instance" else ""},
                entry=entry_of(interp, transformed),
                assuming=assuming,
            )


def _flow_of_function(interp: Interpreter, function: Function) -> Flow:
    """The calls that make a function."""
    first, *others = function.made_by
    flow = interp.source_at(*first, "this call makes it")
    for site in others:
        flow = flow.then(*site, "this call makes it")
    return flow


def binding_of(interp: Interpreter, place: Span) -> Span | None:
    """Where the running function last assigns the variable that an argument is; None if it is no such variable."""
    function, name = interp.frame.function, interp.module.snippet(place)
    if function is None or not name.isidentifier():
        return None
    spans = [
        node.value.span
        for node in own_nodes(interp.project.body(function))
        if isinstance(node, ir.Assign) and node.span.start < place.start
        if any(isinstance(target, ir.Name) and target.name == name for target in node.targets)
    ]
    return spans[-1] if spans else None


def _defeats_cache(interp: Interpreter, transformed: Transformed, value: Value, place: Span) -> str:
    """What an argument is that is static, and has no hash or is another in each round; "" if it is fine."""
    filtered = transformed.transform.leaves == "arrays"
    construct = ""
    if not filtered or isinstance(value, (Static, Function, Partial)):
        construct = (
            _static_problem(interp, value)
            or _another_function(interp, value, place)
            or _another_instance(interp, value, place)
        )
    elif all(isinstance(part, Instance) and _is_no_tree(interp, part) for part in alternatives(value)):
        construct = hash_problem(interp, value)
    if construct:
        return construct
    of_the_round = filtered and _is_of_the_round(interp, transformed, value, place)
    return "loop variable" if of_the_round or _another_number(interp, value, place) else ""


def _is_no_tree(interp: Interpreter, value: Instance) -> bool:
    """Whether an object is known to be no pytree, so that a transform which traces arrays alone hashes it."""
    return not (value.guessed or class_facts(interp, value.cls).open) and leaf_fields(interp, value.cls) is None


def _listed_field(interp: Interpreter, value: Value, path: str = "") -> Assumption | None:
    """What makes a field of an object, or of one within it, a list that is a tuple by default; None if nothing does."""
    for part in alternatives(value):
        for name, held in part.fields.items() if isinstance(part, Instance) else ():
            if any(map(_is_parsed_list, alternatives(held) if isinstance(held, Value) else ())):
                text = f"JSON, TOML or YAML gives `{path}{name}`, which has lists for tuples"
                return Assumption(AssumptionKind.GIVEN_BY_TEXT, text)
            if isinstance(held, Value) and _is_tuple_or_list(held):
                return Assumption(AssumptionKind.OTHER_OPTION, f"`{path}{name}` is a list and no tuple")
            if isinstance(held, Instance):
                found = inside(interp, held, partial(_listed_field, interp, held, f"{path}{name}."), None)
                if found is not None:
                    return found
    return None


def _is_parsed_list(value: Value) -> bool:
    """Whether a value is a list that stands in a text."""
    return isinstance(value, List) and isinstance(value.content, Sequence) and value.content.element is PARSED


def _is_tuple_or_list(value: Value) -> bool:
    """Whether a value is a tuple on some ways and a list on others: by default, and as an option gives it."""
    parts = [part for part in alternatives(value) if not is_none(part)]
    lists = [part for part in parts if isinstance(part, List) and part.kind == "list"]
    others = [part for part in parts if part not in lists]
    if not lists or not others:
        return False
    if all(map(_is_parsed_list, lists)):
        return all(isinstance(part, (Tuple, Sequence)) for part in others)
    return all(isinstance(part, Tuple) and part.cls is None for part in others)


def _another_number(interp: Interpreter, value: Value, place: Span) -> bool:
    """Whether an argument was another number in each round so far of a loop that counts as far as a parameter says.

    Such a loop runs round by round where the call in view has few of them: their numbers are known, and no counters.
    """
    if not in_open_range(interp) or interp.staging:
        return False
    if isinstance(value, Static) and value.kind in ("int", "float", "number"):
        return comes_from_round(interp, interp.loops[-1], place)
    if not isinstance(value, Const) or isinstance(value.value, bool) or not isinstance(value.value, (int, float)):
        return False
    return another_in_each_round(interp, value.value, place)


def _is_of_the_round(interp: Interpreter, transformed: Transformed, value: Value, place: Span) -> bool:
    """Whether a fraction that a filtered transform keeps static is computed in each round of a loop, as the text says.

    It is the argument itself, or what a module that is the argument holds.
    """
    for loop in interp.loops if not interp.staging else ():
        found = levels(interp, loop, carried=True) if loop not in transformed.loops else []
        written = node_at(interp, found[-1].round, place) if found else None
        if written is None or not mentions(interp, written, found[-1].names):
            continue
        if all(map(_is_fraction, alternatives(value))):
            return True
        fields = value.fields.values() if isinstance(value, Instance) and value.traced is None else ()
        frame = found[-1].frame
        varying = [frame.fields.get(name) for name in found[-1].names] if frame is not None else []
        if any(_is_fraction(field) and any(field is each for each in varying) for field in fields):
            return True
    return False


def _is_fraction(value: object) -> bool:
    """Whether a value is a Python float: a number that nobody takes for a size."""
    kind = type(value.value).__name__ if isinstance(value, Const) else getattr(value, "kind", "")
    return isinstance(value, (Const, Static)) and kind == "float"


def _another_function(interp: Interpreter, value: Value, place: Span) -> str:
    """What kind of function an argument is that is another one in each round, of those that this call has just made."""
    if not isinstance(value, Function) or not interp.path.loops or interp.staging:
        return ""
    one_of_many = bool(value.loops) and value.loops[-1] not in interp.loops
    just_made = value.closure.serial >= interp.frame.home.serial
    if not (one_of_many and just_made and comes_from_round(interp, interp.path.loops[-1].identity, place)):
        return ""
    return _new_function(interp, value)


def _another_instance(interp: Interpreter, value: Value, place: Span) -> str:
    """ "instance" for one of several objects that a round of an outer loop makes anew, and this loop goes through."""
    if not isinstance(value, Instance) or not interp.path.loops or interp.staging:
        return ""
    made_anew = any(loop in interp.loops[:-1] for loop in value.loops)
    taken = made_anew and comes_from_round(interp, interp.path.loops[-1].identity, place)
    return _new_instance(interp, value) if taken else ""


def in_open_range(interp: Interpreter) -> bool:
    """Whether the innermost loop that runs counts as far as a parameter says, few as the rounds of this call are."""
    return any(loop.open_range for loop in interp.path.loops if interp.loops and loop.identity == interp.loops[-1])


def another_in_each_round(interp: Interpreter, number: float, place: Span, of: str = "") -> bool:
    """Whether a place got another number in each of several rounds of the running loop. Notes the number.

    Args:
        of: what is counted, where that is not the argument itself.
    """
    seen = interp.root_run.numbers.setdefault((interp.loops[-1], interp.module.name, place, of), [])
    seen.append(number)
    return len(seen) >= _SEVERAL and len(set(seen)) == len(seen)


def check_function_hash(interp: Interpreter, transformed: Transformed, span: Span) -> None:
    """Emits an event if a function that is to be looked up by its hash is an object without one."""
    name, function = transformed.transform.name, transformed.function
    receiver = function.receiver if isinstance(function, BoundMethod) else function
    if not isinstance(receiver, Instance) or not interp.models.has_role(name, "hashes-functions"):
        return
    by_leaves = any(model.hashed_by_leaves for model in class_facts(interp, receiver.cls).models)
    if by_leaves:
        unhashable = inside(interp, receiver, partial(_holds_array, interp, receiver), False)
    else:  # a method is hashed by the identity of its object
        unhashable = function is receiver and inside(interp, receiver, partial(_unhashable, interp, receiver), False)
    if unhashable:
        detail = {"parameter": transformed.transform.function, "function": name, "leaves": "yes" if by_leaves else ""}
        interp.emit(EventKind.STATIC_VALUE, span, "object", detail=detail, entry=entry_of(interp, transformed))


def _holds_array(interp: Interpreter, instance: Instance) -> bool:
    """Whether an attribute of an instance is an array, or holds one, and is not static."""
    static = {field.name for field in class_facts(interp, instance.cls).fields if field.static}
    return any(_is_array(interp, value) for name, value in instance.fields.items() if name not in static)


def _is_array(interp: Interpreter, value: Value) -> bool:
    """Whether a value is an array, or holds one."""
    if isinstance(value, Instance):
        return inside(interp, value, partial(_holds_array, interp, value), False)
    if isinstance(value, (Tuple, List)):
        content = value if isinstance(value, Tuple) else value.content
        return isinstance(content, Tuple) and any(_is_array(interp, part) for part in content.elements)
    return isinstance(value, (HostArray, JaxArray)) or (isinstance(value, Traced) and not value.tree)


_SEVERAL = 4
"""So many numbers in as many rounds are taken for another one in each round."""

_FEW_VALUES = frozenset({"axis", "axes", "dim", "ndim", "order"})
"""Parameters that have only a few possible values: a loop variable given to them compiles a few times at most."""


def arguments_given(
    target: Signature | None, static: StaticArguments, args: Args, span: Span, *, is_static: bool
) -> list[tuple[str, Value, Span]]:
    """The static arguments of a call (or, unless `is_static`, the others), with their names and places."""
    found = []
    for i, value in enumerate(args.positional):
        if static.at(i) is is_static:
            parameter = target.positional(i) if target else None
            found.append((parameter.name if parameter else str(i), value, args.span(i, "", span)))
    for name, value in args.keywords.items():
        if static.called(name) is is_static:
            found.append((name, value, args.keyword_spans.get(name, span)))
    return found


def _static_problem(interp: Interpreter, value: Value) -> str:
    """What a static argument is that defeats the cache ("list", "lambda" …); "" if it does not, or need not.

    What is None or something else is meant to be the other: None is what an option is that nobody gives.
    """
    parts = [part for part in alternatives(value) if not is_none(part)]
    found = [_problem_of(interp, part) for part in parts]
    if found and all(found):
        return found[0]
    if _is_number_or_array(value):
        return "array"
    return "list" if _is_tuple_or_list(value) else ""


def _is_number_or_array(value: Value) -> bool:
    """Whether a value is a number of Python on some paths, and an array of JAX on others."""
    parts = alternatives(value)
    arrays = [part for part in parts if isinstance(part, JaxArray)]
    numbers = [part for part in parts if isinstance(part, (Const, Static)) and dtype_of(part) is not None]
    return bool(arrays) and bool(numbers) and len(arrays) + len(numbers) == len(parts)


def _problem_of(interp: Interpreter, part: Value) -> str:
    """As `_static_problem`, for one alternative of an argument."""
    if isinstance(part, Traced):
        return "" if part.concrete else "tracer"
    if isinstance(part, JaxArray) or (isinstance(part, HostArray) and part.rank):
        return "array"
    if isinstance(part, List):
        return "" if part.kind == "frozenset" else part.kind
    if isinstance(part, Dict):
        return "dict"
    if isinstance(part, Instance) and inside(interp, part, partial(_unhashable, interp, part), False):
        return "object"
    inner = next(filter(None, (hash_problem(interp, e) for e in _elements(part))), "")
    if inner or interp.staging:
        return inner
    if _counts(interp, part):
        return "loop variable"
    if isinstance(part, Instance):  # one that several calls of an inner loop share compiles once for all of them
        return _new_instance(interp, part) if interp.loops and interp.loops[-1] in part.loops else ""
    if isinstance(part, (BoundMethod, Method)):  # equal if bound to the same object, whatever its `__eq__`
        guessed = isinstance(part, BoundMethod) and part.guessed
        made = part.receiver.loops if isinstance(part.receiver, Instance) and not guessed else ()
        return "bound method" if interp.loops and interp.loops[-1] in made else ""
    if isinstance(part, (ProjectCallable, ExternalInstance)) and any(loop in interp.loops for loop in part.loops):
        return _new_function(interp, part)
    functions = [each for each in _elements(part) if isinstance(each, ProjectCallable)]
    return next(filter(None, (_problem_of(interp, each) for each in functions)), "")


def _counts(interp: Interpreter, value: Value) -> bool:
    """Whether a value is another number in each round of a running loop, or is compared by one."""
    if isinstance(value, LoopCounter):
        return value.has_many_values and value.rounds.loop in interp.loops
    if isinstance(value, Tuple):
        return any(_counts(interp, part) for part in value.elements)
    if isinstance(value, Instance) and "dataclasses.dataclass" in value.cls.decorations:
        compared = [each.name for each in class_facts(interp, value.cls).fields if not _left_out(each)]
        return not _keeps_identity(interp, value.cls) and any(
            isinstance(value.fields.get(name), LoopCounter) and _counts(interp, value.fields[name]) for name in compared
        )
    return False


_FUNCTIONS = frozenset({"lambda", "function", "partial", "bound method", "instance"})
"""What an argument may be that is another one in each round, whichever values an open option has."""

_UNHASHABLE = frozenset({"tracer", "array", "list", "set", "deque", "dict", "object"})


def hash_problem(interp: Interpreter, value: Value) -> str:
    """What a static argument, or a part of one, is that has no hash; "" if it has one, or may have one."""
    found = _static_problem(interp, value)
    return found if found in _UNHASHABLE else ""


def _elements(value: Value) -> tuple[Value, ...]:
    """The values that are hashed with a value: the elements of a tuple."""
    if isinstance(value, Sequence):
        return (value.element,) if value.kind == "tuple" else ()
    return value.elements if isinstance(value, Tuple) else ()


def _new_function(interp: Interpreter, value: ProjectCallable | ExternalInstance) -> str:
    """What kind of function is made in each round and hashed by its identity; "" if it may be hashed by its content."""
    if isinstance(value, ExternalInstance):
        model = interp.models.classes.get(value.of)
        return "function" if model is not None and model.never_equal else ""
    if isinstance(value, Function):
        return "lambda" if value.code.name == "<lambda>" else "function"
    return "partial" if isinstance(value, Partial) else ""


def _new_instance(interp: Interpreter, value: Instance) -> str:
    """ "instance" if an object that is made in each round is hashed by its identity; "" if it may be by its content.

    One that is hashed by its content is another one, too, if it holds a function that is made with it.
    """
    known = class_facts(interp, value.cls)
    if _held_function(interp, value):
        return "instance"
    plain = not (known.open or known.models or known.enum or value.guessed) and _keeps_identity(interp, value.cls)
    return "instance" if plain and class_attribute(interp, value.cls, "__eq__") is None else ""


def _held_function(interp: Interpreter, value: Value) -> str:
    """What kind of function an object of a dataclass that is hashed by its fields holds, if that is made with it."""
    if not isinstance(value, Instance) or value.guessed or _keeps_identity(interp, value.cls):
        return ""
    for field in class_facts(interp, value.cls).fields:
        held = value.fields.get(field.name)
        is_function = isinstance(held, (Function, Partial)) and bool(held.loops) and held.loops == value.loops
        if is_function and isinstance(held, ProjectCallable) and not _left_out(field):
            return _new_function(interp, held)
    return ""


def _keeps_identity(interp: Interpreter, cls: Class) -> bool:
    """Whether no decorator gives a class an `__eq__`: it is no dataclass, or it and its bases say `eq=False`."""
    if not class_facts(interp, cls).dataclass:
        return True
    decorated = [each.decorations for each in lineage(cls) if each.decorations]
    options = [each.get("dataclasses.dataclass") for each in decorated]
    return all(each is not None and class_option(each, "eq", default=True) is False for each in options)


def _unhashable(interp: Interpreter, value: Instance) -> bool:
    """Whether an instance has no hash: its class defines `__eq__` (a dataclass does) and no `__hash__`."""
    cls, known = value.cls, class_facts(interp, value.cls)
    if class_attribute(interp, cls, "__hash__") is not None:
        return False
    if any(model.hashed_by_fields for model in known.models):
        held = (value.fields.get(field.name) for field in known.fields)
        return any(hash_problem(interp, part) for part in held if part is not None)
    if known.open:
        return False
    options = cls.decorations.get("dataclasses.dataclass")
    if options is not None:
        if class_option(options, "eq", default=True) is not True:
            return False
        hashing = [class_option(options, option, default=False) for option in ("frozen", "unsafe_hash")]
        if True not in hashing:
            return None not in hashing
        hashed = (field.name for field in class_facts(interp, cls).fields if not _left_out(field))
        return any(hash_problem(interp, value.fields[name]) for name in hashed if name in value.fields)
    return class_attribute(interp, cls, "__eq__") is not None


def _left_out(field: FieldFact) -> bool:
    """Whether the hash of a dataclass leaves a field out: `field(hash=False)`, `field(compare=False)`."""
    default = field.default
    return isinstance(default, ir.Call) and any(
        argument.keyword in ("hash", "compare")
        and isinstance(argument.value, ir.Const)
        and argument.value.value is False
        for argument in default.arguments
    )
