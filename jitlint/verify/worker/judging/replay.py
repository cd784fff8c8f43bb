"""Replays a traced call: the captured function under a `jit` of our own, with arguments of the same shapes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy
from jax import make_jaxpr  # as it is before user code replaces it

from ..inputs import specs
from ..watching.cases import Case, Witness
from ..watching.watch import Capture

_LARGE = 10_000


class Replay:
    """A captured call: the traced arguments become `arrays`, all others stay fixed.

    Raises:
        Exception: what the user's pytree classes raise when they are taken apart.
    """

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._leaves, self._tree = jax.tree_util.tree_flatten(dict(capture.arguments))
        self._dynamic = [at for at, leaf in enumerate(self._leaves) if isinstance(leaf, jax.ShapeDtypeStruct)]
        self.arrays = [_array(self._leaves[at]) for at in self._dynamic]
        self.described = [
            f"{name}={specs.describe_value(value)}" for name, value in capture.arguments.items() if name != "self"
        ]

    def fresh(self) -> Callable[..., Any]:
        """Returns a new function object, unknown to JAX's caches, that calls the captured one."""

        def call(*arrays: Any) -> Any:
            leaves = list(self._leaves)
            for at, array in zip(self._dynamic, arrays, strict=True):
                leaves[at] = array
            args, kwargs = self._bound(jax.tree_util.tree_unflatten(self._tree, leaves))
            result = self._capture.function(*args, **kwargs)
            return [leaf for leaf in jax.tree_util.tree_leaves(result) if isinstance(leaf, _RESULTS)]

        return call

    def program(self) -> tuple[str, list[bytes]]:
        """Traces anew, with empty caches. Returns the jaxpr's text and its constants."""
        jax.clear_caches()
        closed = make_jaxpr(self.fresh())(*self.arrays)
        return str(closed.jaxpr), [_bytes(constant) for constant in closed.consts]

    def _bound(self, arguments: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for parameter in inspect.signature(self._capture.function, follow_wrapped=False).parameters.values():
            if parameter.name not in arguments:
                continue
            value = arguments[parameter.name]
            if parameter.kind == inspect.Parameter.VAR_POSITIONAL:
                args += value
            elif parameter.kind == inspect.Parameter.VAR_KEYWORD:
                kwargs.update(value)
            elif parameter.kind == inspect.Parameter.KEYWORD_ONLY:
                kwargs[parameter.name] = value
            else:
                args.append(value)
        return args, kwargs


_RESULTS = (jax.Array, numpy.ndarray, numpy.generic, bool, int, float, complex)
"""What a traced function can give back: a number that Python computed becomes a constant of the program."""


def of(case: Case, witness: Witness) -> Replay | None:
    """A replay of the traced call around a case's place in a run; None if there is none, and the case says why."""
    captures = witness.run.hit(case.probe).captures
    if not captures:
        case.unclear("not-traced")
        return None
    try:
        return Replay(captures[0])
    except Exception as error:  # noqa: BLE001  a user's pytree class may raise anything
        case.unclear("no-replay", error=f"{type(error).__name__}: {error}"[:200])
        return None


def _bytes(constant: Any) -> bytes:
    try:
        return bytes(jnp.asarray(constant).tobytes())
    except Exception:  # noqa: BLE001  PRNG keys and the like have no bytes; their text will do
        return repr(constant).encode()


def _array(leaf: Any) -> Any:
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        key = jax.random.key(0)
        return jax.random.split(key, leaf.shape) if leaf.shape else key
    if leaf.size > _LARGE:
        return jnp.full(leaf.shape, 0.5).astype(leaf.dtype)
    if str(leaf.dtype) == "uint32" and leaf.shape == (2,):
        return jax.random.PRNGKey(0)
    return specs.build(specs.Array(str(leaf.dtype), tuple(leaf.shape)))
