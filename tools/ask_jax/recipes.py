"""Examples that functions work with: by parameter name first, by function where that does not do."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from inspect import Parameter
from typing import Any

from tools.ask_jax.calling import AXIS, Arr
from tools.ask_jax.particular import BY_FUNCTION, INDEX, KEY, TREE, VECTOR

REQUIRED: Mapping[str, tuple[Any, ...]] = {
    "key": (KEY,),
    "axis_name": (AXIS,),
    "shape": ((4, 4),),
    "axis": (0,),
    "dtype": ("float32",),
    "new_dtype": ("float32",),
    "index_dtype": ("int32",),
    "indices_or_sections": (2,),
    "repeats": (2,),
    "n": (4, Arr()),
    "N": (4,),
    "M": (4,),
    "args": ((Arr(), Arr()), (Arr(),)),
    "operands": ((Arr(), Arr()), (Arr(),)),
    "arrays": ((Arr(), Arr()),),
    "arys": ((Arr(),),),
    "arrs": ((Arr(), Arr()),),
    "xi": ((VECTOR, VECTOR),),
    "tup": ((Arr(), Arr()),),
    "tree": (TREE,),
    "shapes": (((4, 4), (4,)),),
    "axis1": (0,), "axis2": (1,),
    "source": (0,), "destination": (1,),
    "segment_ids": (Arr("int", 1),),
    "indices": (Arr("int"),),
    "index": (0,),
    "condition": (Arr("bool"),),
    "kth": (1,),
    "size": (4,),
    "dimension": (0,),
    "dimensions": ((0,), (4, 4)),
    "axes": ((0,),),
    "mask": (Arr("bool"),),
    "num_classes": (4,), "pad_width": (1,), "d": (2,), "start_dimension": (0,),
    "k": (2,),
    "seed": (0, INDEX),
}  # fmt: skip
"""Examples for required parameters; an array of any kind and rank where nothing is said."""

ELEMENTWISE = ("jax.scipy.special.", "jax.scipy.stats.")
"""Modules whose functions take arrays under any name."""

OPTIONS: Mapping[str, tuple[Any, ...]] = {
    "axis": (0, -1, (0,)),
    "axes": ((0,), (1, 0), (0, 1)),
    "dtype": ("int32", "float32", "bool"),
    "preferred_element_type": ("float32", "int32"),
    "out_dtype": ("float32",),
    "where": (Arr("bool"),),
    "initial": (Arr(None, 0),),
    "shape": ((4, 4), (4,)),
    "size": (4,), "length": (4,), "total_repeat_length": (8,), "num_segments": (4,),
    "k": (1,), "n": (4,), "m": (4,), "M": (4,), "N": (4,), "s": ((4,), (4, 4)),
    "fill_value": (0,),
    "weights": (Arr(), VECTOR),
    "y": (Arr(),), "x": (Arr(),), "b": (Arr(),), "p": (Arr(),), "step": (1,), "stop": (4,),
    "min": (Arr(),), "max": (Arr(),),
    "mode": ("clip", "valid", "wrap", "reduced", "fill"),
    "ord": (1, 2), "norm": ("ortho",), "method": ("linear", "auto"), "precision": ("highest",), "side": ("right",),
    "indexing": ("ij",),
    "keepdims": (True,), "full_matrices": (False,), "compute_uv": (False,), "hermitian": (True,),
    "range": ((0, 1),), "density": (True,), "bins": (4,), "minlength": (4,), "ndmin": (3,), "decimals": (1,),
    "assume_unique_indices": (True,), "rcond": (Arr("float", 0),), "tol": (Arr("float", 0),),
    "rtol": (Arr("float", 0),),
    "prepend": (Arr(None, 0),), "append": (Arr(None, 0),), "left": (Arr(None, 0),), "right": (Arr(None, 0),),
    "period": (Arr(None, 0),), "copy": (True,), "stable": (True,), "descending": (True,), "order": ("C",),
    "ddof": (1,), "correction": (1,), "bias": (True,), "fweights": (Arr("int", 1),), "aweights": (VECTOR,),
    "edge_order": (1,), "sorter": (Arr("int", 1),), "arr": (Arr(),), "trim": ("f",),
    "posinf": (Arr(None, 0),), "neginf": (Arr(None, 0),), "to_end": (VECTOR,), "to_begin": (VECTOR,),
    "discont": (Arr("float", 0),), "unroll": (2,), "num": (4,), "dx": (Arr("float", 0),),
    "loc": (Arr("float"),), "scale": (Arr("float"), 2.0),
}  # fmt: skip
"""Examples for optional parameters; made from the default where nothing is said."""

NEVER_GIVEN = frozenset(
    {"out", "out_sharding", "sharding", "device", "accuracy", "is_leaf", "axis_index_groups", "impl",
     "implementation", "overwrite_a", "overwrite_b", "overwrite_c", "overwrite_input", "check_finite", "inplace",
     "casting", "subok", "lwork", "select_callable", "use_magma", "debug", "disp", "args", "kwargs", "operand", "_"}
)  # fmt: skip
"""Parameters that take no value worth asking about: unsupported, ignored, or objects of JAX's own."""

LIFTING = frozenset({"size", "length", "total_repeat_length", "num_segments", "mode", "assume_unique_indices"})
"""Options that let a function take tracers where it refuses them otherwise."""


def examples_of(name: str, parameters: Sequence[Parameter]) -> Iterator[dict[str, Any]]:
    """Examples for what a function requires, likeliest first."""
    own = BY_FUNCTION.get(name, {})
    required = [p for p in parameters if p.name in own or (p.default is p.empty and p.kind is not p.VAR_KEYWORD)]
    usual = {} if name.startswith(ELEMENTWISE) else REQUIRED
    choices = [(own[p.name],) if p.name in own else usual.get(p.name, (Arr(),)) for p in required]
    for chosen in itertools.product(*choices):
        yield {parameter.name: example for parameter, example in zip(required, chosen, strict=True)}


def options_of(name: str, parameter: Parameter) -> tuple[Any, ...]:
    """Examples for an optional parameter."""
    default = parameter.default
    if parameter.name in NEVER_GIVEN or default is parameter.empty:
        return ()
    if type(default) is bool:
        return (not default,)
    if parameter.name in OPTIONS:
        return tuple(
            example for example in OPTIONS[parameter.name] if type(example) is not type(default) or example != default
        )
    if type(default) in (int, float):
        return (default + 1, default)
    return (default,) if type(default) is str else ()
