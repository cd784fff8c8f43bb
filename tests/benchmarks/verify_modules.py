"""Modules to verify, and the loops to compare with: what fails while JAX traces it, and what compiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HEADER = """import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

"""


@dataclass(frozen=True, slots=True)
class Function:
    """What to call, with which arguments, and the text that defines it; `{i}` stands for a number."""

    name: str
    arguments: str
    text: str


FAILING = (
    Function(
        "branches_{i}",
        "jnp.ones(3), 1.0",
        """
@jax.jit
def branches_{i}(x, limit):
    if jnp.sum(x) > limit:
        return x * {i}
    return -x if limit < 0 else x
""",
    ),
    Function(
        "loop_{i}",
        "1.0",
        """
@jax.jit
def loop_{i}(x):
    while x < {i} + 1.0:
        x = x * 2
    return x
""",
    ),
    Function(
        "counted_{i}",
        "jnp.ones(3), 4",
        """
@jax.jit
def counted_{i}(x, steps):
    for step in range(steps):
        x = x + step * {i}
    return x
""",
    ),
    Function(
        "checked_{i}",
        '{"w1": jnp.ones((3, 4)), "b1": 1.0, "w2": jnp.ones((4, 2)), "b2": 1.0}, (jnp.ones((5, 3)), 1.0)',
        """
@jax.jit
def checked_{i}(params, batch):
    images, labels = batch
    hidden = jax.nn.relu(images @ params["w1"] + params["b1"])
    logits = hidden @ params["w2"] + params["b2"]
    assert jnp.all(logits > {i})
    return jnp.mean((logits - labels) ** 2)
""",
    ),
    Function(
        "normalized_{i}",
        "jnp.ones(3)",
        """
def scaled_{i}(x):
    return x / float(jnp.max(x) + {i})


@jax.jit
def normalized_{i}(x):
    return scaled_{i}(x) - 1
""",
    ),
    Function(
        "positive_{i}",
        "jnp.ones(3)",
        """
@jax.jit
def positive_{i}(x):
    return x[x > {i}]
""",
    ),
    Function(
        "zeros_{i}",
        "1.0, 3",
        """
@jax.jit
def zeros_{i}(x, n):
    return jnp.zeros(n + {i}) + x
""",
    ),
    Function(
        "flattened_{i}",
        "jnp.ones((2, 3))",
        """
@jax.jit
def flattened_{i}(x):
    size = jnp.prod(jnp.array(x.shape))
    return x.reshape(size) * {i}
""",
    ),
    Function(
        "head_{i}",
        "jnp.ones(3), 2",
        """
@jax.jit
def head_{i}(x, n):
    return x[: n + {i}]
""",
    ),
    Function(
        "logged_{i}",
        "jnp.ones(3)",
        """
@jax.jit
def logged_{i}(x):
    print(float(x.max()))
    scale = math.log(jnp.sum(x) + {i})
    return jnp.where(x > scale, x, 0)[x > 0]
""",
    ),
    Function(
        "on_host_{i}",
        "jnp.ones(3)",
        """
@jax.jit
def on_host_{i}(x):
    return np.linalg.norm(x) * {i}
""",
    ),
    Function(
        "item_{i}",
        "jnp.ones(3)",
        """
@jax.jit
def item_{i}(x):
    total = x.sum() + {i}
    return total.item()
""",
    ),
    Function(
        "Model_{i}(2.0).forward",
        "jnp.ones(3)",
        """
class Model_{i}:
    def __init__(self, width):
        self.width = width

    @partial(jax.jit, static_argnums=0)
    def forward(self, x):
        if x.mean() > {i}:
            return x * self.width
        return x
""",
    ),
    Function(
        "either_{i}",
        "1.0, 2.0",
        """
@jax.jit
def either_{i}(a, b):
    return a if a > b + {i} else b
""",
    ),
    Function(
        "scanned_{i}",
        "jnp.ones(3)",
        """
def body_{i}(carry, x):
    if carry > {i}:
        carry = carry - x
    return carry + x, x


def scanned_{i}(xs):
    return jax.lax.scan(body_{i}, 0.0, xs)
""",
    ),
    Function(
        "where_{i}",
        "jnp.ones(3)",
        """
@jax.jit
def where_{i}(x):
    return jnp.nonzero(x > {i})[0]
""",
    ),
    Function(
        "looked_up_{i}",
        "1",
        """
