"""Results of library functions, by the rules that JAX gave for them."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping

from jitlint.analysis.arrays.dtypes import dtype_of, dtype_of_name, name_of_dtype, rank_of, with_exact_dtype
from jitlint.analysis.arrays.results import array_result, common_lead
from jitlint.analysis.arrays.shapes import arange_lead, constant_lead, element_count, shape_length
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    UNKNOWN,
    Array,
    Const,
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
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.models.function import FunctionModel, Parameter, Rule
from jitlint.models.rules import KINDS, promoted, result_kind, result_rank
from jitlint.models.rules import UNKNOWN as NO_RULE
from jitlint.source.places import Span

SEVERAL = frozenset({"tuple", "arrays", "list"})
"""Results of several arrays."""


class Bound:
    """The arguments of a call by the names of the function's parameters."""

    def __init__(self, model: FunctionModel, args: Args) -> None:
        self.args = args
        self.defaults: dict[str, str] = {}
        self.values: dict[str, Value] = {}
        self.open = args.rest is not None or args.open_keywords
        for parameter in model.parameters:
            self.defaults[parameter.name] = parameter.default
            value = _given(parameter, args)
            if value is not None:
                self.values[parameter.name] = value

    def given(self, name: str) -> bool | None:
        """Whether an option is given, and not its default; None if that cannot be told."""
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
        """The rule that holds with the options of this call."""
        word = rule.base
        for option, other in rule.given:
            given = self.given(option)
            if given is None:
                return NO_RULE
            word = other if given else word
        return word

    def measure(self, name: str) -> int | None:
        """The rank of an argument (`a`), or its length (`len(a)`)."""
        value = self.values.get(name.removeprefix("len(").removesuffix(")"))
        return shape_length(value) if name.startswith("len(") else _rank(value)


def _given(parameter: Parameter, args: Args) -> Value | None:
    if parameter.rest:
        rest = args.positional[parameter.position or 0 :]
        return (Tuple(tuple(rest)) if len(rest) > 1 else rest[0]) if rest else None
    if parameter.name in args.keywords:
        return args.keywords[parameter.name]
    if parameter.position is not None and parameter.position < len(args.positional):
        return args.positional[parameter.position]
    return None


@functools.cache
def _constant(default: str) -> str:
    """A default's text as `repr` writes it."""
    try:
        return repr(ast.literal_eval(default))
    except (SyntaxError, ValueError):
        return ""


def result_by_rules(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """The array or arrays that a call gives."""
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
    kind, rank, lead = array_facts(model, bound, index)
    last = model.name.rpartition(".")[2]
    first = bound.values.get(model.parameters[0].name) if model.parameters else None
    same = isinstance(first, Array) and lead is not None and first.lead == lead
    copied = isinstance(first, Array) and (same or last in _KEEPING)
    least = first.least if isinstance(first, Array) and copied else element_count(last, args)
    result = array_result(interp, args.all(), span, kind, rank, by=model.name, lead=lead, least=least)
    return with_exact_dtype(result, name_of_dtype(bound.values["dtype"]) if "dtype" in bound.values else last)


_KEEPING = frozenset({"astype", "reshape", "ravel", "flatten", "transpose"})
"""Functions and methods that keep all elements."""


def array_facts(model: FunctionModel, bound: Bound, index: int = 0) -> tuple[str | None, int | None, Lead | None]:
    """The dtype's kind, the rank and the leading axis of one array of a result."""
    kind = rank = lead = None
    if index < len(model.dtypes):
        kind = result_kind(bound.applied(model.dtypes[index]), lambda name: kind_of(bound.values.get(name)))
    if index < len(model.ranks):
        word = bound.applied(model.ranks[index])
        rank = result_rank(word, bound.measure)
        lead = _lead(word, bound.values)
    if model.name == "jax.numpy.arange":
        lead = arange_lead(bound.args)
    return kind, rank, lead


def _lead(word: str, values: Mapping[str, Value]) -> Lead | None:
    """The leading axis of a result whose shape is that of arguments, or of a given shape."""
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
    """The kind of dtype of an argument, or the kind that it names."""
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
    content = content_of(value)
    if isinstance(content, Tuple):
        ranks = {_rank(part) for part in content.elements}
        return ranks.pop() if len(ranks) == 1 else None
    if isinstance(content, Sequence):
        return _rank(content.element)
    return None if value is None else rank_of(value)
