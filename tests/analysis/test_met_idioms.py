"""Idioms that were met in public code: what must be found in them, and what must not."""

from __future__ import annotations

from pathlib import Path

from tests.analysis.programs import check

REFUSED = """\
import jax


def gate(level, x, *, strict=False):
    if level > 0:
        return x
    return -x


@jax.jit
def too_many(x):
    return gate(x, x, x)


@jax.jit
def no_such_name(x):
    return gate(x, x, loose=True)
"""


def test_what_python_refuses_to_call_does_not_run(tmp_path: Path) -> None:
    check(tmp_path, REFUSED)


KERNEL = """\
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, y_ref, z_ref):
    y_ref[...] = x_ref[...]
    z_ref[...] = x_ref[...]


@jax.jit
def run(x, fast):
    shape = jax.ShapeDtypeStruct((8,), jnp.float32)
    both = pl.pallas_call(kernel, out_shape=[shape, shape])
    return jax.lax.cond(fast, lambda x: both(x), lambda x: (x, x), x)
"""


def test_a_kernel_with_a_list_of_results_returns_a_tuple(tmp_path: Path) -> None:
    check(tmp_path, KERNEL)


DONATED = """\
import jax
from models import load

apply, parameters = load()
infer = jax.jit(apply, donate_argnums=0)


def main(tokens):
    first = infer(parameters, tokens)
    return first, infer(parameters, tokens)
"""


def test_what_a_function_out_of_view_returns_may_not_take_a_donated_buffer(tmp_path: Path) -> None:
    check(tmp_path, DONATED)


COMPARED = """\
import jax


@jax.jit
def least(x):
    return min(x[0], x[1])  # expect: JIT110


@jax.jit
def ordered(x):
    return sorted([x[0], x[1]])  # expect: JIT110
"""


def test_what_is_compared_is_no_container(tmp_path: Path) -> None:
    check(tmp_path, COMPARED)


UPDATES = """\
import jax
from flax import struct


@struct.dataclass
class Buffer:
    data: jax.Array
    count: int

    def push(self, x):
        \"\"\"Adds an element.\"\"\"
        at = self.count % 3
        return self.replace(data=self.data.at[at].set(x), count=self.count + 1)

    def grown(self, x):
        log.append(x)
        return self.replace(count=x)


log = []


def put(x, i):
    return x.at[i].set(0.0)


@jax.jit
def run(buffer: Buffer, x):
    buffer.push(x)  # expect: JIT510
    put(x, 0)  # expect: JIT510
    x = put(x, 1)
    return buffer.push(x)


def keep(buffer: Buffer):
    buffer.grown(1)
"""


def test_a_changed_copy_that_a_function_returns_is_taken(tmp_path: Path) -> None:
    check(tmp_path, UPDATES)


IMPORTED_TWICE = """\
import jax
import jax.numpy as np


def size(x, scaled=False):
    if scaled:
        x = np.concatenate([x, x])
    return np.sum(x)


jitted = jax.jit(size, static_argnums=1)
jitted(np.ones(3))

import numpy as np


@jax.jit
def norm(x):
    return np.linalg.norm(x)  # expect: JIT303


norm(1.0)
"""


def test_a_name_of_two_libraries_is_the_one_that_is_imported_before_a_function(tmp_path: Path) -> None:
    check(tmp_path, IMPORTED_TWICE)


UNJITTED = """\
import jax
import jax.numpy as jnp


@jax.jit
def checked(x):
    if jax.config.jax_disable_jit:
        assert not jnp.any(jnp.isnan(x))
    return x


@jax.jit
def branched(x):
    if not jax.config.jax_disable_jit and x > 0:  # expect: JIT101
        return x
    return -x
"""


def test_what_runs_while_jit_is_disabled_is_not_traced(tmp_path: Path) -> None:
    check(tmp_path, UNJITTED)


RANGES = """\
import jax
import jax.numpy as jnp
import numpy as np

low, high, step = 32, 512, 0.25


def pick(x, times):
    return jax.lax.cond(x > 1.0, lambda t: 0.5, lambda t: t[0], times)


@jax.jit
def fine(x):
    return pick(x, jnp.arange(low, high, step)) + pick(x, jnp.arange(0, 5.0)) + pick(x, np.arange(low, high, step))


@jax.jit
def wrong(x):
    return jax.lax.cond(x > 1.0, lambda t: 0.5, lambda t: t[0], jnp.arange(low, high))  # expect: JIT703


@jax.jit
def typed(x):
    return jax.lax.cond(x > 1.0, lambda t: 0.5, lambda t: t[0], jnp.arange(low, high, dtype=jnp.float32))


fine(1.0), wrong(1.0), typed(1.0)
"""


def test_a_range_with_a_float_holds_floats(tmp_path: Path) -> None:
    check(tmp_path, RANGES)


GROWN = """\
from functools import partial

import jax
import jax.numpy as jnp


def move(i, state, scale, bias, shift):
    return scale * state + bias + shift


class Engine:
    def body(self):
        return partial(move, scale=2.0)


class Biased(Engine):
    def body(self):
        body = super().body()
        body.keywords["bias"] = 1.0
        body.keywords["shift"] = 0.5
        return body

    def run(self, state):
        return jax.lax.fori_loop(0, 3, self.body(), state)


class Plain(Engine):
    def run(self, state):
        return jax.lax.fori_loop(0, 3, self.body(), state)  # expect: JIT710


Biased().run(jnp.ones(3)), Plain().run(jnp.ones(3))
"""


def test_what_a_partial_binds_may_grow(tmp_path: Path) -> None:
    check(tmp_path, GROWN)


MARKS = """\
import jax
import jax.numpy as jnp


class Mark:
    def __init__(self, name):
        self.name = name


def marks(tree):
    found = set()
    for leaf in jax.tree.leaves(tree, is_leaf=lambda node: isinstance(node, Mark)):
        if isinstance(leaf, Mark):
            found.add(leaf)
    return found


def members(tree):
    found = set()
    for leaf in jax.tree.leaves(tree):
        found.add(leaf)  # expect: JIT306
    return found


@jax.jit
def count(x):
    return len(marks((jnp.mean(x), x))) + len(members((jnp.mean(x), x)))


count(jnp.ones(3))
"""


def test_what_is_of_a_class_of_the_project_is_no_tracer(tmp_path: Path) -> None:
    check(tmp_path, MARKS)


FALLBACKS = """\
import jax
import jax.numpy as jnp


def shape_of(function, arrays, *rest, **named):
    def run(arrays):
        return function(*[arrays.get(i, value) for i, value in enumerate(rest)], **named)

    return jax.eval_shape(run, {i: jnp.zeros(3) for i in arrays})


def layer(x, activations=(), normalized=False):
    if activations and len(activations) > 1:
        return x
    return 2 * x if normalized else x


def main(places):
    return shape_of(layer, places, jnp.ones(3), [jnp.tanh], False)


main(range(1))
"""


def test_what_a_dict_gives_or_a_fallback_is_known_to_the_code(tmp_path: Path) -> None:
    check(tmp_path, FALLBACKS)
