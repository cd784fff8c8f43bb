"""What assertions of Chex say of arrays, and when those about values may be made."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check, write

from jitlint.analysis.api import analyze
from jitlint.project.cache import Cache
from jitlint.project.modules import Project

HEAD = """
import chex
import jax
import jax.numpy as jnp
"""


def revealed(folder: Path, assertion: str) -> str:
    """What is known of `x` after an assertion in a jitted function of `x` and `y`."""
    program = f"{HEAD}\n@jax.jit\ndef f(x, y):\n    {assertion}\n    reveal_stage(x)\n    return x\n"
    (found,) = analyze(Project(write(folder, program), Cache(None))).revealed
    return found.text.partition(" ←")[0]


@pytest.mark.parametrize(
    ("assertion", "known"),
    [
        ("pass", "Traced pytree"),
        ("chex.assert_rank([x], 2)", "Traced array[?,?]"),
        ("chex.assert_rank([y, x], [1, 0])", "Traced array[]"),
        ("chex.assert_rank([x, y], {1, 2})", "Traced array"),
        ("chex.assert_type([x], bool)", "Traced bool[…]"),
        ("chex.assert_type([y, x], ['int32', jnp.floating])", "Traced float[…]"),
        ("chex.assert_shape([x, y], (None, 3))", "Traced array[?,?]"),
        ("chex.assert_shape([x, y], (None, ...))", "Traced array"),
        ("chex.assert_shape([y, x], [(2, 3), ()])", "Traced array[]"),
        ("chex.assert_rank([y], 1); chex.assert_equal_shape([x, y])", "Traced array[?]"),
        ("chex.assert_axis_dimension(x, 0, 4)", "Traced array"),
    ],
)
def test_assertions_feed_rank_and_kind(tmp_path: Path, assertion: str, known: str) -> None:
    assert revealed(tmp_path, assertion) == known


def test_values_are_asserted_under_chexify_only(tmp_path: Path) -> None:
    check(
        tmp_path,
        f"""{HEAD}
def inner(x):
    chex.assert_tree_all_finite(x)
    return x

checked = chex.chexify(jax.jit(inner))

@chex.chexify
@jax.jit
def outer(x):
    return helper(x)

def helper(x):
    chex.assert_trees_all_close(x, x)
    return x

@jax.jit
def unchecked(x):
    chex.assert_trees_all_equal(x, x)  # expect: JIT303
    return x

def eager(x):
    chex.assert_trees_all_equal(x, jnp.ones(2))
""",
    )


def test_every_class_of_an_equinox_module_checks_what_is_made(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import equinox as eqx
        import jax

        class Base(eqx.Module):
            x: jax.Array

            def __check_init__(self):
                assert self.x.ndim == 1
                assert self.x[0] > 0  # expect: JIT103

        class Derived(Base):
            n: int

            def __check_init__(self):
                if self.n > 1 and self.x.sum() > 0:  # expect: JIT101
                    raise ValueError

        @jax.jit
        def make(x):
            return Derived(x, 2).x
        """,
    )
