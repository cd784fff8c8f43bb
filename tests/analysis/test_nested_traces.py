"""Traces in traces: what an inner transform gives is traced where what it depends on is."""

from __future__ import annotations

from pathlib import Path

from programs import check, findings, write

from jitlint.events.assumption import Confidence
from jitlint.pipeline import find

PRELUDE = """\
import jax
import jax.numpy as jnp
from jax import lax

"""


def test_results_of_transforms_under_vmap(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
@jax.jit
def double(x):
    return x * 2

@jax.vmap
def loops(x):
    y = lax.fori_loop(0, 3, lambda i, c: c + 1, x)
    if y > 0: return x  # expect: JIT101
    z = lax.scan(lambda c, u: (c + x, u), 0.0, jnp.ones(3))[0]
    if z > 0: return x  # expect: JIT101
    return y

@jax.vmap
def jitted(x):
    y = double(x)
    if y > 0: return x  # expect: JIT101
    return y

@jax.vmap
def differentiated(x):
    y, t = jax.value_and_grad(lambda v: v * v)(x)
    if y > 0: return x  # expect: JIT101
    if t > 0: return x  # expect: JIT101
    u = jax.grad(lambda v: v * x)(2.0)
    return float(u)  # expect: JIT301

@jax.vmap
def chosen(x):
    return float(lax.cond(x > 0, lambda: 1.0, lambda: 0.0))  # expect: JIT301
""",
    )


def test_results_that_depend_on_nothing_traced(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
@jax.vmap
def f(x):
    n = lax.fori_loop(0, 3, lambda i, c: c + 1, 0)
    if n > 2: return x
    t = jax.jit(lambda: jnp.arange(3).sum())()
    return x * int(t)

def g(x):
    y = jax.jit(lambda v: v * v)(x)
    return y if y > 0 else -y

jax.grad(g)(2.0)
""",
    )


def test_what_takes_a_tracer_for_an_index_is_traced(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
def look_up(table, i):
    row = table[:, i]
    if row.sum() > 0: return row  # expect: JIT101
    return -row

def all_of(table, indices):
    return jax.vmap(look_up, in_axes=(None, 0))(table, indices)
""",
    )


def test_what_eager_differentiation_cannot_give(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
import math
import numpy as np

@jax.grad
def f(x):
    y = x * 2
    if y > 0 and int(y) > 1: y = y + y.item()
    y = y + np.log(y)  # expect: JIT303
    y = y + math.exp(y)  # expect: JIT304
    name = f"{y:.3f}"  # expect: JIT307
    return y * float(x)  # expect: JIT301
""",
    )


def test_what_differentiation_inside_of_a_trace_keeps(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
@jax.jit
def trained(weights, xs):
    losses = []
    scales = []
    def loss(weights):
        scales.append(jnp.max(xs))
        value = jnp.sum((weights - xs) ** 2) / scales[-1]
        losses.append(value)  # expect: JIT503
        return value
    slope = jax.grad(loss)(weights)
    return weights - slope, [jnp.sqrt(value) for value in losses], scales

@jax.jit
def scanned(weights, xs):
    scales = []
    def body(carry, x):
        scales.append(jnp.max(weights))  # expect: JIT503
        return carry + x * scales[-1], None
    return lax.scan(body, 0.0, xs)[0] + scales[0]
""",
    )


def test_what_eager_differentiation_keeps_in_an_object_is_possibly_read_later(tmp_path: Path) -> None:
    sources = write(
        tmp_path,
        """
        import jax
        import jax.numpy as jnp

        class Beam:
            def load(self, forces):
                self.forces = forces

            def energy(self):
                return jnp.sum(self.forces ** 2)

        beam = Beam()

        def cost(forces):
            beam.load(forces)
            return beam.energy()

        jax.grad(cost)(jnp.ones(3))
        """,
    )
    assert findings(sources) == []
    (finding,) = find(sources).findings
    assert (finding.code, finding.event.confidence) == ("JIT503", Confidence.POSSIBLE)
