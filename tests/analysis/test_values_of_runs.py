"""Values that programs really had where the analysis once said otherwise: runs of others' code showed it."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check, events, write

from jitlint.analysis.api import analyze
from jitlint.events.event import Confidence, EventKind
from jitlint.project.cache import Cache
from jitlint.project.modules import Project

PROGRAMS = {
    "a class method that super() finds makes an object of the class that is called": """
        import jax
        import jax.numpy as jnp
        from flax import struct

        class Model(struct.PyTreeNode):
            state: jax.Array

            @classmethod
            def create(cls, state):
                return cls(state=state)

        @struct.dataclass
        class Sampler(Model):
            size: int = struct.field(pytree_node=False, default=None)

            @classmethod
            def create(cls, state, size):
                return super().create(state).replace(size=size)

        @jax.jit
        def sample(sampler, key):
            if sampler.state > 0:  # expect: JIT101
                return key
            return jax.random.normal(key, (3, sampler.size))

        sample(Sampler.create(jnp.ones(()), 4), jax.random.key(0))
    """,
    "what a layer of Flax makes as one parameter is a tree": """
        import flax
        import flax.linen as nn
        import jax
        import jax.numpy as jnp

        class Normalized(nn.Module):
            layer: nn.Module

            @nn.compact
            def __call__(self, x):
                params = self.param("layer", lambda *given: self.layer.init(*given)["params"], x)
                kernel = params["kernel"]
                params = flax.core.unfreeze(params)
                params["kernel"] = kernel / 2
                return self.layer.apply({"params": params}, x)

        model = Normalized(nn.Dense(3))

        @jax.jit
        def predict(variables, x):
            return model.apply(variables, x)

        predict(model.init(jax.random.key(0), jnp.ones((2, 3))), jnp.ones((2, 3)))
    """,
    "what traced code writes or leaves out in a call chooses nothing else": """
        import jax
        import jax.numpy as jnp
        import numpy as np

        def on_host(x):
            return np.fft.fft(x)

        def on_device(x):
            return jnp.fft.fft(x)

        TRANSFORMS = {"numpy": on_host, "jax": on_device}

        def transform(x, method, trim=False):
            if trim:
                while x[-1] == 0:
                    x = x[:-1]
            return TRANSFORMS[method](x)

        @jax.jit
        def spectrum(x):
            return transform(x, "jax")

        transform(np.ones(3), "numpy", trim=True)
        spectrum(jnp.ones(3))
    """,
    "a list that some ways make longer still holds the schedule that is called": """
        import math
        import jax
        import jax.numpy as jnp
        import optax

        class Restarts:
            def __call__(self, count):
                return 0.1 * math.cos(count / 3)  # expect: JIT304

        def optimizer(clip):
            parts = [optax.adamw(Restarts(), weight_decay=0.1)]
            if clip is not None:
                parts.insert(0, optax.clip_by_global_norm(clip))
            return optax.chain(*parts)

        def train(params, clip):
            tx = optimizer(clip)
            state = tx.init(params)

            @jax.jit
            def step(grads, state):
                return tx.update(grads, state, grads)

            return step(params, state)
    """,
    "functools.singledispatch goes by the class of the first argument": """
        import functools
        import jax
        import jax.numpy as jnp

        class Shape: ...

        class Ball(Shape): ...

        class Box(Shape): ...

        class Cube(Box): ...

        @functools.singledispatch
        def inside(shape, x):
            raise NotImplementedError

        @inside.register(Ball)
        def _(shape, x):
            return jnp.sum(x**2) < 1.0

        @inside.register
        def _(shape: Box, x):
            return True if jnp.max(x) < 1.0 else False  # expect: JIT104

        @inside.register(Cube)
        def _(shape, x):
            return jnp.all(x < 1.0)

        @jax.jit
        def in_ball(x):
            return inside(Ball(), x)

        @jax.jit
        def in_box(x):
            return inside(Box(), x)

        @jax.jit
        def in_cube(x):
            hit = inside(Cube(), x)
            return 1 if hit else 0  # expect: JIT104

        def in_any(shape, x):
            hit = inside(shape, x)
            return jax.jit(lambda y: y if y > 0 else -y)(hit)  # expect: JIT104
    """,
    "what is annotated as one of several arrays is no tree, and never None": """
        from typing import Union

        import jax
        import jax.numpy as jnp
        import numpy as np
        from numpy.typing import NDArray

        Array = Union[jnp.ndarray, np.ndarray]

        @jax.jit
        def loss(x: Array, scale: NDArray | float):
            if x is None or scale is None:
                return 1.0 if jnp.ones(()) > 0 else 2.0
            return x if scale > 0 else -x  # expect: JIT104
    """,
    "what a method donates, it has replaced in `self` where another method takes that apart": """
        from dataclasses import dataclass, replace
        from typing import Any

        import jax
        import jax.numpy as jnp

        @jax.tree_util.register_dataclass
        @dataclass
        class Filtered:
            mean: Any
            best: Any
            seen: jax.Array

        def _advanced(filtered, value):
            mean = filtered.mean + 0.5 * (value - filtered.mean)
            best = jnp.maximum(mean, filtered.best)
            return replace(filtered, mean=mean, best=best, seen=filtered.seen + 1)

        advance = jax.jit(_advanced, donate_argnums=0)

        class Tracker:
            def __init__(self, start):
                self.filtered = Filtered(start, jnp.copy(start), jnp.zeros((), int))

            def follow(self, track):
                for value in track:
                    self.filtered = advance(self.filtered, value)
                return self.filtered

            def copied(self):
                return jax.tree.map(jnp.copy, self.filtered)
    """,
}


VALUES = {
    "np.sum([np.ones(3), np.ones(3)], axis=0)": "numpy float[?]",
    "jnp.asarray(np.max([[1, 2], [3, 4]], axis=1))": "jax int[?]",
    "unknown.reshape(-1, *unknown.shape[2:])": "Unknown",
    "jnp.asarray(unknown).reshape(-1, *unknown.shape[2:])": "jax array",
    "jax.random.permutation(jax.random.key(0), 5)": "jax int[5]",
    "jnp.bincount(jnp.ones(3, int), weights=jnp.ones(3), length=4)": "jax float[?]",
    "jnp.bincount(jnp.ones(3, int), length=4)": "jax int[?]",
    "jnp.choose(jnp.ones(3, int), [jnp.ones((2, 3)), jnp.ones((2, 3))], mode='clip')": "jax float[?,?]",
    "jnp.reshape(np.ones(4), (2, 2))": "numpy float[2,?]",
    "jax.tree.leaves({'b': 1, 'a': 'x'})": "list [str 'x', int 1]",
    "list(jax.tree.map(lambda leaf: leaf, {'b': 1, 'a': 2}))": "list [str 'a', str 'b']",
    "jnp.where(jnp.ones((2, 3)) > 0)": "tuple (jax int[?], jax int[?])",
    "np.meshgrid(np.arange(3), np.arange(4))": "list [numpy array, numpy array]",
    "np.meshgrid(*unknown)": "list [numpy array, …]",
    "(np.atleast_1d(np.ones(3)), np.atleast_2d(3.0))": "tuple (numpy float[?], numpy float[?,?])",
    "jnp.atleast_2d(jnp.ones(3), 1)": "list [jax float[?,?], jax int[?,?] weak]",
    "'some' in given(unknown)": "bool",
    "'some' in {**given(unknown), 'some': 1}": "bool True",
    "len(given(unknown))": "int",
    "given(unknown).get('some')": "None | int 1",
    "given(unknown).copy().pop('some', 'none')": "str 'none' | int 1",
    "dict(given(unknown)).get('always')": "int 2",
    "(is_dataclass(Plain()), is_dataclass(Plain), is_dataclass(Other()))": "tuple (bool True, bool True, bool False)",
    "(is_dataclass({'x': 1}), is_dataclass(jnp.ones(2)))": "tuple (bool False, bool False)",
    "(is_dataclass(unknown), is_dataclass(OfAttrs()))": "tuple (bool, bool)",
    "jax.tree.structure({'a': 1}) != jax.tree.structure({'b': 1})": "bool True",
    "jax.tree.structure((1, {})) == jax.tree.structure((1, None))": "bool False",
    "jax.tree.structure([1]) == jax.tree.structure([1, 2])": "bool",
    "jax.tree.structure(given(unknown)) == jax.tree.structure({'always': 2})": "bool",
    "[part if is_dataclass(part) else 0 for part in ({}, 'x', 2)]": "list [int 0, int 0, int 0]",
}
"""What the analysis knows of expressions."""

BEFORE = """
    from dataclasses import dataclass, is_dataclass

    import attrs
    import jax
    import jax.numpy as jnp
    import numpy as np

    @dataclass
    class Plain:
        x: int = 0

    @attrs.define
    class OfAttrs:
        x: int = 0

    class Other:
        pass

    def given(flag):
        found = {}
        if flag:
            found["some"] = 1
            found["always"] = 1
        found["always"] = 2
        return found

    def main(unknown):
