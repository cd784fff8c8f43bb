"""Which parameters of a transformed function are traced."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check

PROGRAMS = {
    "static_argnums": """
        @partial(jax.jit, static_argnums=(1,))
        def f(x, n):
            if n > 0: x = x + 1
            if x > 0: x = x + 1  # expect: JIT101
            return x
    """,
    "one number, from the end": """
        @partial(jax.jit, static_argnums=-1)
        def f(x, n):
            if n > 0: x = x + 1
            return x
    """,
    "static_argnames": """
        @partial(jax.jit, static_argnames="n")
        def f(x, n, m):
            if n > 0: x = x + 1
            if m > 0: x = x + 1  # expect: JIT101
            return x
        f(1.0, 2, 3.0)
        f(1.0, n=2, m=3.0)
    """,
    "names that arrive through a variable": """
        STATIC = ("n",) + ("mode",)
        def f(x, n, mode):
            if n > 0 and mode == "train": x = x + 1
            return x
        g = jax.jit(f, static_argnames=STATIC)
    """,
    "keyword-only": """
        @partial(jax.jit, static_argnames=["flag"])
        def f(x, *, flag=False):
            return x if flag else -x
        f(1.0, flag=True)
    """,
    "positions behind a decorator that is not known": """
        DECORATORS = load()
        @partial(jax.jit, static_argnames="mode")
        @DECORATORS["timed"]
        def f(*args, mode="up", scale=1.0):
            if args[1] == "down": return args[0]
            if scale > 1: return args[0]  # expect: JIT101
            return args[0] if mode == "up" else -args[0]
        f(1.0, "down", scale=2.0)
        @partial(jax.jit, static_argnums=1)
        @DECORATORS["timed"]
        def g(x, mode, scale):
            if x > 1: return x  # expect: JIT101
            if scale > 1: return -x
            return x if mode == "up" else -x
        g(1.0, "down", scale=2.0)
    """,
    "functions of one signature, and of several": """
        def f(x, mode):
            return x if mode == "up" else -x
        def g(x, mode):
            return -x if mode == "up" else x
        def h(mode, x):
            return -x if mode == "up" else x
        def run(x, config):
            one = f if config.up else g
            jax.jit(one, static_argnames="mode")(x, "up")
            jax.jit(one)(x, "up")  # expect: JIT604
            other = f if config.up else h
            jax.jit(other, static_argnames="mode")(x, "up")  # expect: JIT604
            return jax.jit(other, static_argnames="mode")(mode="up", x="down")  # expect: JIT604
    """,
    "defaults that nobody overrides": """
        @jax.jit
        def f(x, n=2):
            if n > 1: x = x + 1
            return x
        f(1.0)
    """,
    "defaults that somebody overrides": """
        @jax.jit
        def f(x, n=2):
            if n > 1: x = x + 1  # expect: JIT101
            return x
        f(1.0, 3)
    """,
    "bound by partial": """
        def f(n, x, *, flag):
            if n > 1 and flag: x = x + 1
            if x > 1: x = x + 1  # expect: JIT101
            return x
        g = jax.jit(partial(f, 3, flag=True))
        g(1.0)
    """,
    "bound by a closure": """
        def make(n):
            @jax.jit
            def f(x):
                if n > 1: x = x + 1
                return x
            return f
        make(3)(1.0)
    """,
    "methods": """
        class Model:
            def __init__(self, n): self.n = n
            @partial(jax.jit, static_argnums=0)
            def f(self, x):
                if self.n > 1: x = x + 1
                if x > 1: x = x + 1  # expect: JIT101
                return x
        Model(3).f(1.0)
    """,
    "a bound method": """
        class Model:
            def __init__(self, n): self.n = n
            def f(self, x, m):
                if self.n > 1 and m: x = x + 1
                return x
        g = jax.jit(Model(3).f, static_argnums=1)
        g(1.0, 2)
    """,
    "nothing of that name": """
        def f(x): return x
        g = jax.jit(f, static_argnames="missing")  # expect: JIT405
        h = jax.jit(f, static_argnums=3)  # expect: JIT405
    """,
    "any keyword": """
        def f(x, **options): return x
        g = jax.jit(f, static_argnames="mode")
    """,
    "options unknown": """
        import settings
        def f(x, n):
            if n > 1: x = x + 1
            return x
        g = jax.jit(f, static_argnames=settings.STATIC)
    """,
    "differentiated eagerly": """
        def loss(w, flag):
            if flag: w = w * 2
            return w if w > 0 else -w
        jax.grad(loss)(1.0, True)
    """,
    "differentiated under jit": """
        def loss(w):
            return w if w > 0 else -w  # expect: JIT104
        step = jax.jit(jax.grad(loss))
    """,
    "mapped over some arguments": """
        def f(x, mode):
            if mode == "a": return x
            return -x
        jax.vmap(f, in_axes=(0, None))(jnp.ones(3), "a")
    """,
    "options of scan's body": """
        def body(carry, x, flag):
            if flag: carry = carry + x
            return carry, x
        def run(xs):
            return jax.lax.scan(partial(body, flag=True), 0.0, xs)
    """,
    "a transform by another name": """
        import jax as j
        from jax import jit as J
        fast = j.jit
        def same(f): return fast(f)
        @same
        def f(x):
            if x > 0: return x  # expect: JIT101
            return -x
        @J
        def g(x):
            if x > 0: return x  # expect: JIT101
            return -x
        h = {"jit": J}["jit"](lambda x: 1 if x > 0 else 2)  # expect: JIT104
    """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_what_is_traced(tmp_path: Path, program: str) -> None:
    lines = [line[8:] for line in program.splitlines()]
    text = "import jax\nimport jax.numpy as jnp\nfrom functools import partial\n" + "\n".join(lines) + "\n"
    check(tmp_path, text)


def test_static_arguments_of_library_functions_are_keys_too(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax
        import jax.numpy as jnp

        total = jax.jit(jnp.sum, static_argnames="axis")
        total(jnp.ones((2, 2)), axis=[0])  # expect: JIT403
        total(jnp.ones((2, 2)), axis=(0,))
        middle = jnp.median(jnp.ones(3), axis=[0])  # expect: JIT403
        """,
    )


