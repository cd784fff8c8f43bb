"""What a call into a library returns: turns the result words of the model files into abstract values.

A model file says in one text what a function or a method returns, or what an attribute is. A single word ("array",
"static-int"; `models.checks.RESULTS` lists them) goes through `result_of`. A phrase goes through `value_of_phrase`:

name@1          the argument itself: the parameter `name`, which may also be given by position 1 ("name@": by keyword
                only; without an @ it would be a result word)
name@1.other@0  the argument `other` of the call that made the library object given as `name`
like name@1     the argument's structure with arrays for leaves
loaded name@1   the argument's structure with new arrays for those that it holds; numbers and texts stay
part of name@1  the argument without some of its leaves
self            the object whose method was called
call            what the called function returned, for library functions that call what they are given
new             an instance of the class with the call's keywords for attributes (class methods only: `bases.py`)
tree            arrays in an unknown structure
layer           an array, of the dtype that the called object was made with
a.b.C           an object of the library class `a.b.C`
x or y          x if that argument was given, else y
x, y            a tuple
list of x       a list of unknown length

Example: `methods = {update = "like updates@0, tree"}` makes `optimizer.update(grads, state)` return a pair: arrays in
the structure of `grads`, and a tree.

The second half of the file is about library objects that hold functions of the project, which their methods call later:
`Simulator(force)` keeps `force`, and `simulator.run(…)` calls it. `callers.py` makes these calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from jitlint.analysis.arrays import shapes
from jitlint.analysis.arrays.dtype_tests import dtype_named
from jitlint.analysis.arrays.dtypes import (
    AT_LEAST,
    default_dtype,
    named_dtype,
    promoted_exact,
    with_exact_dtype,
)
from jitlint.analysis.arrays.results import array_result
from jitlint.analysis.arrays.rules import Bound, array_facts, kind_of, result_by_rules
from jitlint.analysis.language.signatures import signature_of
from jitlint.analysis.machine.handed_on import hand_on_to_view
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.borders import arrays_like, map_structure, unknown_tree
from jitlint.analysis.tracing.cache.fresh_fields import note_made
from jitlint.analysis.values import (
    NONE,
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    Dict,
    Dtype,
    External,
    ExternalInstance,
    Function,
    HostArray,
    Instance,
    Lead,
    List,
    Partial,
    Sequence,
    Static,
    Transformed,
    Tuple,
    Union,
    Unknown,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import alternatives, join_all
from jitlint.analysis.values.keys import may_be_text
from jitlint.models.calls import parameter
from jitlint.models.function import FunctionModel
from jitlint.models.tables import ClassModel
from jitlint.source.places import Span


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """One call into a library, or one read of a library object's attribute: what a result phrase may refer to."""

    name: str
    """The qualified name of the function, method or attribute: "optax.Schedule.__call__"."""
    args: Args
    """The arguments of the call; for an attribute, those of the call that made the object."""
    span: Span
    """Where the call is written."""
    receiver: Value = UNKNOWN
    """The object whose method or attribute it is: the phrase "self"."""
    inner: Value = UNKNOWN
    """What the function returned that the library called in turn: the phrase "call"."""


def is_phrase(word: str) -> bool:
    """Whether a result text needs `value_of_phrase`: it refers to arguments, names a class, or has several parts."""
    return any(sign in word for sign in " @.") or word in ("self", "call", "tree")


