"""In a branch, the variables of its test have only the values that they can have there."""

from __future__ import annotations

from pathlib import Path

from programs import check


def test_what_a_test_of_type_leaves(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        from settings import flag

        @jax.jit
        def f(x):
            v = 3 if flag() else x
            if isinstance(v, int): x = x + int(v)
            if not isinstance(v, jax.Array): x = x + int(v)
            if type(v) is int: x = x + int(v)
            x = x + int(v) if isinstance(v, (int, float)) else v
            x = x + int(v) if isinstance(v, int | float) else v
            if isinstance(v, int) and v > 2: x = x + 1
            if not isinstance(v, jax.Array) and v > 2: x = x + 1
            if isinstance(v, jax.Array): return int(v)  # expect: JIT301
            return x + int(v)

        @jax.jit
        def tree(x):
            if type(x) is dict: return x if x else 0
            if isinstance(x, tuple): return 1 if x else 0
            if isinstance(x, jax.Array): return 1 if x else 0  # expect: JIT104
            return 1 if x else 0
        """,
    )


def test_what_a_test_of_an_attribute_leaves(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        from settings import flag

        class Holder:
            def __init__(self, x):
                self.v = 3 if flag() else x
                self.w = None if flag() else x

            def total(self):
                if isinstance(self.v, int):
                    return int(self.v)
                if self.w is None:
                    return 0
                return float(self.w)  # expect: JIT301

        @jax.jit
        def h(x):
            return Holder(x).total()
        """,
    )


def test_what_a_function_of_the_project_tells(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        from settings import flag

        def is_number(v):
            return isinstance(v, (int, float))

        @jax.jit
        def f(x):
            v = 3.0 if flag() else x
            if is_number(v):
                return int(v)
            if callable(v) or v is None:
                return v()
            return int(v)  # expect: JIT301
        """,
    )


def test_asking_again_says_nothing(tmp_path: Path) -> None:
    """Narrowing evaluates the test once more, and reports nothing a second time."""
    check(
        tmp_path,
        """\
        import jax
        from settings import flag

        def positive(v):
            if isinstance(v, int):
                return v > 0
            return True if v > 0 else False  # expect: JIT104

        @jax.jit
        def f(x):
            v = 3 if flag() else x
            if positive(v):
                return x
            return positive(x)
        """,
    )


def test_attributes_that_a_value_has(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        import jax.numpy as jnp
        import numpy as np

        class Config:
            rate = 0.1

            def __init__(self):
                self.size = 3

        def shape_of(v):
            return v.shape if hasattr(v, "shape") else np.asarray(v).shape

        def items_of(v):
            return v.items() if hasattr(v, "items") else float(v)  # expect: JIT301

        @jax.jit
        def f(x):
            config = Config()
            if hasattr(config, "size") and hasattr(config, "rate"):
                pass
            elif x > 0:
                pass
            if hasattr(config, "absent") and x > 0:
                pass
            items_of({"a": x})
            shape_of(3)
            items_of(jnp.sin(x))
            return shape_of(jnp.sin(x)), shape_of(x)
        """,
    )


def test_what_another_library_holds_may_be_anything(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        from elsewhere import FAST

        @jax.jit
        def f(x):
            if FAST:
                if x > 0:  # expect: JIT101
                    return x
            else:
                while x > 0:  # expect: JIT102
                    x = x - 1
            activation = jax.nn.relu or x > 0
            return activation(x)
        """,
    )


def test_what_is_asked_for_methods_of_text_is_a_key(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax
        import jax.numpy as jnp

        def merge(tables):
            tables = jax.tree_util.tree_map(lambda leaf: leaf * 2, tables)
            last = tables[-1]
            for name in tables[0]:
                if name.startswith("all_"):
                    last[name] = [table[name] for table in tables]
            return last

        def doubled(tables):
            last = tables[-1]
            for i in range(3):
                last[i] = 0.0  # expect: JIT507
            return last

        merge([jnp.ones(3), jnp.ones(3)])
        doubled([jnp.ones(3), jnp.ones(3)])
        """,
    )


def test_what_tells_of_an_array_is_no_tracer(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        import jax.numpy as jnp

        def is_description(so_far, leaf):
            return so_far and isinstance(leaf, jax.ShapeDtypeStruct)

        def placement(tree):
            if jax.tree.reduce(is_description, tree, True):
                return jax.tree.map(lambda leaf: leaf.sharding, tree)
            return tree

        def place(leaf):
            return leaf.sharding if isinstance(leaf, jax.ShapeDtypeStruct) else leaf.devices()  # expect: JIT308

        @jax.jit
        def several(x):
            return placement({"x": x, "y": jnp.sin(x)})

        @jax.jit
        def one(x):
            return place(x)
        """,
    )


def test_what_is_no_array_is_no_count(tmp_path: Path) -> None:
    """A tracer is a `jax.Array`: past that question, an argument is no tracer, though its parts may be."""
    check(
        tmp_path,
        """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def places(where):
            if isinstance(where, jax.Array):
                return where
            return jnp.arange(where)

        @jax.jit
        def zeros(shape):
            if isinstance(shape, jax.Array):
                return shape
            return jnp.zeros(shape)  # expect: JIT202

        @jax.jit
        def either(where):
            return where if isinstance(where, (int, list)) else jnp.arange(where)  # expect: JIT202
        """,
    )


def test_what_takes_names_is_no_array(tmp_path: Path) -> None:
    """An object out of view may have methods of the same names as arrays, which refuse text in most places."""
    check(
        tmp_path,
        """
        import jax

        @jax.jit
        def chosen(flags, x):
            flags, causal = flags.take("causal")
            if causal:
                return x
            if flags.any("padded") or flags.max("length") > 3:
                return -x
            return x + 1

        @jax.jit
        def converted(x):
            if x.astype("float32"):  # expect: JIT101
                return x
            if x.ravel("F"):  # expect: JIT101
                return x
            if x.take(0):  # expect: JIT101
                return x
            return -x
        """,
    )
