"""Classes that are pytrees: what of them is traced."""

from __future__ import annotations

from pathlib import Path

from programs import check


def test_static_data_of_registered_classes(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        import jax.numpy as jnp

        @jax.tree_util.register_pytree_node_class
        class A:
            def __init__(self, x, n):
                self.x = x
                self.n = n

            def tree_flatten(self):
                return (self.x,), (self.n,)

            @classmethod
            def tree_unflatten(cls, aux, children):
                return cls(*children, *aux)

        class B:
            def __init__(self, x, n):
                self.x = x
                self.n = n

        def flatten(b):
            children = [b.x]
            return children, {"n": b.n}

        jax.tree_util.register_pytree_node(B, flatten, lambda aux, children: B(children[0], aux["n"]))

        @jax.jit
        def f(o):
            if o.x > 2: return o.x  # expect: JIT101
            if o.n > 2: return jnp.ones(o.n)
            return o.x

        f(A(jnp.ones(()), 3))
        f(B(jnp.ones(()), 3))
        """,
    )