def value_of_phrase(interp: Interpreter, phrase: str, call: LibraryCall) -> Value:
    """The value that a result word or phrase stands for."""
    if ", " in phrase:
        return Tuple(tuple(value_of_phrase(interp, part, call) for part in phrase.split(", ")))
    first, _, rest = phrase.partition(" or ")
    if rest:
        given = argument_named(call.args, first)
        if isinstance(given, Unknown):
            return UNKNOWN
        return value_of_phrase(interp, rest, call) if given is None or is_none(given) else given
    if phrase.startswith("list of "):
        element = value_of_phrase(interp, phrase.removeprefix("list of "), call)
        return interp.new_list("list", Sequence("tuple", element), call.span)
    word, _, named = phrase.partition(" ")
    if word in ("like", "loaded"):
        pattern = argument_named(call.args, named) or UNKNOWN
        return arrays_like(interp, pattern, call.span, call.name, numbers_stay=word == "loaded")
    if phrase.startswith("part of "):
        whole = argument_named(call.args, phrase.removeprefix("part of ")) or UNKNOWN
        part = _part_of(interp, whole)
        if part is not whole:
            hand_on_to_view(interp, whole, part)
        return part
    if "@" in phrase:
        return argument_named(call.args, phrase) or UNKNOWN
    if phrase == "self":
        return call.receiver
    if phrase == "call":
        unknown = isinstance(call.inner, Unknown)
        return unknown_tree(interp, call.args.all(), call.span, call.name) if unknown else call.inner
    if phrase == "tree":
        return unknown_tree(interp, call.args.all(), call.span, call.name)
    if "." in phrase:
        return library_object(interp, phrase, call.args, call.span)
    if phrase in ("array", "layer"):
        by = "" if call.name.startswith("numpy.") else call.name  # NumPy makes its own arrays of its own
        operands = [*call.args.all(), *_leaves_of(interp, call.receiver)]
        dtype = _dtype_of_layer(call.receiver) if phrase == "layer" else None
        if dtype is not None:
            return with_exact_dtype(array_result(interp, operands, call.span, dtype.dtype, by=by), dtype.exact)
        return array_result(interp, operands, call.span, None, by=by)
    return result_of(interp, FunctionModel(call.name, phrase), call.args, call.span)


def _dtype_of_layer(receiver: Value) -> Dtype | None:
    """The dtype that a layer was made to compute in; None if that is not known."""
    named = constructor_arguments(receiver).keywords.get("dtype") if isinstance(receiver, ExternalInstance) else None
    return dtype_named(named)


def _leaves_of(interp: Interpreter, receiver: Value) -> list[Value]:
    """What a library object that is a pytree was made with: a distribution of traced logits gives traced samples."""
    if not isinstance(receiver, ExternalInstance):
        return []
    model = interp.models.classes.get(receiver.of)
    return constructor_arguments(receiver).all() if model is not None and model.pytree else []


def _part_of(interp: Interpreter, value: Value, depth: int = 3) -> Value:
    """A pytree in which some leaves of a value are left out, such as the functions, so that JAX may take it.

    Args:
        interp: where it is made.
        value: the whole.
        depth: how deep modules within modules are taken apart; what lies deeper stays as it is.
    """
    parts = alternatives(value)
    if len(parts) > 1:
        return join_all(_part_of(interp, part, depth) for part in parts)
    if isinstance(value, (Tuple, List, Dict)) and depth:
        return map_structure(interp, value, lambda leaf: _part_of(interp, leaf, depth - 1))
    if isinstance(value, (Function, BoundMethod, Partial, Transformed)) or may_be_text(value):
        return UNKNOWN
    if isinstance(value, Instance) and value.guessed:
        return UNKNOWN
    if isinstance(value, Instance) and value.traced is None:
        part = Instance(value.cls, value.depth, value.loops, value.site)
        part.fields.update(value.fields)
        for name, field in value.fields.items() if depth else ():
            part.fields[name] = _part_within(interp, field, depth - 1) if isinstance(field, Value) else field
        part.is_part = part.several = True
        return part
    if isinstance(value, ExternalInstance):
        of = f"{value.of.rpartition('.')[0]}.part"
        return ExternalInstance(of, value.arguments, value.depth, value.loops, value.site, keywords=value.keywords)
    return value


def _part_within(interp: Interpreter, field: Value, depth: int) -> Value:
    """The part of what a module holds; library objects that JAX takes as they are stay so."""
    if isinstance(field, ExternalInstance):
        model = interp.models.classes.get(field.of)
        return _part_of(interp, field) if model is not None and model.refused else field
    if isinstance(field, (Tuple, List)):
        return map_structure(interp, field, lambda leaf: _part_within(interp, leaf, depth))
    return _part_of(interp, field, depth) if isinstance(field, (Instance, Union)) else field