"""


@pytest.mark.parametrize("expression", VALUES)
def test_value(expression: str, tmp_path: Path) -> None:
    program = f"{BEFORE}        reveal_stage({expression})\n"
    (found,) = analyze(Project(write(tmp_path, program), Cache(None))).revealed
    assert found.text.replace("Static ", "") == VALUES[expression]


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, tmp_path: Path) -> None:
    check(tmp_path, {"program.py": PROGRAMS[name]})


GUARDED = """
    import jax
    import jax.numpy as jnp

    def smaller(sizes, window):
        same = jax.tree.structure(sizes) == jax.tree.structure(window)
        if same:
            return jax.tree.map(lambda size, width: size < width, sizes, window)
        return jax.tree.map(lambda size: size < window, sizes)

    def check(sizes, width=None):
        return smaller([size for size in sizes], width)
"""


def test_a_test_of_the_structures_may_keep_other_trees_away(tmp_path: Path) -> None:
    found = [event for event in events(tmp_path, {"program.py": GUARDED}) if event.kind is EventKind.TREES]
    assert {event.confidence for event in found} <= {Confidence.POSSIBLE}


REFUSED = """
    import jax
    import jax.numpy as jnp

    @jax.jit
    def added(a, b):
        if jax.tree.structure(a) != jax.tree.structure(b):
            raise ValueError("other trees")
        return jax.tree.map(jnp.add, a, b)

    def test_other_trees():
        try:
            added({"w": jnp.ones(2), "b": 1.0}, {"w": 1.0})
        except ValueError:
            return True
"""


def test_a_check_of_the_structures_refuses_other_trees(tmp_path: Path) -> None:
    check(tmp_path, {"program.py": REFUSED})
