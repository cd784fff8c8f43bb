"""What libraries on top of JAX want: the one place that knows them. Only what the user's code has loaded is used.

Three questions: how an instance of one of their classes is made (`sample`), in what surroundings their modules and
models run (`Stage`), and what value a call of theirs would have taken instead of a placeholder (`Stuck.wanted`).
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp

from . import failures, values
from .probes import expression_at
from .values import Placeholder

Arguments = tuple[Any, ...]
Maker = Callable[[], Any]


@dataclass(frozen=True)
class Stage:
    """Traces a function as its library would run it.

    Attributes:
        title: how that reads, with `{}` for the function.
        trace: takes what makes the instance (or None), the function, and its arguments.
    """

    title: str
    trace: Callable[[Maker, Callable[..., Any], Arguments, dict[str, Any]], Any]


Pairs = Iterator[tuple[Any, Any]]
"""Arguments as they were given, with what they should have been."""

Supply = Callable[[Arguments, dict[str, Any]], Pairs]

_KEY = 0
_OPTIONS = ("rngs", "mutable", "capture_intermediates")
"""Keywords of `apply` that `init` does not take."""


def loaded(name: str) -> Any:
    """A library's module or an attribute of it by dotted name, None if the user's code has not loaded it."""
    module, _, attribute = name.rpartition(".")
    return sys.modules.get(name) or getattr(sys.modules.get(module), attribute, None)


# ---- instances


def _optimizer() -> Any:
    return loaded("optax").sgd(0.1, momentum=0.9)


def _train_state() -> Any:
    linen = loaded("flax.linen")
    network = linen.Dense(values.SIZE)
    variables = network.init(jax.random.PRNGKey(_KEY), jnp.ones((1, values.SIZE)))
    made = loaded("flax.training.train_state.TrainState")
    return made.create(apply_fn=network.apply, params=variables["params"], tx=_optimizer())


_SAMPLES: Mapping[str, Callable[[], Any]] = {
    "optax.GradientTransformation": _optimizer,
    "optax.GradientTransformationExtraArgs": _optimizer,
    "flax.training.train_state.TrainState": _train_state,
    "flax.nnx.Rngs": lambda: loaded("flax.nnx").Rngs(_KEY),
    "flax.nnx.Module": lambda: loaded("flax.nnx").Linear(values.SIZE, values.SIZE, rngs=loaded("flax.nnx").Rngs(_KEY)),
    "flax.linen.Module": lambda: loaded("flax.linen").Dense(values.SIZE),
    "equinox.Module": lambda: loaded("equinox").nn.Linear(values.SIZE, values.SIZE, key=jax.random.PRNGKey(_KEY)),
    "numpyro.distributions.Distribution": lambda: loaded("numpyro.distributions").Normal(0.0, 1.0),
    "jax.sharding.Mesh": lambda: jax.sharding.Mesh(jax.devices()[:1], ("x",)),
}
"""Classes that are asked for by name and whose constructors say too little, with how one is made."""


def sample(cls: type) -> values.Made | None:
    """An instance of a library's class, for classes that cannot be made from their constructor's signature alone."""
    for name, make in _SAMPLES.items():
        if loaded(name) is cls:
            return values.Made(cls.__name__, make)
    train_state = loaded("flax.training.train_state.TrainState")
    if isinstance(train_state, type) and issubclass(cls, train_state):
        return values.Made(cls.__name__, lambda: _train_state_of(cls))
    return None


def _train_state_of(cls: type) -> Any:
    base = _train_state()
    more = {
        each.name: values.build(values.of_rank(1))
        for each in dataclasses.fields(cls)
        if not hasattr(base, each.name) and each.default is each.default_factory is dataclasses.MISSING
    }
    return cls.create(apply_fn=base.apply_fn, params=base.params, tx=base.tx, **more)  # type: ignore[attr-defined]


# ---- surroundings


def stage_of(owner: type | None) -> Stage | None:
    """In what surroundings the methods of a class run, None if they need none."""
    if owner is None:
        return None
    for name, stage in (("flax.linen.Module", _LINEN), ("haiku.Module", _HAIKU)):
        base = loaded(name)
        if isinstance(base, type) and issubclass(owner, base):
            return stage
    return None


def stage_of_pair(value: Any) -> Stage | None:
    """In what surroundings the function runs that a pair of functions `init` and `apply` was made of."""
    transformed = (loaded("haiku.Transformed"), loaded("haiku.TransformedWithState"))
    return _HAIKU if isinstance(value, tuple(kind for kind in transformed if kind is not None)) else None


def _linen(make: Maker, function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
    """The module is initialized with the arguments, then applied to them."""
    module, key, name = make(), jax.random.PRNGKey(_KEY), function.__name__

    def init(*args: Any, **kwargs: Any) -> Any:
        return module.init(key, *args, method=name, **kwargs)

    def apply(variables: Any, *args: Any, **kwargs: Any) -> Any:
        return module.apply(variables, *args, method=name, mutable=True, rngs={"params": key, "dropout": key}, **kwargs)

    return staged(apply, (shapes(init, args, kwargs), *args), kwargs)


def _haiku(make: Maker, function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
    """The module is made and called inside of a transformed function."""
    made = loaded("haiku").transform_with_state(lambda *a, **k: function(*_instance(make), *a, **k))
    return staged(lambda *a, **k: made.init(jax.random.PRNGKey(_KEY), *a, **k), args, kwargs)


def _numpyro(make: Callable[[], Any], function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
    """The model is run with a seed: what it samples is traced, its arguments stay what they are, as in inference."""
    seed = loaded("numpyro.handlers.seed")
    return staged(lambda: seed(function, jax.random.PRNGKey(_KEY))(*_instance(make), *args, **kwargs), (), {})


def _mapped(axis: str) -> Stage:
    """What reduces over a named axis runs as the lanes of a map over it."""

    def trace(make: Maker, function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
        def lanes(*a: Any, **k: Any) -> Any:
            mapped = jax.vmap(lambda _: _arrays(function(*_instance(make), *a, **k)), axis_name=axis)
            return mapped(jnp.arange(2))

        return staged(lanes, args, kwargs)

    return Stage(f"jax.vmap({{}}, axis_name={axis!r})", trace)


_LINEN = Stage("{} in apply", _linen)
_HAIKU = Stage("hk.transform({})", _haiku)
_NUMPYRO = Stage("numpyro.handlers.seed({})", _numpyro)


def _instance(make: Maker) -> Arguments:
    instance = make()
    return () if instance is None else (instance,)


def shapes(function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
    """The shapes of what a function gives."""
    jitted, arrays = _jitted(function, args, kwargs)
    return jax.eval_shape(jitted, arrays)


def staged(function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
    """What `jax.jit(f).trace(…)` gives of a function with its arrays traced and all else as it is."""
    jitted, arrays = _jitted(function, args, kwargs)
    return jitted.trace(arrays)


def _jitted(
    function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]
) -> tuple[Any, Mapping[int, Any]]:  # fmt: skip
    leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
    arrays = {at: leaf for at, leaf in enumerate(leaves) if hasattr(leaf, "shape") and hasattr(leaf, "dtype")}

    def call(arrays: Mapping[int, Any]) -> Any:
        given = [arrays.get(at, leaf) for at, leaf in enumerate(leaves)]
        args, kwargs = jax.tree_util.tree_unflatten(tree, given)
        return _arrays(function(*args, **kwargs))

    return jax.jit(call), arrays


def _arrays(result: Any) -> Any:
    return jax.tree_util.tree_map(lambda leaf: leaf if isinstance(leaf, jax.Array) else None, result)


# ---- what calls want


@dataclass
class Stuck:
    """What is known of a failure in a library: the surroundings that it lacks, and the value for each placeholder.

    `supplier` says that a call was under way whose arguments we know how to make, `asked` that one of them was a
    placeholder.
    """

    stage: Stage | None = None
    supplier: bool = False
    asked: bool = False
    wanted: dict[int, Any] = field(default_factory=dict)


def stuck(error: BaseException, sources: Mapping[str, str]) -> Stuck:
    """Reads off an exception what a library wanted.

    Args:
        error: with its traceback.
        sources: the texts of the user's files.
    """
    found = Stuck()
    frames: list[tuple[types.FrameType, int]] = []
    entry = error.__traceback__
    while entry is not None:
        frames.append((entry.tb_frame, entry.tb_lasti))
        entry = entry.tb_next
    last = frames[-1][0] if frames else None
    if (unbound := re.search(r"unbound axis name: (\w+)", str(error))) is not None:
        found.stage = _mapped(unbound.group(1))
    elif last is not None and last.f_code.co_filename not in sources:
        found.stage = _lacking(error, last)
    for frame, offset in reversed(frames):
        file = frame.f_code.co_filename
        if file in sources and not found.supplier:
            site = failures.site_of(frame.f_code, offset)
            call = expression_at(site, sources[file])
            if isinstance(call, ast.Call):
                try:
                    _supply(call, frame, found)
                except Exception:  # noqa: BLE001  the call may be of anything, with any arguments
                    continue
    return found


def _lacking(error: BaseException, frame: types.FrameType) -> Stage | None:
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    if package == "haiku" and "hk.transform" in str(error):
        return _HAIKU
    if package == "numpyro" and isinstance(error, (AssertionError, TypeError)) and frame.f_code.co_name != "seed":
        return _NUMPYRO
    return None


def _supply(call: ast.Call, frame: types.FrameType, found: Stuck) -> None:
    names = {**frame.f_globals, **frame.f_locals}
    callee = _value(call.func, names)
    holder = _value(call.func.value, names) if isinstance(call.func, ast.Attribute) else None
    supplier = _supplier(callee, holder)
    if supplier is None:
        return
    found.supplier = True
    supply, first = supplier
    args = tuple(_value(argument, names) for argument in call.args)
    wanted = [keyword for keyword in call.keywords if keyword.arg and keyword.arg not in _OPTIONS]
    kwargs = {str(keyword.arg): _value(keyword.value, names) for keyword in wanted}
    found.asked = _holds_placeholder(args[:first])
    for given, value in supply(args, kwargs):
        found.wanted.update(_matched(given, value))


def _supplier(callee: Any, holder: Any) -> tuple[Supply, int] | None:
    """How arguments of a call are made, and how many of the first ones, for the calls that we know."""
    linen = loaded("flax.linen.Module")
    owner = getattr(callee, "__self__", None)
    if linen is not None and isinstance(owner, linen) and callee.__name__ == "apply":
        return functools.partial(_variables, owner), 1
    if hasattr(holder, "init") and callee is getattr(holder, "apply", None):
        return functools.partial(_parameters, holder), len(_before(holder))
    if hasattr(holder, "init") and callee is getattr(holder, "update", None):
        return functools.partial(_states, holder), 3
    if callee is not None and callee is loaded("optax.apply_updates"):
        return _alike, 2
    return None


def _variables(module: Any, args: Arguments, kwargs: dict[str, Any]) -> Pairs:
    yield args[0], module.init(jax.random.PRNGKey(_KEY), *_concrete(args[1:]), **_concrete(kwargs))


def _parameters(holder: Any, args: Arguments, kwargs: dict[str, Any]) -> Pairs:
    """Of a pair of functions `init(key, …)` and `apply(params, [state], [key], …)`."""
    before = _before(holder)
    made = holder.init(jax.random.PRNGKey(_KEY), *_concrete(args[len(before) :]), **_concrete(kwargs))
    wanted = dict(zip(("params", "state"), made if "state" in before else (made,), strict=False))
    for name, given in zip(before, args, strict=False):
        yield given, wanted.get(name, jax.random.PRNGKey(_KEY))


def _before(holder: Any) -> list[str]:
    """The first parameters of a pair's `apply` that its function does not have."""
    names = list(inspect.signature(holder.apply).parameters)
    return [name for name in names[:3] if name in ("params", "state", "rng")]


