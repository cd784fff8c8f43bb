"""The functions of `jax.numpy` and `jax.scipy` that mean what functions of NumPy, `math` and SciPy mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.nodes import plain, positional
from jitlint.models.generated import generated


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A function of JAX that takes the place of one that computes on the host.

    Attributes:
        name: its qualified name.
        arrays: so many of its first positional arguments must be arrays: no lists, as NumPy takes them.
        grade: safe if it raises no error less.
        suffix: what to append to the call: `.astype(int)`.
    """

    name: str
    arrays: int = 0
    grade: Grade = Grade.SAFE
    suffix: str = ""


_UNARY: Final = frozenset(
    """
    abs absolute acos acosh angle arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bitwise_count
    bitwise_invert bitwise_not cbrt ceil conj conjugate cos cosh deg2rad degrees exp exp2 expm1 fabs floor frexp i0 imag
    invert isfinite isinf isnan isneginf isposinf log log10 log1p log2 logical_not modf negative positive rad2deg
    radians real reciprocal rint sign signbit sin sinc sinh sqrt square tan tanh trunc
    """.split()
)
_BINARY: Final = frozenset(
    """
    add arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide divmod
    equal float_power floor_divide fmax fmin fmod gcd greater greater_equal heaviside hypot lcm ldexp left_shift less
    less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum mod multiply nextafter not_equal
    pow power remainder right_shift subtract true_divide
    """.split()
)
_OF_ARRAY: Final = frozenset(
    """
    all amax amin any argmax argmin argsort array_split average bincount corrcoef count_nonzero cov cumprod cumsum
    diag diagflat diagonal diff digitize dsplit ediff1d expand_dims flip fliplr flipud hsplit lexsort max mean median
    min moveaxis nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile
    nanprod nanquantile nanstd nansum nanvar pad percentile permute_dims prod ptp quantile ravel repeat resize reshape
    roll rollaxis rot90 round sort split squeeze std sum swapaxes tile trace transpose trapezoid tril triu unwrap vander
    var vsplit around full_like ones_like zeros_like matrix_transpose nonzero argwhere flatnonzero unique clip
    """.split()
)
"""Functions whose first argument must be an array; lists are for the others."""
_OF_ARRAYS: Final = frozenset(
    """
    allclose array_equal convolve correlate cross dot extract compress inner interp isclose isin kron matmul outer
    polyadd polymul polysub polyval tensordot vdot where searchsorted
    """.split()
)
"""Functions whose first arguments, two at least, must be arrays."""
_OF_LISTS: Final = frozenset(
    """
    array asarray atleast_1d atleast_2d atleast_3d block broadcast_arrays broadcast_to column_stack concatenate dstack
    einsum full hstack linspace logspace geomspace meshgrid select stack vstack ix_ copy eye arange append
    """.split()
)
"""Functions that take lists of arrays, or arrays of any kind."""
_RAISING: Final = frozenset(["take", "take_along_axis", "choose", "unravel_index", "ravel_multi_index"])
"""Functions that NumPy lets raise an error where JAX gives a number."""
_LINALG: Final = frozenset(
    """
    cholesky cond det eig eigh eigvals eigvalsh inv lstsq matrix_norm matrix_power multi_dot norm outer pinv qr slogdet
    solve svd svdvals trace vector_norm
    """.split()
)
_FFT: Final = frozenset(
    """
    fft fft2 fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2 rfftn
    """.split()
)
_NO_ERRORS: Final = frozenset(["norm", "outer", "trace", "vector_norm", "matrix_norm", "det", "multi_dot", "slogdet"])
_TYPES: Final = frozenset(
    """
    bool_ complex64 float16 float32 int8 int16 int32 uint8 uint16 uint32
    """.split()
)
_MATH: Final[Mapping[str, str]] = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "atan": "arctan", "atanh": "arctanh", "exp": "exp",
    "exp2": "exp2", "expm1": "expm1", "log": "log", "log10": "log10", "log1p": "log1p", "log2": "log2",
    "pow": "float_power", "sqrt": "sqrt", "cosh": "cosh", "sinh": "sinh", "fmod": "fmod", "ldexp": "ldexp",
}  # fmt: skip
"""Functions of `math` that raise errors for some numbers."""
_MATH_OF_ANY: Final[Mapping[str, str]] = {
    "asinh": "arcsinh", "atan2": "arctan2", "cbrt": "cbrt", "copysign": "copysign", "cos": "cos", "degrees": "degrees",
    "fabs": "abs", "frexp": "frexp", "hypot": "hypot", "isfinite": "isfinite", "isinf": "isinf", "isnan": "isnan",
    "modf": "modf", "nextafter": "nextafter", "radians": "radians", "sin": "sin", "tan": "tan", "tanh": "tanh",
}  # fmt: skip
"""Functions of `math` that give a number for all finite numbers."""
_MATH_TO_INT: Final = {"ceil": "ceil", "floor": "floor", "trunc": "trunc"}
_MATH_SPECIAL: Final = {"erf": "erf", "erfc": "erfc", "gamma": "gamma", "lgamma": "gammaln"}
_CMATH: Final[Mapping[str, str]] = {
    "cos": "cos", "cosh": "cosh", "exp": "exp", "isfinite": "isfinite", "isinf": "isinf", "isnan": "isnan",
    "phase": "angle", "sin": "sin", "sinh": "sinh", "tan": "tan", "tanh": "tanh",
}  # fmt: skip
_TWO: Final = frozenset(["atan2", "copysign", "fmod", "hypot", "ldexp", "nextafter", "pow"])
_SPECIAL: Final = frozenset(
    """
    bernoulli beta betainc betaln digamma entr erf erfc erfinv exp1 expi expit expn factorial gamma gammainc gammaincc
    gammaln i0 i0e i1 i1e kl_div log_ndtr logit logsumexp multigammaln ndtr ndtri poch polygamma rel_entr xlog1py
    xlogy zeta
    """.split()
)
_SCIPY_LINALG: Final = frozenset(
    """
    block_diag cho_factor cho_solve cholesky det eigh expm inv lu lu_factor lu_solve qr solve_triangular svd toeplitz
    """.split()
)
_SIGNAL: Final = frozenset("convolve convolve2d correlate correlate2d fftconvolve".split())
_DISTRIBUTION_METHODS: Final = frozenset("pdf logpdf cdf logcdf sf logsf isf ppf pmf logpmf".split())


