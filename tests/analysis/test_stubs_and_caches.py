"""Methods that only declare, and what is made once though it is asked for in a loop."""

from __future__ import annotations

from pathlib import Path

from programs import check


def test_declared_methods_give_anything(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        from typing import Protocol

        class Filter(Protocol):
            def init(self, x): ...

            def update(self, s, x):
                \"\"\"One step.\"\"\"

        def run(filt: Filter, xs):
            return jax.jit(lambda v: jax.lax.scan(filt.update, filt.init(v[0]), v)[1])(xs)
        """,
    )


def test_cached_properties_are_made_once(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import functools
        import jax

        class Lazy:
            @functools.cached_property
            def solve(self):
                return jax.jit(lambda a: a * 2)

            @property
            def anew(self):
                return jax.jit(lambda a: a * 2)  # expect: JIT402

        def run(xs):
            lazy = Lazy()
            for x in xs:
                lazy.solve(x)
                lazy.anew(x)
        """,
    )


def test_an_axis_has_a_few_values(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        from functools import partial
        import jax

        @partial(jax.jit, static_argnames=("axis", "step"))
        def blur(x, axis, step=0):
            return x.sum(axis) / (step + 1)

        def every(x, sigmas):
            for axis, sigma in enumerate(sigmas):
                x = x + blur(x, axis) * sigma
            for step, sigma in enumerate(sigmas):
                x = x + blur(x, 0, step=step) * sigma  # expect: JIT406
            return x
        """,
    )


def test_what_is_staged_is_not_run_eagerly(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        from jax import lax

        def encode(layers, xs):
            for p in layers:
                def step(c, x):
                    return c * p, x

                xs = lax.scan(step, 0.0, xs)[1]
            return xs

        encode_jit = jax.jit(encode)

        def eager(layers, xs):
            for p in layers:
                xs = lax.scan(lambda c, x: (c * p, x), 0.0, xs)[1]  # expect: JIT401
            return xs

        def tracing(x):
            return isinstance(x, jax.core.Tracer)

        @jax.jit
        def guarded(x):
            if not tracing(x):
                assert float(x.sum()) >= 0
            return x
        """,
    )
