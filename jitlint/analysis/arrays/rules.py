"""Results of JAX's functions by the rules in their models, which were found out by asking JAX itself.

A rule is a word or a formula: "float", `max(a, b)` for the rank, `like(a)` for the shape (jitlint/models/rules.py). It
may depend on options: `Bound.applied` picks the one that holds in a call.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping

from jitlint.analysis.arrays.dtypes import (
    AT_LEAST,
    default_dtype,
    dtype_of,
    dtype_of_name,
    exact_dtype,
    least_rank,
    name_of_dtype,
    named_dtype,
    promoted_exact,
    rank_of,
    with_exact_dtype,
    with_least_rank,
)
from jitlint.analysis.arrays.reads import asks_for_shape
from jitlint.analysis.arrays.results import array_result, common_lead
from jitlint.analysis.arrays.shapes import arange_lead, constant_lead, element_count, nested_rank, shape_length
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.scalars import note_scalar_use
from jitlint.analysis.values import (
    UNKNOWN,
    Array,
    Const,
    Dtype,
    External,
    Lead,
    List,
    Sequence,
    Static,
    Traced,
    Tuple,
    Union,
    Unknown,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import join
from jitlint.models.function import FunctionModel, Parameter, Rule
from jitlint.models.rules import KINDS, promoted, result_kind, result_rank
from jitlint.models.rules import UNKNOWN as NO_RULE
from jitlint.source.places import Span

SEVERAL = frozenset({"tuple", "arrays", "list"})
"""The words in `FunctionModel.structure` for a result of several arrays."""


class Bound:
    """The arguments of a call, by the names of the parameters in the function's model."""

    def __init__(self, model: FunctionModel, args: Args) -> None:
        self.args = args
        """The arguments as the caller gives them."""
        self.defaults: dict[str, str] = {}
        """The source text of each parameter's default ("" if it has none)."""
        self.values: dict[str, Value] = {}
        """The arguments that are given, by parameter."""
        self.open = args.rest is not None or args.open_keywords
        """Whether a star may give further ones."""
        self._takes_lists = model.name.startswith(("numpy.", "jax.numpy."))
        """Whether a list of numbers is an array to the function, not a pytree."""
        for parameter in model.parameters:
            self.defaults[parameter.name] = parameter.default
            value = _argument(parameter, args)
            if value is not None:
                self.values[parameter.name] = value

    def given(self, name: str) -> bool | None:
        """Whether an option is given, with another value than its default; None if that is not known."""
        value = self.values.get(name)
        if value is None:
            return None if self.open else False
        default = self.defaults.get(name, "")
        if isinstance(value, Const):
            return repr(value.value) != _constant(default)
        if isinstance(value, (Unknown, Union)) or (isinstance(value, Static) and default in ("True", "False")):
            return None
        return True

    def applied(self, rule: Rule) -> str:
        """The word or formula of a rule that holds with the options of this call; NO_RULE if that is not known."""
        word = rule.base
        for option, other in rule.given:
            given = self.given(option)
            if given is None:
                return NO_RULE
            if given:
                word = _extended(word, other, option)
        return word

    def measure(self, name: str) -> int | None:
        """What a formula for a rank refers to: the rank of an argument (`a`), or the length of a shape (`len(a)`)."""
        value = self.values.get(name.removeprefix("len(").removesuffix(")"))
        if name.startswith("len("):
            return shape_length(value)
        if name in _SEQUENCES:
            rank = _rank(value)
            return rank - 1 if rank and isinstance(value, Array) else rank
        return nested_rank(value) if self._takes_lists else _rank(value)


_SEQUENCES = frozenset({"args", "arrays", "choices", "tup"})
"""How JAX calls parameters that take a sequence of arrays. An array there is the sequence of its rows."""


