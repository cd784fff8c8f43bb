"""What libraries on top of JAX need: Flax, Haiku, NumPyro, Optax …, as far as the user's code has loaded them.

`sample` makes instances of their classes; a `Stage` runs their modules and models as the library would. What their
calls take is in `stuck_calls`. No other file of the worker knows these libraries.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import types
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import eval_shape, jit, vmap  # as they are before user code replaces them

from . import specs

Arguments = tuple[Any, ...]
Maker = Callable[[], Any]


@dataclass(frozen=True)
class Stage:
    """A way to trace a function as its library would run it.

    Attributes:
        title: its name for people, with `{}` for the function's.
        trace: traces; takes a maker of the instance (or None), the function, and its arguments.
    """

    title: str
    trace: Callable[[Maker, Callable[..., Any], Arguments, dict[str, Any]], Any]


_KEY = 0


def loaded(name: str) -> Any:
    """A library's module, or an attribute of it, by dotted name; None if the user's code has not loaded it."""
    module, _, attribute = name.rpartition(".")
    return sys.modules.get(name) or getattr(sys.modules.get(module), attribute, None)


# ---- instances


def _optimizer() -> Any:
    return loaded("optax").sgd(0.1, momentum=0.9)


def _train_state() -> Any:
    linen = loaded("flax.linen")
    network = linen.Dense(specs.SIZE)
    variables = network.init(jax.random.PRNGKey(_KEY), jnp.ones((1, specs.SIZE)))
    made = loaded("flax.training.train_state.TrainState")
    return made.create(apply_fn=network.apply, params=variables["params"], tx=_optimizer())


_SAMPLES: Mapping[str, Callable[[], Any]] = {
    "optax.GradientTransformation": _optimizer,
    "optax.GradientTransformationExtraArgs": _optimizer,
    "flax.training.train_state.TrainState": _train_state,
    "flax.nnx.Rngs": lambda: loaded("flax.nnx").Rngs(_KEY),
    "flax.nnx.Module": lambda: loaded("flax.nnx").Linear(specs.SIZE, specs.SIZE, rngs=loaded("flax.nnx").Rngs(_KEY)),
    "flax.linen.Module": lambda: loaded("flax.linen").Dense(specs.SIZE),
    "equinox.Module": lambda: loaded("equinox").nn.Linear(specs.SIZE, specs.SIZE, key=jax.random.PRNGKey(_KEY)),
    "numpyro.distributions.Distribution": lambda: loaded("numpyro.distributions").Normal(0.0, 1.0),
    "jax.sharding.Mesh": lambda: jax.sharding.Mesh(jax.devices()[:1], ("x",)),
}
"""How to make instances of classes whose constructors say too little."""


def sample(cls: type) -> specs.Made | None:
    """An instance of a library's class that its constructor's signature does not suffice to make; None for others."""
    for name, make in _SAMPLES.items():
        if loaded(name) is cls:
            return specs.Made(cls.__name__, make)
    train_state = loaded("flax.training.train_state.TrainState")
    if isinstance(train_state, type) and issubclass(cls, train_state):
        return specs.Made(cls.__name__, lambda: _train_state_of(cls))
    return None


def _train_state_of(cls: type) -> Any:
    base = _train_state()
    more = {
        each.name: specs.build(specs.of_rank(1))
        for each in dataclasses.fields(cls)
        if not hasattr(base, each.name) and each.default is each.default_factory is dataclasses.MISSING
    }
    return cls.create(apply_fn=base.apply_fn, params=base.params, tx=base.tx, **more)  # type: ignore[attr-defined]


# ---- stages


def stage_of(owner: type | None) -> Stage | None:
    """The stage for methods of a class, None if they need none."""
    if owner is None:
        return None
    for name, stage in (("flax.linen.Module", _LINEN), ("haiku.Module", _HAIKU)):
        base = loaded(name)
        if isinstance(base, type) and issubclass(owner, base):
            return stage
    return None


def stage_of_entry(transform: str) -> Stage | None:
    """The stage for a function that code gives to a transform together with others: `jax.jit(jax.vmap(f))`."""
    return _OF_ENTRIES.get(transform)


def stage_of_call(owner: type) -> Stage | None:
    """The stage in which users call the modules of a framework's class; None for other classes."""
    for name, transform in (("equinox.Module", "equinox.filter_jit"), ("flax.nnx.Module", "flax.nnx.jit")):
        base = loaded(name)
        if isinstance(base, type) and issubclass(owner, base):
            return stage_of_entry(transform)
    return None


def stage_of_pair(value: Any) -> Stage | None:
    """The stage for the function behind a pair of functions `init` and `apply`, None for other values."""
    transformed = (loaded("haiku.Transformed"), loaded("haiku.TransformedWithState"))
    return _HAIKU if isinstance(value, tuple(kind for kind in transformed if kind is not None)) else None


