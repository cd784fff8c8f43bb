"""Functions of `jax.numpy` whose result depends on the structure of their arguments: array, where, concatenate …

What the other functions return, JAX was asked; `arrays/rules.py` applies its answers.
"""

from __future__ import annotations

from collections.abc import Iterable

from jitlint.analysis.arrays import shapes
from jitlint.analysis.arrays.dtype_tests import dtype_named, is_complex, is_subdtype
from jitlint.analysis.arrays.dtypes import (
    default_dtype,
    dtype_of,
    gives_way,
    least_rank,
    promoted_exact,
    rank_of,
    with_exact_dtype,
    with_least_rank,
)
from jitlint.analysis.arrays.results import array_result, common_lead
from jitlint.analysis.arrays.rounds import grown
from jitlint.analysis.libraries.calls import apply_model
from jitlint.analysis.libraries.requirements import check_arguments
from jitlint.analysis.libraries.result_words import result_of
from jitlint.analysis.libraries.tables import HANDLERS
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.options import note_dtype
from jitlint.analysis.values import (
    BOOL,
    INT,
    UNKNOWN,
    Array,
    Const,
    HostArray,
    Lead,
    ResizedInLoop,
    Sequence,
    Static,
    Traced,
    Tuple,
    Unknown,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.models.function import FunctionModel
from jitlint.models.rules import KINDS, promoted
from jitlint.source.places import Span


def _jnp_where(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jnp.where(condition, x, y)` selects elements; `jnp.where(condition)` returns positions, as `nonzero` does."""
    if len(args.positional) == 1 and not {"x", "y"} & set(args.keywords):
        positions = interp.models.function("jax.numpy.nonzero")
        assert positions is not None
        check_arguments(interp, positions._replace(name=model.name), args, span)
        result = array_result(interp, args.positional, span, "int", 1, by=model.name)
        axes = rank_of(args.positional[0])
        return Sequence("tuple", result) if axes is None else Tuple((result,) * axes)
    values = args.positional[1:3]
    dtype = _promoted_kind(values) if len(values) == 2 else None
    weak = gives_way(values, dtype)
    ranks = {rank_of(value) for value in args.positional[:3]}
    rank = max(r for r in ranks if r is not None) if None not in ranks and len(values) == 2 else None
    lead = common_lead(args.positional[:3])
    result = array_result(interp, args.all(), span, dtype, rank, by=model.name, weak=weak, lead=lead)
    exact = "" if weak else promoted_exact(values, dtype)
    return with_least_rank(with_exact_dtype(result, exact), max(map(least_rank, args.positional[:3]), default=0))


def _promoted_kind(values: Iterable[Value]) -> str | None:
    """The dtype kind that some arrays and numbers promote to; None if that of one is not known."""
    kinds = [dtype_of(value) or "" for value in values]
    return promoted(kinds) if set(kinds) <= set(KINDS) else None


def _jnp_array(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jnp.array(value)` and `jnp.asarray(value)`."""
    value = args.positional[0] if args.positional else UNKNOWN
    content = content_of(value)
    if isinstance(content, Tuple) and not args.keywords and len(args.positional) == 1:
        kinds = {dtype_of(element) for element in content.elements}
        rank, lead = shapes.nested_list_facts(content)
        dtype = kinds.pop() if len(kinds) == 1 else None
        numbers = all(isinstance(element, (Const, Static)) for element in content.elements)
        exact = default_dtype(dtype) if numbers else promoted_exact(list(content.elements), dtype)
        return with_exact_dtype(array_result(interp, [value], span, dtype, rank, by=model.name, lead=lead), exact)
    if isinstance(value, Array) and not args.keywords and len(args.positional) == 1:
        dtype, rank, lead, least = value.dtype, value.rank, value.lead, value.least
        result = array_result(
            interp, [value], span, dtype, rank, by=model.name, weak=value.weak, lead=lead, least=least
        )
        return with_exact_dtype(result, value.exact)
    if isinstance(value, ResizedInLoop):
        return array_result(interp, [value], span, None, by=model.name, lead=(value.rounds, 0))
    is_number = isinstance(value, (Const, Static)) and dtype_of(value) in ("int", "float", "complex")
    if is_number and not args.keywords and len(args.positional) == 1:
        return array_result(interp, [value], span, dtype_of(value), 0, weak=True, by=model.name)
    return _nested(interp, model, args, span)


def _nested(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """An array made of nested lists of numbers, or with a given dtype."""
    result = apply_model(interp, model, args, span)
    given = args.positional[0] if args.positional else None
    content = content_of(given)
    if not isinstance(result, Array) or not isinstance(content, (Tuple, Sequence)) or "ndmin" in args.keywords:
        return result
    rank, lead = shapes.nested_list_facts(content)
    return with_exact_dtype(
        array_result(interp, args.all(), span, result.dtype, rank, by=model.name, lead=lead), result.exact
    )


def _concatenate(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jnp.concatenate([a, b])`: along the first axis, the leading axes add up."""
    check_arguments(interp, model, args, span)
    first = args.positional[0] if args.positional else UNKNOWN
    content = content_of(first)
    if not isinstance(content, Tuple):
        return array_result(interp, args.all(), span, None, by=model.name)
    arrays = [part for part in content.elements if isinstance(part, Array)]
    complete = len(arrays) == len(content.elements) > 0
    dtype = _promoted_kind(arrays) if complete else None
    axis = args.get(1, "axis") or Const(0)
    along_first = isinstance(axis, Const) and axis.value == 0
    lead = _sum_of_leads(arrays) if complete and along_first else None
    rank = arrays[0].rank if complete else None
    result = array_result(interp, args.all(), span, dtype, rank, by=model.name, lead=lead)
    result = with_least_rank(with_exact_dtype(result, promoted_exact(list(content.elements), dtype)), 1)
    return grown(result, content)


def _diag(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jnp.diag(v)`: a matrix with that diagonal, or the diagonal of a matrix."""
    result = apply_model(interp, model, args, span)
    rank = rank_of(args.given(0, "v"))
    if not isinstance(result, Array) or rank not in (1, 2):
        return with_least_rank(result, 1)
    return with_exact_dtype(array_result(interp, args.all(), span, result.dtype, 3 - rank, by=model.name), result.exact)


def _stack(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jnp.vstack([a, b])`, `hstack` and the like: along one axis or the other, the lengths add up."""
    result = apply_model(interp, model, args, span)
    content = content_of(args.given(0, "tup"))
    return grown(result, content) if isinstance(content, Tuple) else result


def _einsum(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jnp.einsum("ij,j->i", x, y)`; or with operands and the numbers of their axes in turn, `einsum(x, [0, 1], [0])`.

    What follows the first operand may be given by a star, or not be known: then nothing tells which form it is.
    """
    second = content_of(args.positional[1]) if len(args.positional) > 1 else args.rest
    if isinstance(second, (Tuple, Sequence, Unknown)):
        return result_of(interp, model, args, span)
    return apply_model(interp, model, args, span)


def _append(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jnp.append(a, b)`: flat, and a leading axis that is longer by that of `b`; along an axis, of the rank of `a`."""
    first, second = (*args.positional, UNKNOWN, UNKNOWN)[:2]
    lead = None
    rank: int | None = 1
    axis = args.get(2, "axis")
    if axis is not None and not is_none(axis):
        rank = first.rank if isinstance(first, Array) else None
    flat = isinstance(first, Array) and first.rank in (None, 1) and len(args.positional) == 2
    if isinstance(first, Array) and first.lead is not None and flat:
        more = _added_length(interp, second)
        lead = (first.lead[0], first.lead[1] + more) if more is not None else None
    dtype = first.dtype if isinstance(first, Array) and dtype_of(second) == first.dtype else None
    return array_result(interp, args.all(), span, dtype, rank, by=model.name, lead=lead)


def _added_length(interp: Interpreter, value: Value) -> int | None:
    """How many elements `jnp.append` adds, which flattens what it gets; None if that is not known.

    In a loop, something of which nothing is known counts as one: all that matters there is that each round adds.
    """
    if rank_of(value) == 0:
        return 1
    if isinstance(value, Array) and value.rank == 1 and value.lead is not None:
        return value.lead[1] if value.lead[0] is None else None
    return 1 if rank_of(value) is None and interp.loops else None


def _sum_of_leads(arrays: list[Array]) -> Lead | None:
    """The leading axis of arrays one behind the other; None if the length of one is not known."""
    symbols: list[object] = []
    total = 0
    for array in arrays:
        if array.lead is None:
            return None
        if array.lead[0] is not None:
            symbols.append(array.lead[0])
        total += array.lead[1]
    symbol = symbols[0] if len(symbols) == 1 else (tuple(symbols) or None)
    return symbol, total


def _keys_of_the_same_kind(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jax.random.split(key)`, `fold_in`, `clone`: keys of the kind that is given, and `key_data`: their numbers.

    JAX has two kinds: `jax.random.key(0)` is a scalar whose dtype is `key<fry>`, `PRNGKey(0)` an array of two integers.
    """
    check_arguments(interp, model, args, span)
    name = model.name.rpartition(".")[2]
    given = args.given(0, "keys" if name == "key_data" else "key")
    if is_none(given):
        return UNKNOWN  # JAX refuses it: who splits a key that is None by default never does so without one
    dtype, rank = dtype_of(given), rank_of(given)
    if dtype not in ("key", "int"):
        dtype = rank = None  # nothing says which kind it is
    number = args.get(1, "num") or Const(2)
    more = {"split": shapes.shape_length(number), "key_data": int(dtype == "key")}.get(name, 0)
    if name == "key_data":
        dtype = "int"
    rank = None if rank is None or more is None else rank + more
    lead = shapes.constant_lead(number) if name == "split" else None
    result = array_result(interp, args.all(), span, dtype, rank, by=model.name, lead=lead)
    return with_exact_dtype(result, "uint32") if dtype == "int" else result


def _dtype(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jnp.dtype("bfloat16")`: a dtype by its name, or of an array's class."""
    named = args.get(0, "dtype")
    note_dtype(interp, named, span)
    return dtype_named(named) or result_of(interp, model, args, span)


def _issubdtype(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jnp.issubdtype(x.dtype, jnp.floating)`, which also takes an array for its dtype."""
    known = is_subdtype(args.given(0, "arg1"), args.given(1, "arg2"))
    return BOOL if known is None else Const(known)


def _rank(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jnp.ndim(x)`, which also takes numbers."""
    known = rank_of(args.given(0, "a"))
    return INT if known is None else Const(known)


def _is_of_complex(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jnp.iscomplexobj(x)` and `jnp.isrealobj(x)`: what the dtype says, not the values."""
    known = is_complex(args.given(0, "x"))
    return BOOL if known is None else Const(known is (model.name.endswith("iscomplexobj")))


def _reshape(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jnp.reshape(x, shape)`: asks the array itself, so that one of NumPy stays one (jax/_src/numpy/lax_numpy.py)."""
    result = apply_model(interp, model, args, span)
    given = args.given(0, "a")
    if not isinstance(given, HostArray) or not isinstance(result, Array):
        return result
    return HostArray(given.dtype, result.rank, lead=result.lead, exact=given.exact, least=given.least)


def _permutation(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jax.random.permutation(key, x)`: like `x`; of a number `n`, the numbers below it."""
    result = apply_model(interp, model, args, span)
    number = args.given(1, "x")
    if rank_of(number) != 0 or not isinstance(result, Array):
        return result
    return array_result(interp, args.all(), span, "int", 1, by=model.name, lead=shapes.constant_lead(number))


def _bincount(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jnp.bincount(x, weights=w)`: how many there are of each, or the sum of their weights."""
    result = apply_model(interp, model, args, span)
    weights = args.get(1, "weights")
    if weights is None or is_none(weights) or not isinstance(result, Array):
        return result
    return array_result(interp, args.all(), span, dtype_of(weights), 1, by=model.name)


def _choose(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jnp.choose(a, choices)`: the choices are broadcast against the indices."""
    result = apply_model(interp, model, args, span)
    if not isinstance(result, Array):
        return result
    choices = shapes.nested_rank(args.given(1, "choices"))
    ranks = (result.rank, None if choices is None else choices - 1)
    rank = None if None in ranks else max(rank for rank in ranks if rank is not None)
    return array_result(interp, args.all(), span, result.dtype, rank, by=model.name)


def _one_for_each(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`broadcast_arrays(a, b)` and `meshgrid(x, y)`: a list with one array for each argument."""
    result = apply_model(interp, model, args, span)
    content = content_of(result)
    array = content.element if isinstance(content, Sequence) else result
    if not isinstance(array, Array):
        return result
    if args.rest is not None:
        return interp.new_list("list", Sequence("tuple", array), span)
    return interp.new_list("list", Tuple(tuple([array.with_new_identity() for _ in args.positional])), span)


def _at_least(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`atleast_1d(x)`: an array that has so many axes at least; of several arguments, a list of such arrays."""
    on_host = isinstance(apply_model(interp, model, args, span), HostArray)
    if args.rest is not None or not args.positional:
        return UNKNOWN
    axes = int(model.name.removesuffix("d")[-1])
    arrays = [_with_axes(interp, model, axes, value, span, on_host) for value in args.positional]
    return arrays[0] if len(arrays) == 1 else interp.new_list("list", Tuple(tuple(arrays)), span)


def _with_axes(interp: Interpreter, model: FunctionModel, axes: int, value: Value, span: Span, on_host: bool) -> Value:
    """An array with the values of another one, or of a number, and with so many axes at least."""
    if isinstance(value, Traced) and (value.rank or 0) >= axes:
        return value
    dtype, rank = dtype_of(value), shapes.nested_rank(value)
    rank = None if rank is None else max(rank, axes)
    exact = value.exact if isinstance(value, Array) else ""
    if on_host:
        return HostArray(dtype, rank, exact=exact)
    weak = gives_way([value], dtype)
    result = array_result(interp, [value], span, dtype, rank, by=model.name, weak=weak)
    return with_least_rank(with_exact_dtype(result, exact), axes)


HANDLERS.update(
    {
        "dtype": _dtype,
        "issubdtype": _issubdtype,
        "rank": _rank,
        "is_of_complex": _is_of_complex,
        "keys_of_the_same_kind": _keys_of_the_same_kind,
        "jnp_where": _jnp_where,
        "jnp_array": _jnp_array,
        "nested": _nested,
        "append": _append,
        "einsum": _einsum,
        "concatenate": _concatenate,
        "diag": _diag,
        "permutation": _permutation,
        "reshape": _reshape,
        "bincount": _bincount,
        "choose": _choose,
        "stack_along": _stack,
        "one_for_each": _one_for_each,
        "at_least": _at_least,
    }
)
