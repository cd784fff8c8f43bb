"""Pytrees: `jax.tree` functions, and registrations that make a class a pytree.

Where the structure of a tree is known (tuples, lists, dicts), functions map over it element by element; else one value
stands for all leaves, the join of those that are known.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator

from jitlint.analysis.arrays.dtypes import dtype_of, rank_of
from jitlint.analysis.arrays.results import array_result
from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.language.decisions import decide
from jitlint.analysis.language.definitions import register_class
from jitlint.analysis.language.instances import leaf_fields
from jitlint.analysis.libraries.tables import HANDLERS
from jitlint.analysis.machine.handed_on import hand_on_to_leaf
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.machine.limits import MAX_UNROLL, MAX_UNROLL_ITEMS
from jitlint.analysis.machine.walks import inside
from jitlint.analysis.tracing.backwards import note_stop
from jitlint.analysis.tracing.borders import map_structure, unknown_tree
from jitlint.analysis.tracing.tree_structures import check_trees
from jitlint.analysis.values import (
    BOOL,
    NEVER,
    NONE,
    OBJECT,
    UNKNOWN,
    Array,
    Class,
    Const,
    Dict,
    External,
    ExternalInstance,
    HostArray,
    Instance,
    JaxArray,
    List,
    Partial,
    Sequence,
    Static,
    Traced,
    TreeStructure,
    Tuple,
    Union,
    Unknown,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives, join, join_all, tuple_of, without_doubtful_arrays
from jitlint.analysis.values.keys import in_order_of_jax
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span


def leaf_of(interp: Interpreter, tree: Value) -> Value:
    """The value that stands for every leaf of a tree: the join of the leaves."""
    if isinstance(tree, Traced):
        return tree.replace(tree=False, container=False, param="", rank=None if tree.tree else tree.rank)
    if isinstance(tree, Tuple):
        return join_all(leaf_of(interp, part) for part in tree.elements)
    if isinstance(tree, Sequence):
        return leaf_of(interp, tree.element)
    if isinstance(tree, List):
        return leaf_of(interp, tree.content)
    if isinstance(tree, Dict):
        return join_all(leaf_of(interp, part) for part in [*tree.entries.values(), tree.rest])
    if isinstance(tree, Instance):
        if tree.traced is not None:
            return tree.traced.replace(tree=False, param="")
        if class_facts(interp, tree.cls).pytree:
            nothing: Value = NEVER
            return inside(interp, tree, lambda: _leaf_of_instance(interp, tree), nothing)
        return UNKNOWN
    parts = alternatives(tree)
    if len(parts) > 1:
        return join_all(leaf_of(interp, part) for part in parts if not is_none(part))
    return tree


def _leaf_of_instance(interp: Interpreter, tree: Instance) -> Value:
    """The value that stands for every leaf of an instance of a pytree class."""
    names = leaf_fields(interp, tree.cls)
    held = tree.fields.items() if not names else [(name, tree.fields.get(name)) for name in sorted(names)]
    return join_all(leaf_of(interp, part) for _, part in held if isinstance(part, Value))


def _tree_map(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jax.tree.map(f, tree, *rest)`."""
    function = args.given(0, "f")
    trees = args.positional[1:]
    with_path = model.name.endswith("with_path")
    is_leaf = _leaf_test(args)
    if is_leaf is None:
        check_trees(interp, model.name, trees, span)
    more = args.rest if args.positional else None  # of `tree.map(f, *trees)`, which are alike
    starred = more is not None and not trees
    if not with_path and (args.rest is None or starred):
        each = functools.partial(_call_for, interp, function, starred, span)
        exact = _map_exact(interp, each, [more] if more is not None else trees, is_leaf, span)
        if exact is not None:
            return exact
    loose = is_leaf is not None
    leaves = [_maybe_tree(leaf_of(interp, tree), loose) for tree in trees]
    if leaves and not isinstance(leaves[0], Array):  # what lies at the places of such leaves may be whole trees
        pairs = list(zip(leaves, trees, strict=True))[1:]
        leaves[1:] = [UNKNOWN if isinstance(t, Instance) else _maybe_tree(leaf, is_tree(t)) for leaf, t in pairs]
    if is_leaf is not None and leaves:
        _is_leaf_by(interp, leaves[0], is_leaf, span)
    values = [Sequence("tuple", OBJECT), *leaves] if with_path else leaves
    each_leaf = Args(values, rest=leaf_of(interp, more) if more is not None else args.rest)
    with _for_each_leaf(interp, span):
        result = call(interp, function, each_leaf, span)
    first = trees[0] if trees else more or UNKNOWN
    return _with_leaves(interp, first, result, loose)


