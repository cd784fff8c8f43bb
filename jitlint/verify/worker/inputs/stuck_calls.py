"""Asks a library's failed call for the value that it needed in place of a placeholder.

`model.apply(?, x)` fails when it runs; then `model.init(key, x)` makes the parameters that belong there."""

from __future__ import annotations

import ast
import functools
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import jax

from ..user_code.probes import expression_at
from ..user_code.sites import site_of
from . import frameworks, specs
from .frameworks import Arguments, Stage
from .specs import Placeholder

Pairs = Iterator[tuple[Any, Any]]
"""Pairs of an argument as it was given and the value that it should have been."""

Supply = Callable[[Arguments, dict[str, Any]], Pairs]

_KEY = 0

_OPTIONS = ("rngs", "mutable", "capture_intermediates")
"""Keywords of `apply` that `init` does not take."""


@dataclass
class Stuck:
    """What a failure in a library asks for.

    Attributes:
        stage: the stage that the library's code needs around it, None if it needs none.
        supplier: whether a call was under way whose arguments we know how to make.
        asked: whether one of these arguments was a placeholder.
        wanted: the value for each placeholder, by its number.
    """

    stage: Stage | None = None
    supplier: bool = False
    asked: bool = False
    wanted: dict[int, Any] = field(default_factory=dict)


def read(error: BaseException, sources: Mapping[str, str]) -> Stuck:
    """Reads off an exception what a library needed.

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
    if frames:
        found.stage = frameworks.lacking(error, frames[-1][0], sources)
    for frame, offset in reversed(frames):
        file = frame.f_code.co_filename
        if file in sources and not found.supplier:
            site = site_of(frame.f_code, offset)
            call = expression_at(site, sources[file])
            if isinstance(call, ast.Call):
                try:
                    _supply(call, frame, found)
                except Exception:  # noqa: BLE001  the call may be of anything, with any arguments
                    continue
    return found


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
    """How to make the first arguments of a call, and how many of them; None for calls that we do not know."""
    linen = frameworks.loaded("flax.linen.Module")
    owner = getattr(callee, "__self__", None)
    if linen is not None and isinstance(owner, linen) and callee.__name__ == "apply":
        return functools.partial(_variables, owner), 1
    if hasattr(holder, "init") and callee is getattr(holder, "apply", None):
        return functools.partial(_parameters, holder), len(_before(holder))
    if hasattr(holder, "init") and callee is getattr(holder, "update", None):
        return functools.partial(_states, holder), 3
    if callee is not None and callee is frameworks.loaded("optax.apply_updates"):
        return _alike, 2
    return None


def _variables(module: Any, args: Arguments, kwargs: dict[str, Any]) -> Pairs:
    yield args[0], module.init(jax.random.PRNGKey(_KEY), *_concrete(args[1:]), **_concrete(kwargs))


def _parameters(holder: Any, args: Arguments, kwargs: dict[str, Any]) -> Pairs:
    """For a pair of functions `init(key, …)` and `apply(params, [state], [key], …)`."""
    before = _before(holder)
    made = holder.init(jax.random.PRNGKey(_KEY), *_concrete(args[len(before) :]), **_concrete(kwargs))
    wanted = dict(zip(("params", "state"), made if "state" in before else (made,), strict=False))
    for name, given in zip(before, args, strict=False):
        yield given, wanted.get(name, jax.random.PRNGKey(_KEY))


def _before(holder: Any) -> list[str]:
    """The first parameters of a pair's `apply`, which the function inside does not have."""
    names = list(inspect.signature(holder.apply).parameters)
    return [name for name in names[:3] if name in ("params", "state", "rng")]


def _states(holder: Any, args: Arguments, kwargs: dict[str, Any]) -> Pairs:
    """For an optimizer: `update(grads, state, params)` after `init(params)`."""
    grads, state, *params = (*args, *(kwargs[name] for name in ("params",) if name in kwargs))
    known = [one for one in (*params, grads) if not _holds_placeholder(one)]
    like = _concrete(known[0]) if known else specs.build(specs.of_rank(1))
    yield state, holder.init(like)
    for one in (grads, *params):
        yield one, like


def _alike(args: Arguments, kwargs: dict[str, Any]) -> Pairs:
    known = [one for one in args if not _holds_placeholder(one)]
    for one in args if known else ():
        yield one, _concrete(known[0])


def _matched(given: Any, value: Any) -> dict[int, Any]:
    """The value for each placeholder inside an argument, taken from the right value of the whole argument."""
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
    """A copy of a tree with made-up arrays in place of tracers."""
    return jax.tree_util.tree_map(_as_array, tree)


def _as_array(leaf: Any) -> Any:
    if not isinstance(leaf, jax.core.Tracer):
        return leaf
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        key = jax.random.key(_KEY)
        return jax.random.split(key, leaf.shape) if leaf.shape else key
    return specs.build(specs.Array(str(leaf.dtype), tuple(leaf.shape)))


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """The value of an expression of names, attributes, items, displays and constants.

    Raises:
        Exception: it holds something else, which must not run twice, or it fails.
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
