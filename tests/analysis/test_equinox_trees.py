"""Equinox modules that are taken apart and put together again."""

from __future__ import annotations

from pathlib import Path

from tests.analysis.programs import check

MODULES = """\
import equinox as eqx
import jax
import jax.numpy as jnp


class Scale(eqx.Module):
    weight: jax.Array
    learnable: bool = False

    def __call__(self, x):
        if self.learnable:
            return self.weight * x
        return jax.lax.stop_gradient(self.weight) * x


class Net(eqx.Module):
    scale: Scale
    depth: int

    def __call__(self, x):
        for _ in range(self.depth):
            x = self.scale(x)
        if self.scale.weight.sum() > 0:  # expect: JIT101
            return x
        return -x
"""

COMBINED = """
def scan(net: Net, x):
    params, static = eqx.partition(net, eqx.is_inexact_array)

    def body(carry, _):
        return carry, eqx.combine(carry, static)(x)

    return jax.lax.scan(body, params, length=3)


@jax.jit
def loss(params, x):
    return eqx.combine(params, STATIC)(x).sum()


PARAMS, STATIC = eqx.partition(Net(Scale(jnp.ones(3), True), 2), eqx.is_array)
loss(PARAMS, jnp.ones(3))
"""


def test_combined_modules_have_their_numbers_and_flags_again(tmp_path: Path) -> None:
    check(tmp_path, MODULES + COMBINED)


REPLACED = """\
import equinox as eqx
import jax
import jax.numpy as jnp


class Part(eqx.Module):
    rate: float | None

    def __call__(self, x):
        return x[: int(3 * self.rate)]  # expect: JIT301


class Net(eqx.Module):
    part: Part
    width: int = 2


@eqx.filter_jit
def run(net, x):
    return net.part(x) * jnp.ones(net.width)


net = Net(Part(1.0))
run(net, jnp.ones(3))
run(eqx.tree_at(lambda n: n.width, net, 3), jnp.ones(3))
run(eqx.tree_at(lambda n: n.part.rate, net, jnp.asarray(0.5)), jnp.ones(3))
"""


def test_a_field_that_is_replaced_by_an_array_is_traced(tmp_path: Path) -> None:
    check(tmp_path, REPLACED)