def test_what_is_hashed_with_an_argument(tmp_path: Path) -> None:
    """The hash of a tuple and of a frozen dataclass is that of its parts."""
    check(
        tmp_path,
        """
        from dataclasses import dataclass, field
        from functools import partial
        import jax
        import jax.numpy as jnp

        @dataclass(frozen=True)
        class Config:
            rate: float
            layers: list
            notes: dict = field(default_factory=dict, compare=False)

        @partial(jax.jit, static_argnums=1)
        def f(x, config):
            return x * 2

        def main(x):
            f(x, Config(0.1, [1, 2]))  # expect: JIT403
            f(x, Config(0.1, (1, 2)))
            f(x, (1, 2, ("a", None)))
            f(x, (1, [2]))  # expect: JIT403
            f(x, Config(0.1, (1, {"a": 2})))  # expect: JIT403
            f(x, ("mode", jnp.ones(3)))  # expect: JIT403
        """,
    )


def test_the_hash_of_a_dataclass_is_what_its_options_say(tmp_path: Path) -> None:
    """Wherever they are given. Of options that are not known, nothing is said."""
    check(
        tmp_path,
        """
        import dataclasses
        from functools import partial
        import jax
        from elsewhere import options

        hashed = partial(dataclasses.dataclass, frozen=True)
        by_identity = dataclasses.dataclass(eq=False)

        @hashed
        class Hashed:
            rate: float

        @by_identity
        class Distinct:
            rate: float

        @dataclasses.dataclass(**options)
        class Open:
            rate: float

        @partial(dataclasses.dataclass, order=True)
        class Ordered:
            rate: float

        @partial(jax.jit, static_argnums=1)
        def f(x, config):
            return x * 2

        def main(x):
            f(x, Hashed(0.1))
            f(x, Distinct(0.1))
            f(x, Open(0.1))
            f(x, Ordered(0.1))  # expect: JIT403
        """,
    )


def test_a_number_that_is_computed_from_a_round_of_few_is_another_each_time(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import equinox as eqx
        import jax.numpy as jnp

        @eqx.filter_jit
        def march(field, start, step):
            return field + start * step

        def run(field, speed, chunks=3):
            step = 0.1 / float(jnp.abs(field).max())
            size = int(speed)
            for chunk in range(chunks):
                start = chunk * size * step
                field = march(field, start, jnp.asarray(step))  # expect: JIT406
                field = march(field, jnp.asarray(start), step)
            return field

        def main():
            return run(jnp.ones(3), 2.0)
        """,
    )