@contextlib.contextmanager
def _for_each_leaf(interp: Interpreter, span: Span) -> Iterator[None]:
    """Within, a function is called for each leaf of a tree: what it makes, it makes anew each time, as in a loop."""
    outer = interp.loops
    loop = interp.new_loop(span).identity
    interp.world.leaf_loops.add(loop)
    interp.loops = (*outer, loop)
    try:
        yield
    finally:
        interp.loops = outer


def _leaf_test(args: Args) -> Value | None:
    """The function given as `is_leaf`; None if there is none. Unknown where it asks for the path, too."""
    given = args.keywords.get("is_leaf")
    if is_none(given):
        return None
    return UNKNOWN if "is_leaf_takes_path" in args.keywords else given


def _is_leaf_by(interp: Interpreter, node: Value, is_leaf: Value | None, span: Span) -> bool | None:
    """Whether a node of a tree counts as a leaf by the function given as `is_leaf`; None if that is not decided."""
    if is_leaf is None:
        return False
    if isinstance(is_leaf, (ExternalInstance, Unknown)):  # a library's predicate asks for the kind, not for values
        return None
    return decide(interp, call(interp, is_leaf, Args([node]), span), "is_leaf", span)


def _call_for(interp: Interpreter, function: Value, starred: bool, span: Span, leaves: list[Value]) -> Value:
    """Calls a function for a leaf of each tree; with `starred`, for a leaf of any number of trees."""
    return call(interp, function, Args([], rest=leaves[0]) if starred else Args(leaves), span)


def _map_exact(
    interp: Interpreter,
    function: Callable[[list[Value]], Value],
    trees: list[Value],
    is_leaf: Value | None,
    span: Span,
    around: tuple[Value, ...] = (),
) -> Value | None:
    """Maps over trees of known structure, leaf by leaf; None if the structure is not known, or has no end.

    `around` are the first trees that these are parts of: one that holds itself would be gone through for ever.
    """
    first = trees[0] if trees else UNKNOWN
    if isinstance(first, Unknown) or is_tree(first) or any(first is each for each in around):
        return None
    ends = _is_leaf_by(interp, first, is_leaf, span)
    if ends is not False:
        return function(trees) if ends else None
    columns = [_parts(interp, tree) for tree in trees]
    most = MAX_UNROLL_ITEMS if isinstance(first, Instance) else MAX_UNROLL
    if columns and columns[0] is not None and len(columns[0]) <= most:
        if any(column is None or len(column) != len(columns[0]) for column in columns):
            return None
        rows = zip(*(column for column in columns if column is not None), strict=True)
        with _for_each_leaf(interp, span) if len(columns[0]) > 1 else contextlib.nullcontext():
            results = [_map_exact(interp, function, list(row), is_leaf, span, (*around, first)) for row in rows]
        if any(result is None for result in results):
            return None
        found = iter([result for result in results if result is not None])
        return map_structure(interp, first, lambda _: next(found))
    if (
        isinstance(first, (Const, Static))
        or (isinstance(first, Array) and not is_tree(first))
        or _is_plain(interp, first)
    ):
        # A leaf of the first tree: the others may hold whole trees there.
        return function(trees) if not is_none(first) else NONE
    return None


def _is_plain(interp: Interpreter, value: Value) -> bool:
    """Whether a value is an object that JAX takes for a leaf, since no pytree is made of its class."""
    if not isinstance(value, Instance) or value.guessed:
        return False
    known = class_facts(interp, value.cls)
    return not (known.pytree or known.open)


