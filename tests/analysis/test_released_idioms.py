"""What released libraries do, and JAX is fine with."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check

PROGRAMS = {
    "warnings about what is known while tracing": """
        import warnings
        import jax

        def check(n):
            if n % 2 == 0:
                return
            warnings.warn("odd")

        def deprecated():
            warnings.warn("old")

        @jax.jit
        def f(x, flag=None):
            check(x.shape[0])
            if x.ndim > 1:
                warnings.warn("many axes")
                deprecated()
            warnings.warn(f"always {x}")  # expect: JIT504
            return x
    """,
    "references of a kernel": """
        import jax
        import jax.numpy as jnp
        from jax.experimental import pallas as pl

        def kernel(x_ref, count_ref, o_ref):
            count_ref[0] = 1
            if x_ref[0] > 0:  # expect: JIT101
                o_ref[...] = x_ref[...]
            o_ref[...] = x_ref[...] * 2

        @jax.jit
        def run(x):
            out = jax.ShapeDtypeStruct(x.shape, x.dtype)
            return pl.pallas_call(kernel, out_shape=out)(x, jnp.zeros((1,), jnp.int32))

        run(jnp.ones(8))
    """,
    "a frozenset is static": """
        import functools
        import jax
        import jax.numpy as jnp

        @functools.partial(jax.jit, static_argnames="functions")
        def g(x, functions):
            for i, f in functions:
                x = f(x)
            return x

        def h(x, functions):
            g(x, functions=frozenset(functions.items()))
            return g(x, functions=set(functions.items()))  # expect: JIT403

        h(jnp.ones(2), {0: jnp.sin})
    """,
    "types that a tracer is no instance of": """
        from collections.abc import Mapping
        import jax
        import numpy as np

        @jax.jit
        def f(x):
            y = jax.numpy.sin(x)
            if isinstance(y, Mapping) and "mask" in y:
                return y["mask"]
            if isinstance(y, (int, (np.integer, type))):
                return y if y > 0 else -y
            equal = y == x
            if isinstance(equal, bool | np.ndarray):
                if equal: return y
            if isinstance(equal, jax.Array | np.ndarray):
                if equal: return y  # expect: JIT101
            return y
    """,
    "attributes that a tracer lacks": """
        import jax

        @jax.jit
        def f(x):
            if hasattr(x, "block_until_ready"):
                x.block_until_ready()
            if getattr(x, "sharding", None) is None:
                return x
            return x.sharding

        @jax.jit
        def g(x):
            y = x + 1
            if hasattr(y, "block_until_ready"):
                y.block_until_ready()
            if getattr(y, "sharding", None) is None:
                return y
            return y.sharding
    """,
    "what a static argument would have been": """
        import functools
        import jax

        @functools.partial(jax.jit, static_argnames="eps")
        def inner(x, eps):
            if eps > 1: return x
            return x + 1

        @jax.jit
        def outer(x, eps):
            return inner(x, eps=eps)  # expect: JIT403
    """,
    "decorators of the project's own that make pytrees": """
        import dataclasses
        import jax
        import jax.numpy as jnp

        def dataclass(cls):
            data = dataclasses.dataclass(frozen=True)(cls)
            names = [field.name for field in dataclasses.fields(data)]

            def flatten(x):
                return tuple(getattr(x, name) for name in names), None

            jax.tree_util.register_pytree_node(data, flatten, lambda _, children: data(*children))
            return data

        def registered(**options):
            def wrap(cls):
                cls = dataclasses.dataclass(cls, **options)
                return jax.tree_util.register_dataclass(cls, ["x"], ["n"])
            return wrap

        @dataclass
        class State:
            x: jax.Array

        @registered(frozen=True)
        class Other:
            x: jax.Array
            n: int

        @dataclasses.dataclass
        class Plain:
            x: int

        @jax.jit
        def f(s):
            return s.x * 2

        f(State(jnp.ones(2)))
        f(Other(jnp.ones(2), 3))
        f(Plain(3))  # expect: JIT604
    """,
    "what comes after an error that is caught": """
        import jax
        import jax.numpy as jnp
        import numpy as np

        def host(x):
            try:
                y = np.asarray(x)
            except TypeError:
                return jnp.sum(x)
            return float(np.max(y))

        def maybe(x, flag):
            try:
                if flag:
                    y = np.asarray(x)
                else:
                    y = x
            except TypeError:
                y = x
            return float(y)  # expect: JIT301

        @jax.jit
        def f(x):
            y = x + 1
            return host(y)

        @jax.jit
        def g(x, flag=None):
            return maybe(x + 1, flag)
    """,
    "what is computed once for an instance": """
        import functools
        import jax
        import jax.numpy as jnp

        class Spec:
            def __init__(self, low, high):
                self.low, self.high = jnp.asarray(low), jnp.asarray(high)
                if jnp.any(self.low > self.high):
                    raise ValueError

        class Env:
            def __init__(self):
                self.spec

            @functools.cached_property
            def spec(self):
                return Spec(0.0, 1.0)

        env = Env()

        @jax.jit
        def f(x):
            return env.spec.high * x

        f(jnp.ones(2))
    """,
    "lists of arrays": """
        import jax
        import jax.numpy as jnp

        def f(x):
            parts = jnp.split(x, 3)
            for i in range(1, 3):
                parts[i] -= i
            parts[0][0] = 1  # expect: JIT507
            return parts

        f(jnp.ones(6))
    """,
    "devices map over the leading axis": """
        import jax
        import jax.numpy as jnp

        def step(state, key):
            return (key, state[1] + 1), None

        @jax.pmap
        def epoch(state):
            keys = jax.random.split(state[0], 4).reshape((4, -1))
            return jax.lax.scan(step, state, keys)

        def run():
            return epoch((jnp.zeros((1, 2), dtype="uint32"), jnp.zeros(1)))
    """,
    "lengths and paddings known to JAX": """
        import jax
        import jax.numpy as jnp
        import numpy as np

        @jax.jit
        def f(x):
            counts = jnp.sum(x > 0)
            y = x.repeat(x.astype(int), total_repeat_length=3)
            y = x.repeat(x.astype(int))  # expect: JIT202
            pads = jax.lax.padtype_to_pads(x.shape, (2,), (1,), "SAME")
            y = jnp.pad(x, pads)
            shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
            return jax.lax.switch(index=counts, branches=(lambda a: a, lambda a: -a), operand=y)
    """,
    "methods whose static arguments are only known at run time": """
        import jax

        def staged(method, numbers):
            def decorated(instance, *args):
                return jax.jit(method, static_argnums=numbers(instance))(instance, *args)
            return decorated

        def step(self, x, flag):
            if flag:
                return x
            return x + 1

        decorated = staged(step, lambda instance: (0, 2))

        def run(solver, x):
            return decorated(solver, x, True)
    """,
    "eager control flow that callers trace": """
        import jax
        import jax.numpy as jnp

        def clip(x):
            return jax.lax.cond(jnp.any(x > 1), lambda: x / 2, lambda: x)

        def layers(x, n):
            for i in range(n):
                x = jax.lax.cond(jnp.any(x > 1), lambda: x / 2, lambda: x)
                x = clip(x)
            return x

        def train(x):
            for i in range(100):
                x, _ = jax.lax.scan(lambda c, _: (c + i, None), x, None, length=3)  # expect: JIT401
            return x
    """,
    "host data of a pytree whose functions say what is a leaf": """
        import jax
        import jax.numpy as jnp

        @jax.tree_util.register_pytree_node_class
        class Normal:
            def __init__(self, loc):
                self.loc = loc
                self.batch_shape = jnp.shape(loc)
                self.names = ["loc"]

            def tree_flatten(self):
                leaves, treedef = jax.tree_util.tree_flatten(vars(self))
                arrays = [isinstance(leaf, jax.Array) for leaf in leaves]
                children = [leaf if array else None for leaf, array in zip(leaves, arrays)]
                rest = tuple(None if array else leaf for leaf, array in zip(leaves, arrays))
                return children, (rest, tuple(arrays), treedef)

            @classmethod
            def tree_unflatten(cls, aux, children):
                rest, arrays, treedef = aux
                leaves = [c if array else r for c, r, array in zip(children, rest, arrays)]
                made = object.__new__(cls)
                made.__dict__.update(jax.tree_util.tree_unflatten(treedef, leaves))
                return made

        @jax.jit
        def f(d):
            if d.loc.sum() > 0:  # expect: JIT101
                return d.loc
            return jnp.broadcast_to(d.loc, (2, *d.batch_shape))

        f(Normal(jnp.ones(3)))
    """,
    "static arguments among the rest": """
        import functools
        import jax

        def staged(method, numbers):
            @functools.wraps(method)
            def wrapped(instance, *args):
                return method(instance, *args)
            return jax.jit(wrapped, static_argnums=numbers)

        class Solver:
            def _step(self, x, flag):
                if flag: return x
                return x + 1
            step = staged(_step, (0, 2))

        Solver().step(1.0, True)
    """,
    "dictionaries walked down": """
        import jax.numpy as jnp

        def unflatten(pairs):
            params = {"params": {}}
            for key, value in pairs:
                parts = key.split("/")
                d = params["params"]
                for part in parts[:-1]:
                    if part not in d:
                        d[part] = {}
                    d = d[part]
                d[parts[-1]] = jnp.array(value)
            return params

        unflatten([("a/b", 1), ("a/c", 2)])
    """,
    "what pytrees keep as metadata": """
        import dataclasses
        import jax
        import jax.numpy as jnp
        from flax import struct

        @struct.dataclass
        class State:
            x: jax.Array
            n: int = dataclasses.field(metadata={"pytree_node": False})
            m: int = dataclasses.field(metadata={"pytree_node": True})

        @jax.jit
        def f(s):
            if s.n > 2: return s.x
            if s.m > 2: return s.x  # expect: JIT101
            return jnp.ones(s.n)
    """,
    "lists of NumPy or of JAX": """
        import jax.numpy as jnp
        import numpy as np

        def unbatch(x, use_numpy):
            module = np if use_numpy else jnp
            parts = module.split(x, 2)
            for i in range(2):
                parts[i] -= i
            return parts

        unbatch(jnp.ones(4), False)
        unbatch(jnp.ones(4), True)
    """,
    "one of several arguments is a container or nothing": """
        import jax
        import jax.numpy as jnp

        def clip(x, limit):
            if limit:
                x = jnp.clip(x, *limit)
            return x

        def parts(x, limit):
            return x, limit

        def run(x, limit):
            return jax.vmap(clip)(*parts(x, limit))

        def run_any(x, given):
            return jax.vmap(clip)(x, *given)

        run(jnp.ones(2), None)
    """,
    "attributes of modules, set inside and outside": """
        import flax.linen as nn
        import jax
        import jax.numpy as jnp

        class Layer(nn.Module):
            size: int

            @nn.compact
            def __call__(self, x):
                self.last = x  # expect: JIT508
                return nn.Dense(self.size)(x)

        def build():
            layer = Layer(3)
            layer.apply = jax.jit(layer.apply)
            layer.note = "compiled"
            return layer

        build()
    """,
    "an object for nothing given": """
        import jax
        import numpy as np

        MISSING = object()

        @jax.jit
        def f(x, state=MISSING):
            if state == MISSING:
                state = x
            return x + state

        f(1.0, 2.0)
    """,
    "ranks of nested lists whose dtype is given": """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def f(x):
            both = jax.lax.cond(x > 0, lambda: jnp.zeros(2), lambda: jnp.float32([-1, 1]) * x)
            rows = jax.lax.cond(x > 0, lambda: jnp.zeros((2, 1)), lambda: jnp.array([[1], [2]], dtype=jnp.float32))
            return jax.lax.cond(x > 0, lambda: both, lambda: jnp.float32(1))  # expect: JIT703

        f(1.0)
    """,
    "what is differentiated is told by a list": """
        import jax
        import jax.numpy as jnp

        def loss(a, b, activation):
            return activation(a * b)

        @jax.jit
        def f(x, y):
            first, second = jax.grad(loss, argnums=[0, 1])(x, y, jnp.sin)
            return first, second, jax.grad(loss, argnums=[0, 2])(x, y, jnp.sin)  # expect: JIT604

        f(1.0, 2.0)
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(tmp_path: Path, name: str) -> None:
    check(tmp_path, PROGRAMS[name])


def test_submodule_under_a_deleted_name(tmp_path: Path) -> None:
    check(
        tmp_path,
        {
            "pkg/__init__.py": "from pkg import user\nfrom pkg import types\nScalar = types.Scalar\ndel types\n",
            "pkg/types.py": "Scalar = (float, int)\n",
            "pkg/user.py": """
                import jax
                from pkg import types

                @jax.jit
                def f(x):
                    y = x + 1
                    if isinstance(y, types.Scalar) and y == 1.0:
                        return y
                    if y == 1.0:  # expect: JIT101
                        return y
                    return y
            """,
        },
    )
