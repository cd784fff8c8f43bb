"""Objects that callers out of view bring: what their methods and attributes are taken for."""

from __future__ import annotations

from pathlib import Path

from programs import check

PRELUDE = """\
import jax
import jax.numpy as jnp
import numpy as np
from functools import partial

"""


def test_a_method_that_one_class_has(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
class Client:
    def local_training(self, w, epochs):
        step = jax.jit(lambda v: v * 2)  # expect: JIT402
        for _ in range(epochs):
            w = step(w)
        return w

class Server:
    def __init__(self, clients):
        self.clients = clients

    def round(self, w):
        return [c.local_training(w, 3) for c in self.clients]

class Simulator:
    @partial(jax.jit, static_argnums=(0, 1))
    def paths(self, steps, key):
        return key * steps

def calibrate(sim, key):
    for steps in jnp.linspace(0.1, 0.5, 4):
        sim.paths(steps, key)  # expect: JIT403
""",
    )


def test_methods_that_say_nothing(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
class A:
    def update(self, x):
        return float(x)

class B:
    def weigh(self, x, y):
        return float(x) + float(y)

@jax.jit
def by_a_common_name(x):
    return x

def drive(x, a):
    return jax.jit(lambda v: a.update(v))(x)

def another_signature(x, b):
    return jax.jit(lambda v: b.weigh(v))(x)
""",
    )


def test_children_as_the_flattening_function_says(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
class Graph:
    def __init__(self, nodes, ids, kind):
        self.nodes = nodes
        self.ids = ids
        self.kind = kind

jax.tree_util.register_pytree_node(
    Graph, lambda g: ((g.nodes, g.ids), g.kind), lambda kind, c: Graph(*c, kind)
)

@jax.jit
def pool(params, graph):
    graph = Graph(graph.nodes @ params, graph.ids, graph.kind)
    n = graph.ids.max() + 1
    if graph.kind == "sum" or graph.kind > 2:
        n = n + 1
    return jax.ops.segment_sum(graph.nodes, graph.ids, num_segments=n)  # expect: JIT202
""",
    )


def test_trees_that_are_copied_and_replaced(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
@jax.jit
def f(tree, state, other):
    tree = dict(tree)
    if tree["a"] > 0: return 1  # expect: JIT101
    for k in other:
        if k in tree:
            tree[k] = tree[k] + other[k]
    state = state.apply_gradients(grads=other)
    if state.step % 10 == 0: return 2  # expect: JIT101
    return tree
""",
    )


def test_arrays_on_the_host_with_traced_bounds(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
@jax.jit
def f(x, k):
    mask = np.ones(x.shape)
    mask[k:k + 3] = 0  # expect: JIT205
    part = mask[:k]  # expect: JIT205
    return x * mask[:, k]  # expect: JIT303
""",
    )


def test_nothing_is_said_of_a_branch_that_cannot_be_decided(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
class Best:
    def __init__(self):
        self.loss = 0.0

    def see(self, loss):
        if loss < self.loss:  # expect: JIT101
            self.loss = loss
            print("better")

def fit(best, loss):
    return jax.jit(lambda v: best.see(v))(loss)
""",
    )


def test_methods_of_common_names_that_one_class_has_all(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
from flax import struct

@struct.dataclass
class State:
    angle: jax.Array
    t: int

class Pendulum:
    def reset(self, key):
        return State(jax.random.uniform(key), 0)

    def step(self, state, torque):
        state = state.replace(angle=state.angle + torque, t=state.t + 1)
        return state, state.t >= 200

class Robot:
    def step(self, state, torque):
        return state

def rollout(env, key, n):
    def body(state, torque):
        state, done = env.step(state, torque)
        if done: state = env.reset(key)  # expect: JIT101
        return state, torque

    return jax.lax.scan(body, env.reset(key), jnp.ones(n))

def one_step(env, x):
    @jax.jit
    def body(x):
        state, done = env.step(x, 1.0)
        return state if done else x

    return body(x)
""",
    )


def test_what_is_asked_for_its_shape_is_an_array(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
@jax.jit
def f(rows, w):
    rows[0] = w
    for i in range(w.shape[0]):
        w[i] = w[i] * 2  # expect: JIT507
    return rows, w

@jax.jit
def each(x, functions):
    for g in functions:
        x = g(x)
    return x

def run(x):
    return each(x, [jnp.sin, jnp.cos])  # expect: JIT604
""",
    )


def test_classes_of_unrelated_files_are_no_guess(tmp_path: Path) -> None:
    check(
        tmp_path,
        {
            "grids.py": """\
import jax

class Grid:
    def __init__(self, cells):
        self.cells = cells

    def refine_all(self, x):
        return jax.jit(lambda v: v * 2)(x)
""",
            "maps.py": """\
import jax
import jax.numpy as jnp

def gradient_map(grid, hook):
    kept = {}

    def f(g):
        kept["laplace"] = g * 2  # expect: JIT503
        return jnp.sum(g)

    jax.grad(f)(grid)
    for _ in range(3):
        hook.refine_all(grid)
    return kept
""",
        },
    )