def _extended(word: str, other: str, option: str) -> str:
    """The rule that holds with an option: its own, or what held before with the option among the arguments, too.

    With `loc: like(x, loc), scale: like(x, scale)`, that of a call with both is `like(x, loc, scale)`.
    """
    head, _, names = other.partition("(")
    before, _, earlier = word.partition("(")
    added = names.removesuffix(")").split(", ")
    if before != head or option not in added or not (head == "like" or set(head) <= _OF_PROMOTION):
        return other
    return f"{head}({', '.join(dict.fromkeys((*earlier.removesuffix(')').split(', '), *added)))})"


_OF_PROMOTION = frozenset("bifc.")
"""The letters of a rule for what the kinds of arguments promote to."""


def _argument(parameter: Parameter, args: Args) -> Value | None:
    """The argument that a call gives for a parameter, None if it gives none; for `*parameter`, a tuple of several.

    `x.reshape(-1, *shape)` gives a tuple of unknown length.
    """
    if parameter.rest:
        rest = args.positional[parameter.position or 0 :]
        if args.rest is not None:
            return Sequence("tuple", functools.reduce(join, rest, args.rest), len(rest))
        return (Tuple(tuple(rest)) if len(rest) > 1 else rest[0]) if rest else None
    if parameter.name in args.keywords:
        return args.keywords[parameter.name]
    if parameter.position is not None and parameter.position < len(args.positional):
        return args.positional[parameter.position]
    return None


@functools.cache
def _constant(default: str) -> str:
    """A default's source text as `repr` writes the value; "" if it is no literal."""
    try:
        return repr(ast.literal_eval(default))
    except (SyntaxError, ValueError):
        return ""


