"""Notes the calls of jitted functions. JAX answers most of them without Python; those of interest are kept from that.

This replaces two private functions of `jax/_src/pjit.py`, as long as the user's programs run. If a version of jax lacks
them, no call is noted.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

try:
    from jax._src import core as _core
    from jax._src import pjit as _pjit
except ImportError:  # private: without them, nothing is noted
    _core = _pjit = None  # type: ignore[assignment,unused-ignore]

_CALLS = ("_run_python_pjit", "_python_pjit_helper")
"""The function that runs a call, in the versions of jax; the fifth item of what it returns is the call's jaxpr."""

_SHORTCUT = "_get_fastpath_data"
"""The function that makes what later calls are answered with; None means that they come to Python again."""


@contextlib.contextmanager
def noted(take: Callable[[object], bool]) -> Iterator[None]:
    """Calls `take` after each call of a jitted function that is not itself traced.

    Args:
        take: gets the call's jaxpr, the same object for calls that use the same trace; returns whether further calls
            that use it are of interest.
    """
    name = next((one for one in _CALLS if hasattr(_pjit, one)), None)
    if name is None or not hasattr(_pjit, _SHORTCUT) or not hasattr(_core, "trace_state_clean"):
        yield
        return
    call, shortcut = getattr(_pjit, name), getattr(_pjit, _SHORTCUT)
    wanted = False

    def noting(*args: Any, **kwargs: Any) -> Any:
        nonlocal wanted
        outermost = _core.trace_state_clean()
        done = call(*args, **kwargs)
        wanted = outermost and take(done[4])
        return done

    def without_shortcut(*args: Any, **kwargs: Any) -> Any:
        return None if wanted else shortcut(*args, **kwargs)

    setattr(_pjit, name, noting)
    setattr(_pjit, _SHORTCUT, without_shortcut)
    try:
        yield
    finally:
        setattr(_pjit, name, call)
        setattr(_pjit, _SHORTCUT, shortcut)