def is_tree(value: Value) -> bool:
    """Whether a value is traced and of unknown structure."""
    return isinstance(value, Traced) and value.tree


def _children(tree: Value) -> list[Value] | None:
    """The parts of a tuple, list or dict of known length; None for anything else."""
    content = tree.content if isinstance(tree, List) and tree.kind == "list" else tree
    if isinstance(content, Tuple):
        return list(content.elements)
    if isinstance(content, Dict) and content.rest is NEVER:
        return list(in_order_of_jax(content.entries).values())
    return None


def _maybe_tree(value: Value, is_leaf: bool) -> Value:
    """A leaf, which may be a whole tree if `is_leaf` ends the mapping early."""
    return value.replace(tree=True) if is_leaf and isinstance(value, Traced) else value


def _with_leaves(interp: Interpreter, tree: Value, leaf: Value, is_leaf: bool) -> Value:
    """A tree of the same structure in which every leaf is `leaf`."""
    if is_none(tree) and not is_leaf:
        return NONE
    if isinstance(tree, (Tuple, Sequence, List, Dict, Union)) and not is_leaf:
        return map_structure(interp, tree, lambda part: _with_leaves(interp, part, leaf, is_leaf))
    if isinstance(tree, ExternalInstance) and not is_leaf:
        return tree
    if isinstance(tree, Instance) and tree.traced is None and class_facts(interp, tree.cls).pytree and not is_leaf:
        any_leaf = _of_any_shape(leaf)
        return map_structure(interp, tree, lambda part: _with_leaves(interp, part, any_leaf, is_leaf))
    is_array = isinstance(tree, Array) and not is_tree(tree)
    if isinstance(leaf, Traced):
        return leaf if is_array else leaf.replace(tree=True, param="")
    if isinstance(leaf, HostArray) and not is_array:
        return UNKNOWN  # NumPy's arrays, which JAX copies when they are donated
    # a new object each time: donating it does not invalidate another one
    return leaf.with_new_identity() if is_array else Unknown()


def _of_any_shape(leaf: Value) -> Value:
    """A leaf that may stand for each of an object's: they have shapes and dtypes of their own."""
    if isinstance(leaf, Traced):
        return leaf.replace(dtype=None, rank=None, weak=False, lead=None)
    return JaxArray() if isinstance(leaf, JaxArray) else leaf