def counterpart(qualified: str, call: cst.Call) -> Counterpart | None:
    """The function of JAX that means the same with the arguments of a call; None if none is known to."""
    package, _, name = qualified.partition(".")
    match package:
        case "math" | "cmath":
            return _of_math(package, name, call)
        case "numpy":
            found = _of_numpy(name, call)
        case "scipy":
            found = _of_scipy(name)
        case _:
            return None
    return found if found is not None and _takes(found.name, call) else None


def _of_math(package: str, name: str, call: cst.Call) -> Counterpart | None:
    count = len(call.args)
    if not plain(call) or len(positional(call)) != count or count != (2 if name in _TWO else 1):
        return None
    if package == "cmath":
        return Counterpart(f"jax.numpy.{_CMATH[name]}", grade=Grade.UNSAFE) if name in _CMATH else None
    if name in _MATH_OF_ANY:
        return Counterpart(f"jax.numpy.{_MATH_OF_ANY[name]}")
    if name in _MATH:
        return Counterpart(f"jax.numpy.{_MATH[name]}", grade=Grade.UNSAFE)
    if name in _MATH_TO_INT:
        return Counterpart(f"jax.numpy.{_MATH_TO_INT[name]}", grade=Grade.UNSAFE, suffix=".astype(int)")
    if name in _MATH_SPECIAL:
        grade = Grade.SAFE if name.startswith("erf") else Grade.UNSAFE
        return Counterpart(f"jax.scipy.special.{_MATH_SPECIAL[name]}", grade=grade)
    return None


