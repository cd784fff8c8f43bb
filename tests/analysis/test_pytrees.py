"""Classes that are pytrees: what of them is traced."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check, findings, write

from jitlint.events.assumption import Confidence


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


def test_the_function_that_says_what_is_a_leaf_runs_on_the_nodes(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        import jax.numpy as jnp
        import jax.tree_util as jtu

        SEEN = {}

        def is_missing(node):
            SEEN["last"] = node  # expect: JIT503
            return node is None

        def is_pair(node):
            return isinstance(node, tuple)

        def is_positive(node):
            return node > 0

        @jax.jit
        def f(x, y):
            first = jtu.tree_map(lambda v: v + 1, x, is_leaf=is_missing)
            pairs = jax.tree.map(lambda pair: pair[0] * pair[1], [(x, 2), (3, y)], is_leaf=is_pair)
            if pairs[0] > 0:  # expect: JIT101
                return first
            leaves = jax.tree.leaves([(x, 2), 3], is_leaf=is_pair)
            if leaves[1] > 3 or len(leaves[0]) != 2:
                return first
            if leaves[0][0] > 0:  # expect: JIT101
                return first
            return jax.tree.map(lambda v: v, x, is_leaf=is_positive)  # expect: JIT110

        f(jnp.ones(()), 2.0)
        """,
    )


def test_what_is_declared_for_subclasses_is_no_field(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import equinox as eqx
        import jax
        import jax.numpy as jnp

        class Path(eqx.Module):
            times: eqx.AbstractVar[jax.Array]
            count: eqx.AbstractVar[int]

        class Line(Path):
            times: jax.Array

            @property
            def count(self):
                return self.times.shape[0]

        @jax.jit
        def f(line):
            if line.count > 2:
                return line.times
            return -line.times if line.times[0] > 0 else line.times  # expect: JIT104

        f(Line(jnp.ones(3)))
        """,
    )


def test_the_initializer_is_no_result_of_a_tree_with_leaves(tmp_path: Path) -> None:
    found = findings(
        write(
            tmp_path,
            """\
            import jax

            @jax.jit
            def size(x):
                total = jax.tree.reduce(lambda so_far, leaf: so_far + leaf.sum(), [x], 0.0)
                return x if total > 0 else -x
            """,
        )
    )
    assert [(finding.code, finding.event.confidence) for finding in found] == [("JIT104", Confidence.CERTAIN)]


def test_a_cached_property_is_computed_anew_within_the_trace(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import functools

        import flax
        import jax
        import jax.numpy as jnp

        @flax.struct.dataclass
        class Rows:
            values: jax.Array
            weights: jax.Array | None

            @functools.cached_property
            def count(self):
                return 0 if self.weights is None else self.weights.shape[0]

            @functools.cached_property
            def total(self):
                return self.values.sum()

            def doubled(self):
                return 2 * self.count

            @property
            @jax.jit
            def padding(self):
                if self.total > 0:  # expect: JIT101
                    return jnp.ones(self.count)
                return jnp.zeros(self.count)

        @jax.jit
        def empty(rows):
            return jnp.zeros(rows.count)

        rows = Rows(jnp.ones(3), jnp.ones(3))
        print(rows.count, rows.doubled())
        empty(rows)
        """,
    )


def test_a_base_out_of_view_may_make_a_class_a_pytree(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        import jax.numpy as jnp
        from treelib import TreeClass

        class Search(TreeClass):
            def __init__(self, rate):
                self.rate = rate
                self.failed = False
                self.rounds = 0
                self.limits = [3, 4]

        class Plain:
            failed = False

        def goes_on(state):
            x, search = state
            return ~(search.failed | (search.rounds > search.limits[0]))

        def stops(x):
            return ~Plain.failed

        def step(state):
            x, search = state
            return x * search.rate, search

        jax.lax.while_loop(goes_on, step, (jnp.ones(3), Search(0.5)))
        jax.lax.while_loop(stops, jnp.sin, jnp.ones(3))  # expect: JIT704
        """,
    )


def test_an_annotation_may_make_a_field_static(tmp_path: Path) -> None:
    """`Static` of jax_dataclasses marks fields, under whatever name it is imported, and for subclasses, too."""
    check(
        tmp_path,
        """
        from __future__ import annotations
        import jax
        import jax.numpy as jnp
        import jax_dataclasses as jdc
        from jax_dataclasses import Static as Fixed

        @jdc.pytree_dataclass
        class Block:
            columns: jdc.Static[int]
            widths: Fixed[tuple[int, ...]]
            values: jax.Array

        @jdc.pytree_dataclass
        class Shifted(Block):
            offset: jax.Array
            wide: Fixed[bool] = False

        @jax.jit
        def dense(block: Block):
            out = jnp.zeros((3, block.columns))
            for width in block.widths:
                out = out.at[:, :width].add(block.values[:, :width])
            if block.values.sum() > 0:  # expect: JIT101
                return out
            return -out

        @jax.jit
        def shifted(block: Shifted):
            if block.wide and block.columns > 2:
                return block.values
            return block.values[: block.offset]  # expect: JIT205
        """,
    )


CLASSES = {
    "a flattening function that has run as plain code before": """
        @jax.tree_util.register_pytree_node_class
        class Cloud:
            def __init__(self, points, label):
                self.points = points
                self.label = label

            def tree_flatten(self):
                return (self.points,), self.label

            @classmethod
            def tree_unflatten(cls, label, children):
                return cls(children[0], label)
    """,
    "children in a dict": """
        @jax.tree_util.register_pytree_node_class
        class Cloud:
            def __init__(self, points, label):
                self.points = points
                self.label = label

            def tree_flatten(self):
                return ({"points": self.points},), {"label": self.label}

            @classmethod
            def tree_unflatten(cls, aux, children):
                return cls(**children[0], **aux)
    """,
    "a list of names": """
        @jax.tree_util.register_pytree_with_keys_class
        class Cloud:
            names = ("points",)

            def __init__(self, points, label="cloud"):
                self.points = points
                self.label = label

            def tree_flatten_with_keys(self):
                key = jax.tree_util.GetAttrKey
                return tuple((key(name), getattr(self, name)) for name in self.names), self.label

            @classmethod
            def tree_unflatten(cls, label, children):
                return cls(*children, label)
    """,
    "the fields of a dataclass": """
        @jax.tree_util.register_pytree_node_class
        @dataclasses.dataclass
        class Cloud:
            points: object
            label: ClassVar[str] = "cloud"

            def tree_flatten(self):
                return [getattr(self, field.name) for field in dataclasses.fields(self)], None

            @classmethod
            def tree_unflatten(cls, aux, children):
                return cls(*children)
    """,
}


@pytest.mark.parametrize("how", CLASSES)
def test_what_a_flattening_function_gives_is_traced_without_a_call(tmp_path: Path, how: str) -> None:
    program = """
        import dataclasses
        from typing import ClassVar
        import jax
        {}
        @jax.jit
        def centered(cloud: Cloud):
            if cloud.label == "empty":
                return None
            if cloud.points > 0:  # expect: JIT101
                return cloud.points
            return -cloud.points
        """
    check(tmp_path, program.format(CLASSES[how]))