def argument_named(args: Args, text: str) -> Value | None:
    """The argument that a text of a model file names; None if the call does not give it.

    Args:
        text: a parameter, "name@1"; or "name@1.other@0", the argument `other` of the call that made the library object
            given as `name`.
    """
    first, _, rest = text.partition(".")
    wanted = parameter(first)
    given = args.get(wanted.position, wanted.name)
    if not rest:
        return given
    return argument_named(constructor_arguments(given), rest) if isinstance(given, ExternalInstance) else None


def object_attribute(interp: Interpreter, value: ExternalInstance, name: str, span: Span) -> Value | None:
    """An attribute of a library object, as the model of its class says; None if the model does not mention it.

    An object that was made outside of any trace has concrete attributes even inside a trace, so that the attribute is
    then computed as if there were no trace.
    """
    model = interp.models.classes.get(value.of)
    if model is None or name not in model.attributes:
        return None
    trace = interp.trace
    if not value.depth:
        interp.trace = None
    try:
        word = model.attributes[name]
        args = constructor_arguments(value) if "@" in word else Args([])
        return value_of_phrase(interp, word, LibraryCall(f"{value.of}.{name}", args, span, value))
    finally:
        interp.trace = trace


# --- library objects that hold functions of the project ---------------------------------------------------------------


def library_object(interp: Interpreter, of: str, args: Args, span: Span) -> ExternalInstance:
    """A new object of the library class `of` (or of the factory of that name), made with `args`.

    Functions of the project among the arguments are noted in `held_functions`: if no call in view makes the object call
    them, `program.roots` runs them by themselves, so that their bodies are checked all the same.
    """
    given = [*args.positional, *([args.rest] if args.rest is not None else [])]  # `optax.chain(*parts)`
    holder = ExternalInstance(of, tuple(given), interp.depth, interp.loops, interp.site(span), keywords=args.keywords)
    model = interp.models.classes.get(of)
    if model is not None and model.never_equal:
        note_made(interp, span)
    if model is not None and model.runs_with is not None:
        for function in functions_in(interp, holder):
            target = signature_of(interp, function)
            if target is not None:
                interp.unit.held_functions.setdefault(id(target.code), (function, holder))
    return holder


def functions_held_by(interp: Interpreter, holder: ExternalInstance, method: str = "", nesting: int = 4) -> list[Value]:
    """The functions of the project that a library object was made with, as `functions_in` finds them.

    The key `holds` of the class's model says which arguments can be such functions.
    """
    model = interp.models.classes.get(holder.of)
    names = model.holds if model is not None else ()
    args = constructor_arguments(holder)
    parts = args.all() if "*" in names else [argument_named(args, name) for name in names]
    return [found for part in parts for found in functions_in(interp, part, method, nesting - 1)]


def constructor_arguments(value: ExternalInstance) -> Args:
    """The arguments that made a library object."""
    return Args(list(value.arguments), dict(value.keywords))


def _offers(interp: Interpreter, model: ClassModel, method: str) -> bool:
    """Whether the model of a class says what its method `method` does."""
    return method in model.attributes or f"{model.name}.{method}" in interp.models.calls


_CALLABLE = (Function, Class, BoundMethod, Partial, Transformed)


def functions_in(interp: Interpreter, value: Value | None, method: str = "", nesting: int = 4) -> list[Value]:
    """The functions of the project that a value is or contains, also inside of library objects that hold them.

    Args:
        method: if given, finds the objects that have a method of this name instead of functions. Example: the
            transformation given to `optax.chain`, whose `update` method the chain calls.
        nesting: how deep to look into tuples, lists and library objects.
    """
    if isinstance(value, ExternalInstance) and nesting:
        model = interp.models.classes.get(value.of)
        if method and model is not None and _offers(interp, model, method):
            return [value]
        return functions_held_by(interp, value, method, nesting)
    if isinstance(value, Union):
        return [found for part in value.alternatives for found in functions_in(interp, part, method, nesting)]
    content = content_of(value)
    if isinstance(content, Tuple) and nesting:
        return [found for part in content.elements for found in functions_in(interp, part, method, nesting - 1)]
    if isinstance(content, Sequence):
        return functions_in(interp, content.element, method, nesting - 1) if nesting else []
    if isinstance(value, Instance) and (method or signature_of(interp, value) is not None):
        return [value]
    return [value] if isinstance(value, _CALLABLE) and not method else []