def test_dataclasses_that_are_no_pytrees(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
from dataclasses import dataclass, replace

@dataclass(frozen=True)
class Swarm:
    position: jax.Array
    velocity: jax.Array

@jax.jit
def drift(s, dt):
    return replace(s, position=s.position + dt * s.velocity)

def simulate(state, n):
    for _ in range(n):
        state = drift(state, 0.1)  # expect: JIT604
    return state
""",
    )


def test_views_of_what_is_a_dict_outside(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
@jax.jit
def total(parts):
    return sum(jnp.sum(p) for p in parts)

def penalty(params):
    for name, value in params.items():
        total([value])
    return total(params.values())  # expect: JIT601
""",
    )


def test_methods_of_pytrees_from_outside(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
from typing import NamedTuple

class Ray(NamedTuple):
    direction: jax.Array

    @property
    def normalised(self):
        n = jnp.linalg.norm(self.direction)
        if n == 0: return self  # expect: JIT101
        return Ray(self.direction / n)

class Sphere(NamedTuple):
    radius: float

    def distance_along(self, ray):
        return self.radius * ray.normalised.direction

def render(scene, directions):
    return jax.vmap(lambda d: [s.distance_along(Ray(d)) for s in scene])(directions)
""",
    )


def test_defaults_that_are_members_of_enums(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
import enum

class Mode(enum.Enum):
    SAME = "same"

class Level(enum.IntEnum):
    LOW = 1

@jax.jit
def smooth(x, mode):
    return x

def denoise(x, mode=Mode.SAME, level=Level.LOW):
    smooth(x, level)
    return smooth(x, mode)  # expect: JIT604
""",
    )


def test_a_new_tree_is_donated_again(tmp_path: Path) -> None:
    check(
        tmp_path,
        PRELUDE
        + """\
add = jax.jit(lambda total, g: jax.tree.map(jnp.add, total, g), donate_argnums=0)

def accumulate(params, grads):
    total = jax.tree.map(jnp.zeros_like, params)
    for g in grads:
        add(total, g)  # expect: JIT801
    other = jax.tree.map(jnp.zeros_like, params)
    for g in grads:
        other = add(other, g)
    return other
""",
    )


def test_what_each_round_makes_anew_is_donated_once(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        from functools import partial
        import jax

        def stripped(tree):
            return jax.tree.map(lambda v: v * 1, tree)

        @partial(jax.jit, donate_argnums=(0, 1))
        def epoch(state, env):
            return state, env

        def timed(state, env):
            global LAST
            LAST = state
            state, env = stripped((state, env))
            return stripped(epoch(state, env))

        def train(state, env):
            for _ in range(10):
                state, env = timed(state, env)
            return state

        def wrong(state, env):
            for _ in range(10):
                new, env = epoch(state, env)  # expect: JIT801
            return new
        """,
    )


def test_an_alias_that_a_branch_makes_is_donated_with_its_other_name(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax

        update = jax.jit(lambda params, target, g: jax.tree.map(lambda p: p - g, params), donate_argnums=0)

        def learn(params, grads, every):
            target = jax.tree.map(lambda p: p.copy(), params)
            for i, g in enumerate(grads):
                if i % every == 0:
                    target = params
                params = update(params, target, g)  # expect: JIT801
            return params

        def copied(params, grads, every):
            target = jax.tree.map(lambda p: p.copy(), params)
            for i, g in enumerate(grads):
                if i % every == 0:
                    target = jax.tree.map(lambda p: p.copy(), params)
                params = update(params, target, g)
            return params
        """,
    )


def test_an_attribute_that_the_class_does_not_show_is_no_function(tmp_path: Path) -> None:
    """It may be set from elsewhere; a method of an array is a function for sure."""
    check(
        tmp_path,
        PRELUDE
        + """\
from flax.struct import dataclass

@dataclass
class Memory:
    keys: jnp.ndarray

@jax.jit
def act(memory: Memory, x):
    kept = jax.lax.cond(memory.first, lambda: x, lambda: -x)
    return jax.lax.cond(x.any, lambda: kept, lambda: x)  # expect: JIT707

act(Memory(keys=jnp.zeros(3)), jnp.ones(3))
""",
    )


def test_an_object_of_a_class_out_of_view_may_take_in_what_is_added(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax
        import jax.numpy as jnp
        from simulator import Tracked

        class Input(Tracked):
            pass

        class Neuron:
            def __init__(self):
                self.input = Input(jnp.zeros(3))
                self.spikes = jnp.zeros(3)

            def update(self, x):
                self.input += x
                self.spikes += x  # expect: JIT503
                return x

        jax.jit(Neuron().update)(jnp.ones(3))
        """,
    )


def test_what_a_framework_keeps_may_add_in_place(tmp_path: Path) -> None:
    """`x += y` then binds nothing new; a number, or what a caller gives, is bound anew."""
    check(
        tmp_path,
        PRELUDE
        + """\
import spikes

class Neuron:
    def __init__(self, count, leak):
        self.current = spikes.Variable(jnp.zeros(count))
        self.slots = {"gate": spikes.Variable(jnp.zeros(count))}
        self.total = 0.0
        self.leak = leak
        self.step = jax.jit(self.update)

    def update(self, x):
        self.current += x
        self.slots["gate"] -= x
        self.total += x  # expect: JIT503
        self.leak *= x  # expect: JIT503
        return self.current * 2

Neuron(3, 0.5).step(jnp.ones(3))
""",
    )
