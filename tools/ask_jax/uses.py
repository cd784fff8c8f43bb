"""How the public transforms of JAX are used: one call for each, and one for each option that changes what is traced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax import custom_batching, custom_derivatives, lax
from jax.experimental import checkify, pallas, pjit
from jax.scipy import optimize
from jax.sharding import Mesh

if TYPE_CHECKING:
    from tools.ask_jax.transforms import Recorder

NUMBER = 123456.5
"""The Python number that the examples pass; told by its identity when it arrives untouched."""
X = jax.numpy.ones(3)
S = jax.numpy.ones(())
STRUCT = jax.ShapeDtypeStruct((3,), "float32")
AXIS = "rows"


@dataclass(frozen=True)
class Use:
    """A call of a transform with functions that a recorder makes, and the same call with options, by their names."""

    call: Callable[[Recorder], Any]
    options: Mapping[str, Callable[[Recorder], Any]] = field(default_factory=dict)


def _first(value: Any, *others: Any, **named: Any) -> Any:
    return value


def _pair(first: Any, second: Any) -> Any:
    return first, second


def _sum(value: Any, *others: Any) -> Any:
    return value.sum()


def _add(first: Any, second: Any) -> Any:
    return first + second


def _mesh() -> Mesh:
    return Mesh(np.array(jax.devices()[:1]), (AXIS,))


def _sharded(in_specs: Any, second: Any = X) -> Callable[[Recorder], Any]:
    return lambda f: jax.shard_map(f("f", _first), mesh=_mesh(), in_specs=in_specs, out_specs=jax.P(AXIS))(X, second)


def _applied(transform: Callable[..., Any], function: Callable[..., Any] = _first) -> Callable[..., Any]:
    """`transform(fun, options)`, called with two arrays and a number."""

    def use(**options: Any) -> Callable[[Recorder], Any]:
        return lambda f: transform(f("fun", function), **options)(X, X, NUMBER)

    return use


def _static(transform: Callable[..., Any], *names: str) -> Use:
    """A transform whose options, if given a position or a name, leave the number alone."""
    use = _applied(transform)
    values: Mapping[str, Any] = {"static_argnames": "c"}

    def named(option: str) -> Callable[[Recorder], Any]:
        if option in values:
            return lambda f: transform(f("fun", _first), **{option: values[option]})(X, X, c=NUMBER)
        call: Callable[[Recorder], Any] = use(**{option: 2})
        return call

    return Use(use(), {name: named(name) for name in names})


def _differentiated(transform: Callable[..., Any]) -> Use:
    use = _applied(transform, _sum)
    return Use(use(), {"argnums": use(argnums=1)})


def _pass_jvp(numbers: tuple[int, ...] = ()) -> Callable[[Recorder], Any]:
    def call(f: Recorder) -> Any:
        function = jax.custom_jvp(f("fun", _first), nondiff_argnums=numbers)
        function.defjvp(lambda *rule: (rule[-2][0], rule[-1][0]))
        return function(X, X, NUMBER)

    return call


def _pass_vjp(numbers: tuple[int, ...] = ()) -> Callable[[Recorder], Any]:
    def call(f: Recorder) -> Any:
        function = jax.custom_vjp(f("fun", _first), nondiff_argnums=numbers)
        function.defvjp(lambda *args: (args[0], None), lambda *rule: rule)
        return function(X, X, NUMBER)

    return call


def _pass_vmap(f: Recorder) -> Any:
    function = custom_batching.custom_vmap(f("fun", _first))
    function.def_vmap(lambda size, batched, x: (x, True))
    return function(X)


def _defined_jvp(f: Recorder) -> Any:
    function = jax.custom_jvp(f("fun", _first))
    function.defjvp(f("jvp", lambda primals, tangents: (primals[0], tangents[0])))
    return jax.jvp(function, (X,), (X,))


def _defined_vjp(f: Recorder) -> Any:
    function = jax.custom_vjp(f("fun", _sum))
    function.defvjp(f("fwd", lambda x: (x.sum(), x)), f("bwd", lambda saved, cotangent: (saved * cotangent,)))
    return jax.grad(function)(X)


def _defined_vmap(f: Recorder) -> Any:
    function = custom_batching.custom_vmap(f("fun", _first))
    function.def_vmap(f("rule", lambda size, batched, x: (x, True)))
    return jax.vmap(function)(X)


def _gradient(f: Recorder) -> Any:
    return jax.grad(jax.custom_gradient(f("fun", lambda x: (x.sum(), f("vjp", lambda cotangent: cotangent * x)))))(X)


def _piecewise(f: Recorder) -> Any:
    return jax.numpy.piecewise(X, [X > 0], [f("funclist", _first), 0.0])


def _solve(matvec: Callable[..., Any], b: Any) -> Any:
    return matvec(b)


def _kernel(reads: Any, writes: Any) -> None:
    writes[...] = reads[...]


USES: Mapping[str, Mapping[str, Use]] = {
    "jax": {
        "jit": _static(jax.jit, "static_argnums", "static_argnames"),
        "pmap": Use(
            lambda f: jax.pmap(f("fun", _first))(X[None], X[None]),
            {"in_axes": lambda f: jax.pmap(f("fun", _first), in_axes=(0, None))(X[None], NUMBER),
             "static_broadcasted_argnums":
                 lambda f: jax.pmap(f("fun", _first), static_broadcasted_argnums=1)(X[None], NUMBER)},
        ),
        "shard_map": Use(_sharded(jax.P(AXIS)), {"in_specs": _sharded((jax.P(AXIS), None), NUMBER)}),
        "checkpoint": _static(jax.checkpoint, "static_argnums"),
        "make_jaxpr": _static(lambda fun, **o: lambda *a, **k: jax.make_jaxpr(fun, **o)(*a, **k) and None,
                              "static_argnums"),
        "eval_shape": Use(lambda f: jax.eval_shape(f("fun", _first), X, NUMBER) and None),
        "vmap": Use(
            lambda f: jax.vmap(f("fun", _first))(X, X),
            {"in_axes": lambda f: jax.vmap(f("fun", _first), in_axes=(0, None, None))(X, X, NUMBER)},
        ),
        "grad": _differentiated(jax.grad),
        "value_and_grad": _differentiated(jax.value_and_grad),
        "jacfwd": _differentiated(jax.jacfwd),
        "jacrev": _differentiated(jax.jacrev),
        "jacobian": _differentiated(jax.jacobian),
        "hessian": _differentiated(jax.hessian),
        "fwd_and_bwd": Use(
            lambda f: jax.fwd_and_bwd(f("fun", _sum), 0)[0](X, X, NUMBER)[0],
            {"jitted": lambda f: jax.fwd_and_bwd(f("fun", _sum), 0, jitted=False)[0](X, X, NUMBER)[0]},
        ),
        "jvp": Use(lambda f: jax.jvp(f("fun", _first), (X, NUMBER), (X, NUMBER))),
        "vjp": Use(lambda f: jax.vjp(f("fun", _first), X, NUMBER)[1](X)),
        "linearize": Use(lambda f: jax.linearize(f("fun", _first), X, NUMBER)[0]),
        "linear_transpose": Use(lambda f: jax.linear_transpose(f("fun", _first), X)(X)),
        "closure_convert": Use(lambda f: jax.closure_convert(f("fun", _first), X, NUMBER)[1]),
        "custom_jvp": Use(_pass_jvp(), {"nondiff_argnums": _pass_jvp((2,))}),
        "custom_vjp": Use(_pass_vjp(), {"nondiff_argnums": _pass_vjp((2,))}),
        "custom_jvp.defjvp": Use(_defined_jvp),
        "custom_vjp.defvjp": Use(_defined_vjp),
        "custom_gradient": Use(_gradient),
        "named_call": Use(_applied(jax.named_call)()),
        "pure_callback": Use(lambda f: jax.jit(lambda x: jax.pure_callback(f("callback", _first), STRUCT, x))(X)),
    },
    "jax.lax": {
        "scan": Use(lambda f: lax.scan(f("f", _pair), NUMBER, X)),
        "while_loop": Use(lambda f: lax.while_loop(
            f("cond_fun", lambda x: x < 0), f("body_fun", _first), NUMBER,
        )),
        "fori_loop": Use(lambda f: lax.fori_loop(0, 3, f("body_fun", lambda i, x: x), NUMBER)),
        "cond": Use(lambda f: lax.cond(True, f("true_fun", _first), f("false_fun", _first), X, NUMBER)),
        "switch": Use(lambda f: lax.switch(0, [f("branches", _first), _first], X, NUMBER)),
        "map": Use(lambda f: lax.map(f("f", _first), X),
                   {"batch_size": lambda f: lax.map(f("f", _first), X, batch_size=2)}),
        "associative_scan": Use(lambda f: lax.associative_scan(f("fn", _add), X)),
        "reduce": Use(lambda f: lax.reduce(X, np.float32(0), f("computation", lambda a, b: a * b + b), (0,))),
        "reduce_window": Use(lambda f: lax.reduce_window(
            X, np.float32(0), f("computation", lambda a, b: a * b + b), (1,), (1,), "VALID",
        )),
        "custom_root": Use(lambda f: lax.custom_root(
            f("f", _first), S, f("solve", lambda g, guess: g(guess)), f("tangent_solve", lambda g, y: g(y)),
        )),
        "custom_linear_solve": Use(lambda f: lax.custom_linear_solve(f("matvec", _first), X, f("solve", _solve))),
        "platform_dependent": Use(
            lambda f: lax.platform_dependent(X, default=f("default", _first), cpu=f("per_platform", _first)),
        ),
        "composite": Use(lambda f: lax.composite(f("decomposition", _first), "mine")(X, NUMBER)),
    },
    "jax.numpy": {
        "vectorize": Use(
            lambda f: jax.numpy.vectorize(f("pyfunc", _first))(X, X),
            {"excluded": lambda f: jax.numpy.vectorize(f("pyfunc", _first), excluded={1})(X, NUMBER),
             "signature": lambda f: jax.numpy.vectorize(f("pyfunc", _first), signature="(n)->(n)")(X)},
        ),
        "apply_along_axis": Use(lambda f: jax.numpy.apply_along_axis(f("func1d", _first), 0, X, NUMBER)),
        "apply_over_axes": Use(lambda f: jax.numpy.apply_over_axes(f("func", _first), X, (0,))),
        "fromfunction": Use(lambda f: jax.numpy.fromfunction(f("function", _first), (3,))),
        "frompyfunc": Use(lambda f: jax.numpy.frompyfunc(f("func", _add), nin=2, nout=1)(X, NUMBER)),
        "mask_indices": Use(lambda f: jax.numpy.mask_indices(3, f("mask_func", _first))),
        "piecewise": Use(_piecewise),
    },
    "jax.tree": {
        "map": Use(lambda f: jax.tree.map(f("f", _first), [X, NUMBER])),
        "map_with_path": Use(lambda f: jax.tree.map_with_path(f("f", _first), [X])),
        "reduce": Use(lambda f: jax.tree.reduce(f("function", _add), [X, NUMBER])),
        "reduce_associative": Use(lambda f: jax.tree.reduce_associative(f("operation", _add), [X, NUMBER])),
    },
    "jax.debug": {
        "callback": Use(lambda f: jax.jit(lambda x: jax.debug.callback(f("callback", _first), x))(X)),
    },
    "jax.experimental": {
        "io_callback": Use(
            lambda f: jax.jit(lambda x: jax.experimental.io_callback(f("callback", _first), STRUCT, x))(X),
        ),
        "checkify.checkify": Use(lambda f: checkify.checkify(f("f", _first))(X, NUMBER) and None),
        "pjit.pjit": _static(lambda fun, **o: pjit.pjit(fun, **o), "static_argnums", "static_argnames"),
        "pallas.pallas_call": Use(lambda f: pallas.pallas_call(f("kernel", _kernel), STRUCT, interpret=True)(X)),
    },
    "jax.custom_batching": {
        "custom_vmap": Use(_pass_vmap),
        "custom_vmap.def_vmap": Use(_defined_vmap),
        "sequential_vmap": Use(lambda f: custom_batching.sequential_vmap(f("f", _first))(X)),
    },
    "jax.custom_derivatives": {
        "linear_call": Use(lambda f: custom_derivatives.linear_call(
            f("fun", lambda residual, x: x), f("fun_transpose", lambda residual, y: y), X, X,
        )),
    },
    "jax.scipy.linalg": {"funm": Use(lambda f: jax.scipy.linalg.funm(jax.numpy.eye(3), f("func", _first)))},
    "jax.scipy.optimize": {
        "minimize": Use(lambda f: optimize.minimize(f("fun", lambda x: (x * x).sum()), X, method="BFGS").x),
    },
}  # fmt: skip

_WORD = "takes a word or an array there as well, and gives a function nothing that this would not"
_TREES = "the function looks at the nodes of a tree, which stay what they are"
_SAME = "another name of a function of jax"
_DEVICES = "places arrays on devices"

NO_USE: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "jax": {_SAME: ("remat",), _DEVICES: ("make_array_from_callback", "smap")},
    "jax.numpy": {_WORD: ("einsum", "gradient", "pad"), "a class that frompyfunc makes": ("ufunc",)},
    "jax.lax": {"the function is that of a scatter, whose row is among the functions": ("scatter_apply",)},
    "jax.lax.linalg": {"fails unless it is None": ("schur",)},
    "jax.tree": {_TREES: ("all", "broadcast", "flatten", "flatten_with_path", "leaves", "leaves_with_path",
                          "structure")},
    "jax.debug": {_DEVICES: ("inspect_array_sharding",)},
    "jax.scipy.linalg": {_WORD: ("leslie",)},
    "jax.scipy.optimize": {"a class of results": ("OptimizeResults",)},
    "jax.scipy.stats": {_WORD: ("gaussian_kde",)},
    "jax.custom_derivatives": {_SAME: ("closure_convert", "custom_gradient", "custom_jvp", "custom_vjp")},
}  # fmt: skip
"""Public functions with a parameter for a function that no use is written for, with the reason."""