def _of_numpy(name: str, call: cst.Call) -> Counterpart | None:
    module, _, last = name.rpartition(".")
    qualified = f"jax.numpy.{name}"
    match module:
        case "":
            return _of_numpy_itself(name, qualified, call)
        case "linalg" if last in _LINALG:
            grade = Grade.SAFE if last in _NO_ERRORS else Grade.UNSAFE
            return Counterpart(qualified, 0 if last == "multi_dot" else 2, grade)
        case "fft" if last in _FFT:
            return Counterpart(qualified, 1)
    return None


def _of_numpy_itself(name: str, qualified: str, call: cst.Call) -> Counterpart | None:
    only_positional = len(positional(call)) == len(call.args)
    if name in _UNARY or name in _BINARY:
        return Counterpart(qualified, 2) if only_positional else None
    if name in _TYPES:
        return Counterpart(qualified) if only_positional and len(call.args) == 1 else None
    if name in _OF_ARRAY:
        return Counterpart(qualified, 1)
    if name in _OF_ARRAYS:
        return Counterpart(qualified, 3 if name in ("where", "interp") else 2)
    if name in _OF_LISTS:
        return Counterpart(qualified)
    return Counterpart(qualified, 1, Grade.UNSAFE) if name in _RAISING else None


def _of_scipy(name: str) -> Counterpart | None:
    match name.split("."):
        case ["special", last] if last in _SPECIAL:
            return Counterpart(f"jax.scipy.{name}", 0 if last == "logsumexp" else 3)
        case ["linalg", last] if last in _SCIPY_LINALG:
            return Counterpart(f"jax.scipy.{name}", 0 if last == "block_diag" else 2, Grade.UNSAFE)
        case ["signal", last] if last in _SIGNAL:
            return Counterpart(f"jax.scipy.{name}", 2)
        case ["stats", _, last] if last in _DISTRIBUTION_METHODS:
            return Counterpart(f"jax.scipy.{name}", 1)
        case ["integrate", "trapezoid"]:
            return Counterpart(f"jax.scipy.{name}", 1)
    return None


def _takes(name: str, call: cst.Call) -> bool:
    """Whether JAX has the function, with parameters of the names and positions that a call gives."""
    model = generated(name)
    if model is None or any(arg.star == "**" for arg in call.args):
        return False
    short = name.removeprefix("jax.numpy.")
    most = _MOST.get(short, sum(each.position is not None for each in model.parameters))
    unlimited = short in _ANY_NUMBER
    keywords = {KEYWORDS.get((name, word), word) for arg in call.args if arg.keyword for word in [arg.keyword.value]}
    known = {each.name for each in model.parameters if not each.rest} - {"out", "order", "kind"}
    return keywords <= known and (unlimited or (plain(call) and len(positional(call)) <= most))


KEYWORDS: Final[Mapping[tuple[str, str], str]] = {
    ("jax.numpy.clip", "a_min"): "min",
    ("jax.numpy.clip", "a_max"): "max",
    ("jax.numpy.clip", "a"): "arr",
}
"""Parameters that JAX calls differently."""
_ANY_NUMBER: Final = frozenset(["einsum", "meshgrid", "broadcast_arrays", "ix_", "jax.scipy.linalg.block_diag"])
_MOST: Final[Mapping[str, int]] = {
    "argsort": 2, "average": 4, "corrcoef": 3, "cov": 7, "count_nonzero": 2, "eye": 4, "linalg.pinv": 1, "sort": 2,
    "sum": 3, "prod": 3, "max": 2, "min": 2, "mean": 3, "std": 3, "var": 3, "argmax": 2, "argmin": 2, "cumsum": 3,
    "cumprod": 3, "any": 2, "all": 2, "stack": 2, "unique": 1, "array": 2, "asarray": 2, "unravel_index": 2, "take": 3,
    "percentile": 3, "quantile": 3, "median": 2, "copy": 1, "full": 3, "full_like": 3, "zeros_like": 2, "ones_like": 2,
    "dot": 2, "linspace": 6,
}  # fmt: skip
"""So many positional arguments mean the same, where JAX takes more, or other ones."""
