"""Examples for particular functions, where their parameters' names do not tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
from jax import lax

from tools.ask_jax.calling import Arr

KEY = Arr("key", 0, ())
INTS = Arr("int")
VECTOR = Arr(None, 1)
SQUARE = Arr(None, 2)
SCALAR = Arr(None, 0)
INDEX = Arr("int", 0)
TREE = {"w": Arr(), "b": Arr()}

_IMAGES = Arr("float", 4)
_TWO = Arr("float", 1, (2,))
_CONV = {"lhs": _IMAGES, "rhs": _IMAGES, "window_strides": (1, 1), "padding": "SAME"}
_SHAPES = {"lhs_shape": (4, 4, 4, 4), "rhs_shape": (4, 4, 4, 4)}
_CONV_NUMBERS = lax.conv_dimension_numbers((4, 4, 4, 4), (4, 4, 4, 4), None)
_ONE_ROW = lax.GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,))
_SCATTER_ROW = lax.ScatterDimensionNumbers(
    update_window_dims=(1,), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,)
)
_SCATTER = {
    "operand": Arr(None, 2), "scatter_indices": Arr("int", 2, (3, 1)), "updates": Arr(None, 2, (3, 4)),
    "dimension_numbers": _SCATTER_ROW,
}  # fmt: skip
_ROWS = (((1,), (0,)), ((), ()))


def _same(value: Any, *others: Any) -> Any:
    return value


def _pair(first: Any, second: Any) -> Any:
    return first, second


def _add(first: Any, second: Any) -> Any:
    return first + second


def _small(value: Any) -> Any:
    return (value < 0).all()


BY_FUNCTION: Mapping[str, Mapping[str, Any]] = {
    "jax.Array.reshape": {"self": Arr(), "args": (2, -1)},
    "jax.Array.squeeze": {"self": Arr(side=1)},
    "jax.Array.transpose": {"self": SQUARE, "args": (1, 0)},
    "jax.Array.item": {"self": Arr(side=1), "args": ()},
    "jax.Array.flatten": {"self": Arr()},
    **{f"jax.Array.at.{name}": {"self": Arr(), "index": INDEX, "values": SCALAR} for name in (
        "add", "divide", "max", "min", "mul", "multiply", "power", "set", "subtract",
    )},
    "jax.Array.at.apply": {"self": Arr(), "index": INDEX, "func": _same},
    "jax.Array.at.get": {"self": Arr(), "index": INDEX},
    "jax.numpy.array": {"object": Arr(), "args": ()},
    "jax.numpy.block": {"arrays": [Arr(), Arr()]},
    "jax.numpy.clip": {"arr": Arr()},
    "jax.numpy.cross": {"a": Arr(side=3), "b": Arr(side=3)},
    "jax.numpy.einsum": {"subscripts": "ij,jk->ik", "operands": (SQUARE, SQUARE)},
    "jax.numpy.einsum_path": {"subscripts": "ij,jk->ik", "operands": (SQUARE, SQUARE)},
    "jax.numpy.fill_diagonal": {"a": Arr(), "val": SCALAR, "inplace": False},
    "jax.numpy.gradient": {"f": VECTOR, "varargs": ()},
    "jax.numpy.mask_indices": {"n": 4, "mask_func": jax.numpy.triu},
    "jax.numpy.place": {"arr": Arr(), "mask": Arr("bool"), "vals": VECTOR, "inplace": False},
    "jax.numpy.polyfit": {"x": VECTOR, "y": VECTOR, "deg": 1},
    "jax.numpy.put": {"a": Arr(), "ind": Arr("int"), "v": VECTOR, "inplace": False},
    "jax.numpy.put_along_axis": {"arr": Arr(), "indices": Arr("int"), "values": Arr(), "axis": 0, "inplace": False},
    "jax.numpy.ravel_multi_index": {"multi_index": (Arr("int"), Arr("int")), "dims": (4, 4), "mode": "clip"},
    "jax.numpy.reshape": {"a": Arr(), "shape": (2, -1)},
    "jax.numpy.resize": {"a": Arr(), "new_shape": (4, 4)},
    "jax.numpy.squeeze": {"a": Arr(side=1)},
    "jax.numpy.tile": {"A": Arr(), "reps": (2, 2)},
    "jax.numpy.unpackbits": {"a": Arr("uint8")},
    "jax.numpy.where": {"condition": Arr("bool"), "x": Arr(), "y": Arr()},
    "jax.lax.all_to_all": {"split_axis": 0, "concat_axis": 0},
    "jax.lax.associative_scan": {"fn": _add, "elems": Arr()},
    "jax.lax.broadcast": {"operand": Arr(), "sizes": (4,)},
    "jax.lax.broadcast_in_dim": {"operand": SQUARE, "shape": (4, 4, 4), "broadcast_dimensions": (1, 2)},
    "jax.lax.broadcast_to_rank": {"x": Arr(), "rank": 4},
    "jax.lax.cond": {"pred": Arr("bool", 0), "true_fun": _same, "false_fun": _same, "operands": (Arr(),)},
    "jax.lax.conv": _CONV,
    "jax.lax.conv_dimension_numbers": {**_SHAPES, "dimension_numbers": None},
    "jax.lax.conv_general_dilated": _CONV,
    "jax.lax.conv_general_dilated_local": {**_CONV, "rhs": Arr("float", 4, (4, 16, 4, 4)), "filter_shape": (2, 2)},
    "jax.lax.conv_general_dilated_patches": {"lhs": _IMAGES, "filter_shape": (2, 2), "window_strides": (1, 1),
                                             "padding": "SAME"},
    "jax.lax.conv_general_permutations": {"dimension_numbers": ("NCHW", "OIHW", "NCHW")},
    "jax.lax.conv_general_shape_tuple": {**_SHAPES, "window_strides": (1, 1), "padding": "SAME",
                                         "dimension_numbers": ("NCHW", "OIHW", "NCHW")},
    "jax.lax.conv_shape_tuple": {**_SHAPES, "strides": (1, 1), "pads": ((0, 0), (0, 0))},
    "jax.lax.conv_transpose": {"lhs": _IMAGES, "rhs": _IMAGES, "strides": (1, 1), "padding": "SAME"},
    "jax.lax.conv_transpose_shape_tuple": {**_SHAPES, "window_strides": (1, 1), "padding": "SAME",
                                           "dimension_numbers": ("NCHW", "OIHW", "NCHW")},
    "jax.lax.conv_with_general_padding": {**_CONV, "padding": ((0, 0), (0, 0)), "lhs_dilation": (1, 1),
                                          "rhs_dilation": (1, 1)},
    "jax.lax.custom_linear_solve": {"matvec": _same, "b": Arr(), "solve": lambda matvec, b: b},
    "jax.lax.custom_root": {"f": _same, "initial_guess": Arr("float"), "solve": lambda f, guess: guess,
                            "tangent_solve": lambda g, y: y},
    "jax.lax.dot_general": {"lhs": SQUARE, "rhs": SQUARE, "dimension_numbers": _ROWS},
    "jax.lax.dynamic_slice": {"operand": SQUARE, "start_indices": (INDEX, INDEX), "slice_sizes": (2, 2)},
    "jax.lax.dynamic_slice_in_dim": {"operand": Arr(), "start_index": INDEX, "slice_size": 2},
    "jax.lax.dynamic_update_slice": {"operand": SQUARE, "update": SQUARE, "start_indices": (INDEX, INDEX)},
    "jax.lax.dynamic_update_slice_in_dim": {"operand": Arr(), "update": Arr(), "start_index": INDEX, "axis": 0},
    "jax.lax.dynamic_index_in_dim": {"operand": Arr(), "index": INDEX},
    "jax.lax.dynamic_update_index_in_dim": {"operand": Arr(), "update": Arr(), "index": INDEX, "axis": 0},
    "jax.lax.fft": {"x": Arr("complex"), "fft_type": "FFT", "fft_lengths": (4,)},
    "jax.lax.fori_loop": {"lower": 0, "upper": 4, "body_fun": lambda i, value: value, "init_val": Arr()},
    "jax.lax.gather": {"operand": SQUARE, "start_indices": Arr("int", 2, (3, 1)), "dimension_numbers": _ONE_ROW,
                       "slice_sizes": (1, 4)},
    "jax.lax.index_take": {"src": Arr(), "idxs": (Arr("int", 1),), "axes": (0,)},
    "jax.lax.integer_pow": {"x": Arr(), "y": 2},
    "jax.lax.map": {"f": _same, "xs": Arr()},
    "jax.lax.pad": {"operand": VECTOR, "padding_value": SCALAR, "padding_config": ((0, 0, 0),)},
    "jax.lax.padtype_to_pads": {"in_shape": (4, 4), "window_shape": (2, 2), "window_strides": (1, 1),
                                "padding": "SAME"},
    "jax.lax.platform_dependent": {"args": (Arr(),), "default": _same},
    "jax.lax.ppermute": {"perm": ((0, 1), (1, 0), (2, 3), (3, 2))},
    "jax.lax.pshuffle": {"perm": (1, 0, 2, 3)},
    "jax.lax.ragged_dot": {"lhs": SQUARE, "rhs": Arr(None, 3), "group_sizes": Arr("int", 1)},
    "jax.lax.reduce": {"operands": Arr(), "init_values": SCALAR, "computation": lax.add, "dimensions": (0,)},
    "jax.lax.reduce_precision": {"operand": Arr("float"), "exponent_bits": 5, "mantissa_bits": 10},
    "jax.lax.reduce_window": {"operand": SQUARE, "init_value": SCALAR, "computation": lax.add,
                              "window_dimensions": (2, 2), "window_strides": (1, 1), "padding": "VALID"},
    "jax.lax.reduce_window_shape_tuple": {"operand_shape": (4, 4), "window_dimensions": (2, 2),
                                          "window_strides": (1, 1), "padding": ((0, 0), (0, 0))},
    "jax.lax.reshape": {"operand": Arr("float", 2), "new_sizes": (2, 8)},
    "jax.lax.scan": {"f": _pair, "init": Arr(), "xs": Arr()},
    **{f"jax.lax.scatter{suffix}": _SCATTER for suffix in ("", "_add", "_max", "_min", "_mul", "_sub")},
    "jax.lax.scatter_apply": {"operand": SQUARE, "scatter_indices": Arr("int", 2, (3, 1)), "func": _same,
                              "dimension_numbers": _SCATTER_ROW, "update_shape": (3, 4)},
    "jax.lax.select": {"pred": Arr("bool"), "on_true": Arr(), "on_false": Arr()},
    "jax.lax.select_n": {"which": Arr("bool"), "cases": (Arr(), Arr())},
    "jax.lax.slice": {"operand": SQUARE, "start_indices": (0, 0), "limit_indices": (2, 2)},
    "jax.lax.slice_in_dim": {"operand": Arr(), "start_index": 0, "limit_index": 2},
    "jax.lax.split": {"operand": Arr(), "sizes": (2, 2)},
    "jax.lax.squeeze": {"array": Arr(side=1), "dimensions": (0,)},
    "jax.lax.switch": {"index": INDEX, "branches": [_same, _same], "operands": (Arr(),)},
    "jax.lax.tile": {"operand": SQUARE, "reps": (2, 2)},
    "jax.lax.transpose": {"operand": SQUARE, "permutation": (1, 0)},
    "jax.lax.while_loop": {"cond_fun": _small, "body_fun": _same, "init_val": Arr("float")},
    "jax.lax.linalg.cholesky_update": {"r_matrix": SQUARE, "w_vector": VECTOR},
    "jax.lax.linalg.householder_product": {"a": SQUARE, "taus": VECTOR},
    "jax.lax.linalg.lu_pivots_to_permutation": {"pivots": Arr("int", 1), "permutation_size": 4},
    "jax.lax.linalg.ormqr": {"a": SQUARE, "taus": VECTOR, "c": SQUARE},
    "jax.lax.linalg.tridiagonal_solve": {"dl": VECTOR, "d": VECTOR, "du": VECTOR, "b": SQUARE},
    "jax.nn.dot_product_attention": {"query": _IMAGES, "key": _IMAGES, "value": _IMAGES},
    "jax.random.key_data": {"keys": Arr("key")},
    "jax.random.key_impl": {"keys": Arr("key")},
    "jax.random.clone": {"key": Arr("key")},
    "jax.random.wrap_key_data": {"key_bits_array": Arr("uint32", 1, (2,))},
    "jax.image.resize": {"image": SQUARE, "shape": (8, 8), "method": "linear"},
    "jax.image.scale_and_translate": {"image": SQUARE, "shape": (8, 8), "spatial_dims": (0, 1), "scale": _TWO,
                                      "translation": _TWO, "method": "linear"},
    "jax.tree.map": {"f": _same, "tree": TREE, "rest": ()},
    "jax.tree.map_with_path": {"f": lambda path, leaf: leaf, "tree": TREE, "rest": ()},
    "jax.tree.reduce": {"function": _add, "tree": TREE},
    "jax.tree.reduce_associative": {"operation": _add, "tree": TREE},
    "jax.tree.transpose": {"outer_treedef": jax.tree.structure([0]), "inner_treedef": jax.tree.structure((0,)),
                           "pytree_to_transpose": [(Arr(),)]},
    "jax.tree.unflatten": {"treedef": jax.tree.structure([0, 0]), "leaves": [Arr(), Arr()]},
    "jax.scipy.linalg.cho_solve": {"c_and_lower": (SQUARE, True), "b": SQUARE},
    "jax.scipy.linalg.eigh_tridiagonal": {"d": VECTOR, "e": Arr(None, 1, (3,)), "eigvals_only": True},
    "jax.scipy.linalg.funm": {"A": SQUARE, "func": _same},
    "jax.scipy.linalg.leslie": {"f": VECTOR, "s": Arr(None, 1, (3,))},
    "jax.scipy.linalg.lu_solve": {"lu_and_piv": (SQUARE, Arr("int", 1)), "b": SQUARE},
    "jax.scipy.ndimage.map_coordinates": {"input": Arr("float", 1), "coordinates": [Arr("float", 1)], "order": 1},
    "jax.scipy.optimize.minimize": {"fun": lambda x: (x * x).sum(), "x0": Arr("float", 1), "method": "BFGS"},
    "jax.scipy.special.bernoulli": {"n": 4},
    "jax.scipy.special.multigammaln": {"a": Arr(), "d": 2},
    "jax.scipy.special.bessel_jn": {"z": Arr("float"), "v": 2},
    "jax.scipy.special.zeta": {"x": Arr("float"), "q": Arr("float")},
    "jax.numpy.linalg.cross": {"x1": Arr(side=3), "x2": Arr(side=3)},
}  # fmt: skip
