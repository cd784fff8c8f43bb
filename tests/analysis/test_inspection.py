"""Arguments stay apart when they are bound to a signature."""

from __future__ import annotations

from pathlib import Path

from programs import check


def test_arguments_bound_to_a_signature(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import functools
        import inspect

        import jax

        def flattened(function):
            signature = inspect.signature(function)

            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                bound = signature.bind(*args, **kwargs)
                bound.apply_defaults()
                names, values = list(bound.kwargs.keys()), list(bound.kwargs.values())
                return called(function, names, *bound.args, *values)

            return wrapper

        def called(function, names, *flat):
            count = len(flat) - len(names)
            return function(*flat[:count], **dict(zip(names, flat[count:])))

        @flattened
        def solve(x, order=3, *more, scale, verbose=True):
            if verbose and order > 2 and not more:
                x = x + 1
            if scale > 0:  # expect: JIT101
                x = x + 1
            return x if x > 0 else -x  # expect: JIT104

        @jax.jit
        def f(x):
            return solve(x, scale=x)

        f(1.0)
        """,
    )