def result_of(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """What a function returns, as the result word of its model says.

    Where JAX itself was asked about the function (`models.generated`), its rules for dtype and rank decide.
    """
    kind = model.result
    if kind == "none":
        return NONE
    if kind == "unknown":
        return UNKNOWN
    if kind == "static-shape":
        return shapes.resulting_shape(model.name.rpartition(".")[2], args)
    if kind == "static-object":
        return library_object(interp, model.name, args, span)
    if is_phrase(kind):
        return value_of_phrase(interp, kind, LibraryCall(model.name, args, span))
    if kind.startswith("static-"):
        return Static(kind.removeprefix("static-"))
    if model.structure.base:
        return result_by_rules(interp, model, args, span)
    first = args.positional[0] if args.positional else UNKNOWN
    if model.name.startswith("numpy."):
        dtype, rank, lead = facts_from_jax_twin(interp, model.name, args)
        result = array_result(interp, args.all(), span, dtype, rank, lead=lead)
        return with_exact_dtype(result, host_dtype(args, dtype)) if isinstance(result, HostArray) else result
    if kind == "same" and isinstance(first, Array):
        lead, least = first.lead, first.least
        return array_result(interp, args.all(), span, first.dtype, first.rank, by=model.name, lead=lead, least=least)
    return array_result(interp, args.all(), span, None if kind in ("array", "same") else kind, by=model.name)


def facts_from_jax_twin(interp: Interpreter, name: str, args: Args) -> tuple[str | None, int | None, Lead | None]:
    """The kind of dtype, rank and leading axis of a NumPy function's result.

    They are those of its twin, the function of the same name in `jax.numpy`: nobody asked NumPy, but JAX was asked.
    """
    if name in ("numpy.array", "numpy.asarray") and args.positional:
        return (_host_dtype(args), *shapes.nested_list_facts(args.positional[0]))
    twin = interp.models.function(f"jax.{name}")
    if twin is None or twin.result != "array":
        return None, None, None
    dtype, rank, lead = array_facts(twin, Bound(twin, args))
    if twin.ranks and twin.ranks[0].base == "like(x)" and isinstance(args.first, (Tuple, List, Sequence)):
        rank, lead = shapes.nested_list_facts(args.first)  # NumPy takes `np.float32([1, 2])`, JAX does not
    return dtype, rank, lead


def host_dtype(args: Args, kind: str | None) -> str:
    """The exact dtype of what a NumPy function gives, as JAX takes it; "" if it is not known.

    NumPy makes 64 bits of Python's numbers, which no other operand takes away again: `x * np.sqrt(2.0)` of a float16
    array is a float32 array.
    """
    named = args.get(1, "dtype")
    if "dtype" in args.keywords or isinstance(named, External):
        return named_dtype(named)
    values = args.all()
    if all(isinstance(value, (Const, Static)) for value in values):
        return default_dtype(kind)
    exact = promoted_exact(values, kind)
    return exact if not exact or exact.endswith(AT_LEAST) else f"{exact}{AT_LEAST}"


COPYING_FUNCTIONS: Final = frozenset({"array", "asarray", "ascontiguousarray"})
"""NumPy functions whose result has as many elements as their argument."""


def _host_dtype(args: Args) -> str | None:
    """The kind of dtype of `numpy.array(…)`: that of the option `dtype`, else that of the first element."""
    first, dtype = args.positional[0], args.get(1, "dtype")
    if dtype is not None:
        return kind_of(dtype)
    content = content_of(first)
    element = content.elements[0] if isinstance(content, Tuple) and content.elements else content
    if isinstance(element, Sequence):
        element = element.element
    text = isinstance(element, Const) and isinstance(element.value, str)
    if text or (isinstance(element, Static) and element.kind == "str"):
        return "str"
    return kind_of(content)