TABLE_{i} = [1.0, 2.0, {i}.0]


@jax.jit
def looked_up_{i}(index):
    return TABLE_{i}[index]
""",
    ),
    Function(
        "moded_{i}",
        "jnp.ones(3), 2.0",
        """
@partial(jax.jit, static_argnames="mode")
def moded_{i}(x, scale, mode="sum"):
    if mode == "sum":
        x = x + {i}
    return x * int(scale)
""",
    ),
    Function(
        "update_{i}",
        "jnp.ones(3), jnp.ones(3)",
        """
def clipped_{i}(gradient, limit):
    norm = jnp.linalg.norm(gradient)
    return gradient * (limit / norm if norm > limit else {i}.0)


def update_{i}(weights, gradient):
    return weights - 0.1 * clipped_{i}(gradient, 1.0)


fast_update_{i} = jax.jit(update_{i})
""",
    ),
    Function(
        "largest_{i}",
        "1.0, 2.0, 3.0",
        """
@jax.jit
def largest_{i}(a, b, c):
    return max(a, b * {i}, c)
""",
    ),
)
"""Conditions, loops, sizes, masks and conversions to the host, in functions, helpers, methods and control-flow bodies:
one finding each."""

SOUND = (
    Function(
        "predicted_{i}",
        '{"w": jnp.ones((8, 4)), "b": jnp.ones(4)}, jnp.ones((16, 8))',
        """
@jax.jit  # jitlint: inputs(weights={"w": f32[8,4], "b": f32[4]}, features=f32[16,8])
def predicted_{i}(weights, features):
    return jax.nn.softmax(features @ weights["w"] + weights["b"] * {i})
""",
    ),
    Function(
        "updated_{i}",
        "jnp.ones((8, 4)), jnp.ones((16, 8)), jnp.ones((16, 4))",
        """
def loss_{i}(weights, features, targets):
    return jnp.mean((jnp.tanh(features @ weights) - targets) ** 2) + {i}


@jax.jit  # jitlint: inputs(weights=f32[8,4], features=f32[16,8], targets=f32[16,4])
def updated_{i}(weights, features, targets):
    value, gradient = jax.value_and_grad(loss_{i})(weights, features, targets)
    return weights - 0.1 * gradient, value
""",
    ),
    Function(
        "scanned_{i}",
        "jnp.ones((32, 3))",
        """
@jax.jit  # jitlint: inputs(xs=f32[32,3])
def scanned_{i}(xs):
    def step(carry, x):
        return carry * 0.9 + x, carry.sum()

    return jax.lax.scan(step, jnp.full(3, {i}.0), xs)
""",
    ),
    Function(
        "searched_{i}",
        "jnp.ones(16)",
        """
@jax.jit  # jitlint: inputs(x=f32[16])
def searched_{i}(x):
    return jax.lax.while_loop(lambda s: jnp.sum(s) > {i}, lambda s: s / 2, jnp.sort(x))
""",
    ),
    Function(
        "normalized_{i}",
        "jnp.ones((4, 16))",
        """
@jax.jit  # jitlint: inputs(rows=f32[4,16])
def normalized_{i}(rows):
    return jax.vmap(lambda row: (row - row.mean()) / (row.std() + {i}))(rows)
""",
    ),
)
"""Layers, a training step, loops and a batched function: each an entry point that compiles, its inputs declared."""


def module(functions: Sequence[Function], count: int) -> str:
    """The text of a module with so many functions, made from these in turn."""
    return HEADER + "\n".join(_numbered(functions[at % len(functions)].text, at) for at in range(count))


def loop(functions: Sequence[Function], count: int, name: str) -> str:
    """The text of a program that traces, lowers and compiles the functions of the module `name`, and nothing else."""
    calls = [(functions[at % len(functions)], at) for at in range(count)]
    pairs = [_numbered(f"    ({name}.{one.name}, ({one.arguments},)),\n", at) for one, at in calls]
    return (
        f"import jax\nimport jax.numpy as jnp\n\nimport {name}\n\nCALLS = [\n{''.join(pairs)}]\n"
        "for function, arguments in CALLS:\n"
        "    try:\n"
        "        jax.jit(function).lower(*arguments).compile()\n"
        "    except (TypeError, IndexError) as error:\n"  # what JAX raises for tracers is one or the other
        "        print(function, error)\n"
    )


def _numbered(text: str, at: int) -> str:
    return text.replace("{i}", str(at + 1))