def _tree_leaves(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jax.tree.leaves(tree)`: a list."""
    tree = args.given(0, "tree")
    exact = _exact_leaves(interp, tree, _leaf_test(args), span)
    content = Sequence("tuple", leaf_of(interp, tree)) if exact is None else tuple_of(exact)
    return interp.new_list("list", content, span)


def _exact_leaves(interp: Interpreter, tree: Value, is_leaf: Value | None, span: Span) -> list[Value] | None:
    """The leaves of a tree whose whole structure is known."""
    ends = _is_leaf_by(interp, tree, is_leaf, span)
    if ends is not False:
        return [tree] if ends else None
    if is_none(tree):
        return []
    children = _parts(interp, tree)
    if children is not None:
        parts = [_exact_leaves(interp, child, is_leaf, span) for child in children]
        return None if None in parts else [leaf for part in parts if part is not None for leaf in part]
    if isinstance(tree, (Array, Const, Static)) and not is_tree(tree):
        return [tree]
    return None


def _parts(interp: Interpreter, tree: Value) -> list[Value] | None:
    """The parts of a tree: of a container of known length, or of an instance whose class JAX takes apart by its fields.

    None for anything else.
    """
    if not isinstance(tree, Instance):
        return _children(tree)
    known = class_facts(interp, tree.cls)
    by_functions = any(cls.by_functions for cls in known.lineage)
    if not known.pytree or tree.traced is not None or tree.guessed or tree.is_part or by_functions:
        return None
    parts: list[Value] = []

    def note(part: Value) -> Value:  # an object may stand for several, each with arrays of its own
        own = part.with_new_identity() if isinstance(part, Array) else part
        if own is not part:
            hand_on_to_leaf(interp, tree, part, own)
        parts.append(own)
        return part

    map_structure(interp, tree, note)
    return None if known.sparse and not all(map(_is_array_or_number, parts)) else parts


def _is_array_or_number(value: Value) -> bool:
    """Whether a field of a module of Equinox is a leaf for sure, and no part that a filter may have taken out."""
    if isinstance(value, Const):
        return type(value.value) in (int, float)
    return isinstance(value, Array) or (isinstance(value, Static) and value.kind in ("int", "float", "number"))


def _tree_flatten(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jax.tree.flatten(tree)`: the list of leaves, and a description of the structure."""
    return Tuple((_tree_leaves(interp, model, args, span), _structure_of(interp, args)))


def _tree_structure(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jax.tree.structure(tree)`."""
    return _structure_of(interp, args)


def _structure_of(interp: Interpreter, args: Args) -> Value:
    """The description of a tree's structure. One that a function given as `is_leaf` ends says nothing of the rest."""
    tree = args.given(0, "tree")
    if not isinstance(tree, (Tuple, List, Dict, Instance)) or _leaf_test(args) is not None:
        return OBJECT
    return TreeStructure(_shapes_of(interp, tree))


def _leaves_with_path(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jax.tree.leaves_with_path(tree)`: pairs of a path and a leaf."""
    pair = Tuple((Sequence("tuple", OBJECT), leaf_of(interp, args.given(0, "tree"))))
    return interp.new_list("list", Sequence("tuple", pair), span)


def _flatten_with_path(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jax.tree.flatten_with_path(tree)`."""
    return Tuple((_leaves_with_path(interp, model, args, span), _structure_of(interp, args)))


def _tree_unflatten(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jax.tree.unflatten(structure, leaves)`: a tree of that structure if it is known, each of whose leaves is any.

    Where some are numbers and some arrays, as where a program puts static leaves back, the structure knows which.
    """
    leaves = args.given(1, "leaves")
    leaf = without_doubtful_arrays(leaf_of(interp, leaves))
    structure = args.given(0, "treedef")
    if isinstance(structure, TreeStructure) and isinstance(leaves, (List, Tuple)):
        given, places = _children(leaves), _exact_leaves(interp, structure.tree, None, span)
        if given is not None and places is not None and len(given) == len(places):
            return _refilled(interp, structure.tree, iter(given))
        return _with_leaves(interp, structure.tree, _of_any_shape(leaf), False)
    return leaf.replace(tree=True, param="") if isinstance(leaf, Traced) else UNKNOWN


def _refilled(interp: Interpreter, tree: Value, leaves: Iterator[Value]) -> Value:
    """A tree of known structure with other leaves, in the order in which `_exact_leaves` gives them."""
    if isinstance(tree, Array):
        return next(leaves)
    return map_structure(interp, tree, lambda part: _refilled(interp, part, leaves))


def _tree_reduce(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jax.tree.reduce(function, tree, initializer)`: leaf by leaf if they are known, otherwise two rounds.

    The result of one round goes into the next. Only a tree without leaves gives the initializer as it is; one with
    tracers has leaves.
    """
    function, tree, start = args.given(0, "function"), args.given(1, "tree"), args.get(2, "initializer")
    is_leaf = _leaf_test(args)
    exact = _exact_leaves(interp, tree, is_leaf, span)
    if exact and len(exact) <= MAX_UNROLL:
        first, *rest = exact if start is None else [start, *exact]
        with _for_each_leaf(interp, span):
            return functools.reduce(lambda total, leaf: call(interp, function, Args([total, leaf]), span), rest, first)
    leaf = _maybe_tree(leaf_of(interp, tree), is_leaf is not None)
    total = leaf if start is None else start
    for turn in range(2):
        reduced = call(interp, function, Args([total, leaf]), span)
        replaced = turn == 0 and isinstance(leaf, Traced)
        total = reduced if replaced else join(total, reduced)
    return total


def _tree_all(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jax.tree.all(tree)`: asks for the truth of the leaves."""
    decide(interp, leaf_of(interp, args.given(0, "tree")), "all", span)
    return BOOL


def _leaf_by_leaf(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`jax.lax.stop_gradient(x)`, `jax.device_put(x)`: an array like each leaf, in the same containers."""
    if interp.models.has_role(model.name, "stops-derivatives"):
        note_stop(interp)
    return _arrays_like_leaves(interp, model.name, args.given(0, "x"), span)


def _arrays_like_leaves(interp: Interpreter, name: str, value: Value, span: Span) -> Value:
    """The same containers with arrays in place of the leaves, which have the same dtype and shape."""
    if isinstance(value, (Const, Static, Array)) and not is_none(value):
        known = value if isinstance(value, Array) else Array(dtype_of(value), 0, weak=True)
        lead, least = known.lead, known.least
        made = array_result(
            interp, [value], span, known.dtype, known.rank, by=name, weak=known.weak, lead=lead, least=least
        )
        return made.replace(tree=True) if isinstance(made, Traced) and is_tree(value) else made
    if isinstance(value, Unknown):
        made = array_result(interp, [value], span, None, by=name)
        return made.replace(tree=True) if isinstance(made, Traced) else Unknown()  # its own identity, as below
    return map_structure(interp, value, lambda leaf: _arrays_like_leaves(interp, name, leaf, span))


def _ravel_pytree(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`ravel_pytree(tree)`: one flat array, and a function that undoes it."""
    structure = _shapes_of(interp, args.given(0, "pytree"))
    undo = Partial(External(f"{model.name}.unravel"), (structure,), {}, interp.loops, interp.site(span))
    return Tuple((array_result(interp, args.all(), span, None, 1, by=model.name), undo))


def _shapes_of(interp: Interpreter, tree: Value) -> Value:
    """The same containers with concrete arrays of the leaves' dtypes and ranks: it keeps no tracer."""
    if is_tree(tree):
        return UNKNOWN
    if isinstance(tree, (Array, Const, Static)) and not is_none(tree):
        return JaxArray(dtype_of(tree), rank_of(tree))
    return map_structure(interp, tree, lambda part: _shapes_of(interp, part))


def _unravel(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """What `ravel_pytree(tree)[1]` gives for a flat array: a tree like that one, as traced as the array is."""
    return _filled(interp, args.given(0, "structure"), args.given(1, "flat"), span, model.name)


def _filled(interp: Interpreter, structure: Value, flat: Value, span: Span, by: str) -> Value:
    if isinstance(structure, Unknown):
        return unknown_tree(interp, [flat], span, by)
    if isinstance(structure, Array):
        return array_result(interp, [flat], span, structure.dtype, structure.rank, by=by)
    return map_structure(interp, structure, lambda part: _filled(interp, part, flat, span, by))


def _register_class(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`register_pytree_node(cls, …)`, `register_dataclass(cls, data_fields, meta_fields)` …; decorators, too."""
    target = args.get(0, "nodetype") or UNKNOWN
    if isinstance(target, Class):
        flatten = args.get(1, "flatten_func") or args.keywords.get("flatten_with_keys")
        unflatten, meta = args.get(2, "unflatten_func"), args.get(2, "meta_fields")
        register_class(interp, model.name, target, flatten, unflatten, meta)
    return target


HANDLERS.update(
    {
        "tree_map": _tree_map,
        "tree_leaves": _tree_leaves,
        "tree_flatten": _tree_flatten,
        "tree_structure": _tree_structure,
        "tree_leaves_with_path": _leaves_with_path,
        "tree_flatten_with_path": _flatten_with_path,
        "tree_unflatten": _tree_unflatten,
        "tree_reduce": _tree_reduce,
        "tree_all": _tree_all,
        "leaf_by_leaf": _leaf_by_leaf,
        "ravel_pytree": _ravel_pytree,
        "unravel": _unravel,
        "register_class": _register_class,
        "register_call": _register_class,
    }
)