def _linen(make: Maker, function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
    """Initializes a Flax module with the arguments, then applies it to them."""
    module, key, name = make(), jax.random.PRNGKey(_KEY), function.__name__

    def init(*args: Any, **kwargs: Any) -> Any:
        return module.init(key, *args, method=name, **kwargs)

    def apply(variables: Any, *args: Any, **kwargs: Any) -> Any:
        return module.apply(variables, *args, method=name, mutable=True, rngs={"params": key, "dropout": key}, **kwargs)

    return staged(apply, (shapes(init, args, kwargs), *args), kwargs)


def _haiku(make: Maker, function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
    """Makes and calls a Haiku module inside a transformed function."""
    made = loaded("haiku").transform_with_state(lambda *a, **k: function(*_instance(make), *a, **k))
    return staged(lambda *a, **k: made.init(jax.random.PRNGKey(_KEY), *a, **k), args, kwargs)


def _numpyro(make: Callable[[], Any], function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
    """Runs a NumPyro model with a seed: its samples are traced, its arguments stay as they are, as in inference."""
    seed = loaded("numpyro.handlers.seed")
    return staged(lambda: seed(function, jax.random.PRNGKey(_KEY))(*_instance(make), *args, **kwargs), (), {})


def _mapped(axis: str) -> Stage:
    """Runs a function with collectives over a named axis under a `vmap` with that axis."""

    def trace(make: Maker, function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
        def lanes(*a: Any, **k: Any) -> Any:
            mapped = vmap(lambda _: _arrays(function(*_instance(make), *a, **k)), axis_name=axis)
            return mapped(jnp.arange(2))

        return staged(lanes, args, kwargs)

    return Stage(f"jax.vmap({{}}, axis_name={axis!r})", trace)


def _in_jit(make: Maker, function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
    """Traces a method or function by its arrays; the instance stays as it is, as under `jax.jit(instance.method)`."""
    return staged(lambda *a, **k: function(*_instance(make), *a, **k), args, kwargs)


def _in_filter_jit(make: Maker, function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
    """Traces a method or function by its arrays, those of the instance among them."""
    return staged(function, (*_instance(make), *args), kwargs)


def _in_vmap(make: Maker, function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
    """Maps a method or function over two lanes of its arrays."""
    call, arrays = _by_arrays(lambda *a, **k: function(*_instance(make), *a, **k), args, kwargs)
    return vmap(call)({at: jnp.stack([leaf, leaf]) for at, leaf in arrays.items()})


def _in_nnx_jit(make: Maker, function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
    """Calls a method or function under `nnx.jit`."""
    return loaded("flax.nnx").jit(function)(*_instance(make), *args, **kwargs)


_LINEN = Stage("{} in apply", _linen)
_HAIKU = Stage("hk.transform({})", _haiku)
_NUMPYRO = Stage("numpyro.handlers.seed({})", _numpyro)
_JIT = Stage("jax.jit({})", _in_jit)
_OF_ENTRIES: Mapping[str, Stage] = {
    **dict.fromkeys(("jax.jit", "jax.checkpoint", "jax.lax.scan", "jax.lax.while_loop", "jax.lax.fori_loop"), _JIT),
    "jax.vmap": Stage("jax.vmap({})", _in_vmap),
    "equinox.filter_jit": Stage("equinox.filter_jit({})", _in_filter_jit),
    "flax.nnx.jit": Stage("flax.nnx.jit({})", _in_nnx_jit),
}


def _instance(make: Maker) -> Arguments:
    instance = make()
    return () if instance is None else (instance,)


def shapes(function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
    """The shapes of a function's results."""
    call, arrays = _by_arrays(function, args, kwargs)
    return eval_shape(jit(call), arrays)


def staged(function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> Any:
    """Traces a function under `jax.jit` with its arrays traced and all other arguments fixed."""
    call, arrays = _by_arrays(function, args, kwargs)
    return jit(call).trace(arrays)


def _by_arrays(function: Callable[..., Any], args: Arguments, kwargs: dict[str, Any]) -> tuple[Any, Mapping[int, Any]]:
    """A function of the arrays among some arguments, by their position among all leaves, and these arrays."""
    leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
    arrays = {at: leaf for at, leaf in enumerate(leaves) if specs.is_array(leaf)}

    def call(arrays: Mapping[int, Any]) -> Any:
        given = [arrays.get(at, leaf) for at, leaf in enumerate(leaves)]
        args, kwargs = jax.tree_util.tree_unflatten(tree, given)
        return _arrays(function(*args, **kwargs))

    return call, arrays


def _arrays(result: Any) -> Any:
    return jax.tree_util.tree_map(lambda leaf: leaf if isinstance(leaf, jax.Array) else None, result)


def lacking(error: BaseException, frame: types.FrameType, user_files: Collection[str]) -> Stage | None:
    """The stage that an exception, raised in a frame, asks for; None if it is about something else."""
    if (unbound := re.search(r"unbound axis name: (\w+)", str(error))) is not None:
        return _mapped(unbound.group(1))
    if frame.f_code.co_filename in user_files:
        return None
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    if package == "haiku" and "hk.transform" in str(error):
        return _HAIKU
    if package == "numpyro" and isinstance(error, (AssertionError, TypeError)) and frame.f_code.co_name != "seed":
        return _NUMPYRO
    return None