def _states(holder: Any, args: Arguments, kwargs: dict[str, Any]) -> Pairs:
    """Of an optimizer: `update(grads, state, params)` after `init(params)`."""
    grads, state, *params = (*args, *(kwargs[name] for name in ("params",) if name in kwargs))
    known = [one for one in (*params, grads) if not _holds_placeholder(one)]
    like = _concrete(known[0]) if known else values.build(values.of_rank(1))
    yield state, holder.init(like)
    for one in (grads, *params):
        yield one, like


def _alike(args: Arguments, kwargs: dict[str, Any]) -> Pairs:
    known = [one for one in args if not _holds_placeholder(one)]
    for one in args if known else ():
        yield one, _concrete(known[0])


def _matched(given: Any, value: Any) -> dict[int, Any]:
    """The placeholders in an argument with the parts of its right value that belong there."""
    if isinstance(given, Placeholder):
        return {given.number: value}
    found: dict[int, Any] = {}
    if isinstance(given, dict) and isinstance(value, Mapping):
        for key in given.keys() & value.keys():
            found.update(_matched(given[key], value[key]))
    elif isinstance(given, (tuple, list)) and isinstance(value, (tuple, list)):
        for one, other in zip(given, value, strict=False):
            found.update(_matched(one, other))
    return found