def result_by_rules(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """The array, tuple or list of arrays that a call gives: a tree of any structure if the model has no rule for it."""
    bound = Bound(model, args)
    word = bound.applied(model.structure)
    if word == NO_RULE:
        result = array_result(interp, args.all(), span, None, by=model.name)
        return result.replace(tree=True) if isinstance(result, Traced) else UNKNOWN
    several = max(len(model.dtypes), len(model.ranks), 1)
    leaves = tuple(_leaf(interp, model, bound, i, args, span) for i in range(several))
    if word not in SEVERAL:
        return leaves[0]
    content = Tuple(leaves) if several > 1 else Sequence("tuple", leaves[0])
    if word == "list":
        return interp.new_list("list", content, span)
    return content


def _leaf(interp: Interpreter, model: FunctionModel, bound: Bound, index: int, args: Args, span: Span) -> Value:
    """The array at `index` among those that a call gives."""
    kind, rank, lead = array_facts(model, bound, index)
    last = model.name.rpartition(".")[2]
    first = bound.values.get(model.parameters[0].name) if model.parameters else None
    same_length = isinstance(first, Array) and lead is not None and first.lead == lead
    word = bound.applied(model.ranks[index]) if index < len(model.ranks) else ""
    if isinstance(first, Array) and first.rank == 0 and "+" not in word and _axes_named(bound):
        note_scalar_use(interp, first, span)
    copied = isinstance(first, Array) and (same_length or last in _SAME_SIZE)
    least = first.least if isinstance(first, Array) and copied else element_count(last, args)
    operands = _all_but(first, args) if asks_for_shape(model.name) and not interp.staging else args.all()
    result = array_result(interp, operands, span, kind, rank, by=model.name, lead=lead, least=least)
    result = with_exact_dtype(result, _exact(model, bound, index, kind))
    return with_least_rank(result, _least_rank(word, model, bound)) if index < len(model.ranks) else result


def _least_rank(word: str, model: FunctionModel, bound: Bound) -> int:
    """A number of axes that a result has at least, by the rule for its rank: `x.max(axis=1)` leaves one or more."""
    if word == NO_RULE:
        return 0
    needed = 0 if "+" in word or model.name.startswith("jax.random.") else _axes_named(bound)
    base, less, taken = word.partition("-")
    if not less:
        return max(needed, _least_rank_of(word, bound))
    count = bound.measure(taken) if taken.startswith("len(") else int(taken)
    return 0 if count is None else max(0, max(needed, _least_rank_of(base, bound)) - count)


def _least_rank_of(word: str, bound: Bound) -> int:
    """A number of axes that the arguments in `like(a, b)`, `max(a, b)`, `a+1` or `a` have at least."""
    head, _, tail = word.partition("(")
    if head in ("like", "max"):
        return max(_least_rank_of(name, bound) for name in tail.removesuffix(")").split(", "))
    name, more, _ = word.partition("+")
    if name not in bound.values:
        return 0
    rows = name in _SEQUENCES and isinstance(bound.values[name], Array)
    return max(max(map(least_rank, _parts([bound.values[name]])), default=0) - rows, 0) + bool(more)


def _axes_named(bound: Bound) -> int:
    """How many axes an array must have, so that it has those that the argument `axis` names."""
    content = content_of(bound.values.get("axis"))
    axes = content.elements if isinstance(content, Tuple) else (content,)
    known = [axis.value for axis in axes if isinstance(axis, Const) and type(axis.value) is int]
    if "axis" not in bound.values and bound.defaults.get("axis", "").lstrip("-").isdigit():
        known = [int(bound.defaults["axis"])]  # `jnp.diff(x)` is along the last axis
    return max((axis + 1 if axis >= 0 else -axis for axis in known), default=0)


def _exact(model: FunctionModel, bound: Bound, index: int, kind: str | None) -> str:
    """The exact dtype of the array at `index` in a result of the given kind; "" if it is not known."""
    last = model.name.rpartition(".")[2]
    if exact_dtype(last):
        return exact_dtype(last)  # `jnp.float32(x)`
    head, _, tail = (bound.applied(model.dtypes[index]) if index < len(model.dtypes) else NO_RULE).partition("(")
    names = tail.removesuffix(")").split(", ")
    named = names[0] if head == "kind" else "dtype"
    if bound.given(named) is not False:
        return named_dtype(bound.values.get(named))
    if not tail:
        if model.name.startswith("jax.random."):
            return default_dtype(kind) if kind == "float" else ""  # the numbers of keys have no sign
        made = head != NO_RULE and (_from_shape(model, bound) or not _may_decide(bound.args.all()))
        return default_dtype(kind) if made else ""
    decide = _parts([bound.values[name] for name in names if name in bound.values])
    if last in _MAKERS and not _may_decide(decide):
        return default_dtype(kind)
    exact = promoted_exact(decide, kind)
    kept = kind == "float" and not model.name.startswith(_COMPUTING_WIDER)
    return exact if kept or not exact or exact.endswith(AT_LEAST) else f"{exact}{AT_LEAST}"


_MAKERS = frozenset({"arange", "linspace"})
"""Functions that make arrays, of no weak type, from Python's numbers."""

_COMPUTING_WIDER = ("jax.scipy.", "scipy.", "numpy.")
"""Libraries in which some functions give float32 for float16. (Of integers, some of JAX's own give wider ones.)"""


def _from_shape(model: FunctionModel, bound: Bound) -> bool:
    """Whether a function makes its result from a shape, and no argument decides about its dtype."""
    return any(bound.applied(rule).startswith("len(") for rule in model.ranks)


def _may_decide(values: list[Value]) -> bool:
    """Whether there may be an array among some arguments."""
    return not all(isinstance(part, (Const, Static, External)) for part in _parts(values))


def _parts(values: list[Value]) -> list[Value]:
    """The values, with the elements in place of the lists and tuples among them."""
    found: list[Value] = []
    for value in values:
        content = content_of(value)
        if isinstance(content, Tuple):
            found.extend(_parts(list(content.elements)))
        else:
            found.append(content.element if isinstance(content, Sequence) else value)
    return found


def _all_but(first: Value | None, args: Args) -> list[Value]:
    """What `zeros_like(x)` computes with where JAX does not record: `x` gives its shape only, even a batched tracer."""
    operands = args.all()
    at = next((i for i, value in enumerate(operands) if value is first), len(operands))
    return operands[:at] + operands[at + 1 :]


_SAME_SIZE = frozenset({"astype", "reshape", "ravel", "flatten", "transpose"})
"""Functions and methods whose result has as many elements as their argument."""


def array_facts(model: FunctionModel, bound: Bound, index: int = 0) -> tuple[str | None, int | None, Lead | None]:
    """The dtype kind, the rank and the leading axis of the array at `index` in a result, each None if not known."""
    kind = rank = lead = None
    if index < len(model.dtypes):
        kind = result_kind(bound.applied(model.dtypes[index]), lambda name: kind_of(bound.values.get(name)))
    if index < len(model.ranks):
        word = bound.applied(model.ranks[index])
        rank = result_rank(word, bound.measure)
        lead = _lead(word, bound.values)
    if model.name == "jax.numpy.arange":
        lead = arange_lead(bound.args)
        kind = _kind_of_range(bound) if bound.given("dtype") is False else kind
    if model.name == "jax.numpy.diff" and rank == 1 and len(bound.args.all()) == 1:
        array = bound.args.all()[0]
        lead = (array.lead[0], array.lead[1] - 1) if isinstance(array, Array) and array.lead is not None else None
    size = _LENGTHS.get(model.name)
    if size is not None and bound.given("axis") is False:
        lead = constant_lead(bound.values.get(size))
    return kind, rank, lead


def _kind_of_range(bound: Bound) -> str | None:
    """The dtype kind of `arange(start, stop, step)`: float if one of them is; None if one is not known."""
    given = [bound.values.get(name) for name in ("start", "stop", "step")]
    kinds = {kind_of(value) for value in given if value is not None and not is_none(value)}
    if bound.open:
        return None
    if "float" in kinds:
        return "float"
    return "int" if kinds <= {"int", "bool"} else None


_LENGTHS = {
    "jax.numpy.linspace": "num",
    "jax.numpy.logspace": "num",
    "jax.numpy.geomspace": "num",
    "jax.numpy.eye": "N",
    "jax.numpy.identity": "n",
}
"""Functions that make arrays, and the parameter that is the length of their leading axis."""


def _lead(word: str, values: Mapping[str, Value]) -> Lead | None:
    """The leading axis that a rule for ranks implies.

    `like(a, b)`: that of the arguments. `len(shape)`: the first size, as 3 in `jnp.zeros((3, n))`.
    """
    head, _, names = word.partition("(")
    given = [values[name] for name in names.removesuffix(")").split(", ") if name in values]
    if head == "like":
        arrays = [value for value in given if isinstance(value, Array)]
        return arrays[0].lead if len(given) == len(arrays) == 1 else common_lead(given)
    if head != "len" or not given:
        return None
    content = given[0].content if isinstance(given[0], List) else given[0]
    if isinstance(content, Tuple):
        return constant_lead(content.elements[0]) if content.elements else None
    return constant_lead(content)


def kind_of(value: Value | None) -> str | None:
    """The dtype kind of an argument, of what it holds, or that it names as a dtype; None if not known."""
    if isinstance(value, Dtype):
        return value.dtype
    if isinstance(value, External) or (isinstance(value, Const) and isinstance(value.value, str)):
        return dtype_of_name(name_of_dtype(value))
    content = content_of(value)
    if isinstance(content, Tuple):
        kinds = [kind_of(part) for part in content.elements]
        known = [kind for kind in kinds if kind in KINDS]
        return promoted(known) if known and len(known) == len(kinds) else None
    if isinstance(content, Sequence):
        return kind_of(content.element)
    return None if value is None else dtype_of(value)


def _rank(value: Value | None) -> int | None:
    """The rank of an argument, or of all arrays that it holds; None if not known or not the same."""
    content = content_of(value)
    if isinstance(content, Tuple):
        ranks = {_rank(part) for part in content.elements}
        return ranks.pop() if len(ranks) == 1 else None
    if isinstance(content, Sequence):
        return _rank(content.element)
    return None if value is None else rank_of(value)
