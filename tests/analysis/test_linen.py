"""Flax modules: parameters are made by functions that run under the trace, lifted modules run as themselves."""

from __future__ import annotations

from pathlib import Path

from programs import check


def test_parameters_and_lifted_modules(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import flax.linen as nn
        import jax
        import jax.numpy as jnp

        def scaled(key, shape):
            total = jnp.ones(shape).sum()
            if len(shape) > 2 or shape[0] > 9:
                return jnp.zeros(shape)
            return jnp.ones(shape) if total > 0 else jnp.zeros(shape)  # expect: JIT104

        def start(key):
            return {"a": jnp.zeros(3), "b": jnp.zeros(3)}

        class Cell(nn.Module):
            @nn.compact
            def __call__(self, carry, x):
                w = self.param("w", scaled, (3, 3))
                both = self.param("both", start)
                if w.ndim == 2 and "a" in both:
                    carry = carry + both["a"]
                h = jnp.tanh(carry @ w + x)
                if h.sum() > 0:  # expect: JIT101
                    h = h * 2
                return h, h

        @jax.jit
        def f(key, x):
            model = nn.scan(Cell, variable_broadcast="params", split_rngs={"params": False})()
            variables = model.init(key, jnp.zeros(3), x)
            (out, ys), updated = model.apply(variables, jnp.zeros(3), x, mutable=True)
            return out if out[0] > 0 else -out  # expect: JIT104
        """,
    )


def test_the_library_itself_with_what_its_models_know(tmp_path: Path) -> None:
    check(
        tmp_path,
        {
            "haiku/__init__.py": "from haiku._src.base import get_parameter",
            "haiku/_src/base.py": "def get_parameter(name, shape, init=None):\n    return registry[name](shape)\n",
            "haiku/_src/basic.py": """\
                import jax
                from haiku._src.base import get_parameter

                @jax.jit
                def linear(x):
                    w = get_parameter("w", (3, 3))
                    if w.shape[0] > 2:
                        return x
                    return x if w.sum() > 0 else -x  # expect: JIT104
                """,
        },
    )