def _holds_placeholder(value: Any) -> bool:
    leaves = jax.tree_util.tree_leaves(value, is_leaf=lambda part: isinstance(part, Placeholder))
    return any(isinstance(leaf, Placeholder) for leaf in leaves)


def _concrete(tree: Any) -> Any:
    """A tree with arrays of ours in the place of tracers."""
    return jax.tree_util.tree_map(_as_array, tree)


def _as_array(leaf: Any) -> Any:
    if not isinstance(leaf, jax.core.Tracer):
        return leaf
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        key = jax.random.key(_KEY)
        return jax.random.split(key, leaf.shape) if leaf.shape else key
    return values.build(values.Array(str(leaf.dtype), tuple(leaf.shape)))


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """What an expression of names, attributes, items, displays and constants stands for.

    Raises:
        Exception: it holds something else, which must not be run again, or fails.
    """
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Attribute):
        return getattr(_value(node.value, names), node.attr)
    if isinstance(node, ast.Subscript):
        return _value(node.value, names)[_value(node.slice, names)]
    if isinstance(node, (ast.Tuple, ast.List)):
        return tuple(_value(part, names) for part in node.elts)
    if isinstance(node, ast.Dict):
        keys = [_value(key, names) for key in node.keys if key is not None]
        return dict(zip(keys, (_value(part, names) for part in node.values), strict=True))
    if isinstance(node, ast.Call) and not node.keywords and _is_constructor(node, names):
        return _value(node.func, names)(*(_value(part, names) for part in node.args))
    raise ValueError(f"{type(node).__name__} is not evaluated again")


def _is_constructor(node: ast.Call, names: Mapping[str, Any]) -> bool:
    return isinstance(_value(node.func, names), type)
