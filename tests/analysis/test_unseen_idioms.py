"""Idioms of code that others wrote, which say what a value is, in programs with libraries that are not here."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check, events

from jitlint.events.event import Confidence, EventKind

PROGRAMS = {
    "functions of one name are told apart by the types of their arguments": """
        from functools import partial
        import jax
        from plum import dispatch

        class Scan: ...

        @dispatch.abstract
        def integrate(*args): ...

        @dispatch(precedence=-1)
        def integrate(pot, q):
            return integrate(Scan, pot, q)

        @dispatch
        @partial(jax.jit, static_argnums=0)
        def integrate(strategy: type[Scan], pot, q):
            return jax.lax.map(lambda each: integrate(pot, each), q)
    """,
    "a field that jax.tree.static declares is no argument that is traced": """
        import dataclasses
        from typing import Callable
        import jax

        @jax.tree_util.register_dataclass
        @dataclasses.dataclass
        class System:
            mass: jax.Array
            before: Callable = jax.tree.static(default=None)
            substeps: int = jax.tree.static()

        def keep(x):
            return x

        @jax.jit
        def step(system: System, x):
            for _ in range(system.substeps):
                x = system.before(x) / system.mass
            if system.mass > 0:  # expect: JIT101
                return x
            return -x

        step(System(jax.numpy.ones(()), keep, 2), 1.0)
    """,
    "what an index takes out of a layout of settings and a key": """
        import jax
        from flax import nnx

        class Layers(nnx.Module):
            def __init__(self, width, depth, key):
                self.width, self.depth, self.key = width, depth, key

            def __call__(self, x):
                for _ in range(self.depth):
                    x = x[: self.width]
                return x

        def create(layout):
            return Layers(layout[0], layout[1], layout[2])

        def run(settings, key, x):
            definition, params = nnx.split(create(settings["layout"] + [key]))

            def step(x, _):
                return nnx.merge(definition, params)(x), None

            return jax.lax.scan(step, x, None, length=3)[0]

        def main(text):
            settings = {"layout": [int(part) for part in text.split()]}
            return run(settings, jax.random.key(0), jax.numpy.ones(4))
    """,
    "what asks first whether it is traced, whatever the options": """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def steps(x):
            return {"count": jnp.sum(x > 0), "values": x}

        def summary(x, names=None):
            found = steps(x)
            labels = ["a", "b", "c"] if names is None else list(names)
            try:
                count = int(found["count"])
            except jax.errors.ConcretizationTypeError:
                return found["values"]
            values = found["values"][:count]
            return {label: float(values[i]) for i, label in enumerate(labels)}

        def main():
            print(jax.jit(lambda x: summary(2.0 * x))(jnp.ones(3)), summary(jnp.ones(3), names=["u", "v", "w"]))

        main()
    """,
    "an array of a list that is empty so far": """
        import jax
        import jax.numpy as jnp

        class Recorder:
            def __init__(self):
                self.stiffness, self.loads = [], jnp.ones((3, 2))

            def __call__(self, values):
                self.stiffness.append(values)

        def replay(recorder):
            return jax.vmap(lambda k, load: k * load)(jnp.asarray(recorder.stiffness), recorder.loads)

        def main(minimize):
            recorder = Recorder()
            minimize(callback=recorder)
            return replay(recorder)
    """,
    "a library's member of an enumeration is compared with another one": """
        import jax
        from jax_md import partition

        @jax.jit
        def indices(neighbors):
            if neighbors.format == partition.NeighborListFormat.Dense:
                return neighbors.idx
            if neighbors.format == neighbors.format.Sparse:
                return neighbors.idx
            if jax.numpy.sum(neighbors.idx) > 0:  # expect: JIT101
                return neighbors.idx
            return -neighbors.idx
    """,
    "a function from elsewhere is the default of a field": """
        from dataclasses import dataclass
        from typing import Callable
        import jax

        def last(*arrays):
            return arrays[-1]

        @dataclass
        class Options:
            reward: Callable
            control: Callable = last

        class Environment:
            def __init__(self, options: Options):
                self.control = options.control

        def rollout(environment: Environment):
            return jax.jit(environment.control)

        rollout(Environment(Options(last)))
    """,
    "a method's name is private, and its class does not name it": """
        import equinox as eqx

        class Scale(eqx.Module):
            bias: float

            def __init(self, bias):
                self.bias = bias

            def __shift(self, bias):
                self.bias = bias  # expect: JIT508

            def shifted(self):
                return self.__shift(1.0)
    """,
    "an object of NumPy's arrays is donated, and no result has its size": """
        import equinox as eqx
        import jax
        import numpy as np
        from jax import tree
        from data import load

        class Datum(eqx.Module):
            tokens: jax.Array
            target: float

        class State(eqx.Module):
            head: jax.Array

        data = [Datum(tokens=row["tokens"], target=row["target"]) for row in load()]

        @eqx.filter_jit(donate="all")
        def step(state, batch):
            return State(2 * state.head), batch.tokens.sum()

        def train():
            state = State(jax.numpy.ones(2))
            for _ in range(10):
                batch = tree.map(lambda *rows: np.stack(rows), *[data[i] for i in np.random.choice(len(data), 4)])
                state, loss = step(state, batch)
                print(np.var(batch.target))
            old = state
            state, loss = step(state, batch)
            return old.head + 1.0, state  # expect: JIT801
    """,
    "what takes another number of arguments goes with other code": """
        from functools import partial
        import jax
        import jax.numpy as jnp

        class Topology:
            def __init__(self, events=False):
                self.events = events

            def done(self):
                def apply(x, weights, extra):
                    return x * weights

                if self.events:
                    return jax.vmap(apply, in_axes=(0, None, 0))
                return jax.vmap(partial(apply, extra=None), in_axes=(0, None))

        def main(events):
            apply = Topology(events).done()
            return apply(jnp.ones((3, 2)), jnp.ones(2))
    """,
    "what vmap does not map comes out as it is": """
        import jax
        import jax.numpy as jnp

        def refine(index, level, x):
            return (2 * index, level + 1), x[level] + index

        @jax.jit
        def refined(a, b):
            x = [a, b]
            (index, level), fine = jax.vmap(refine, (0, None, None), ((0, None), 0))(jnp.arange(3), 0, x)
            x[level] = fine
            return x

        refined(1.0, 2.0)
    """,
    "a call that Python refuses, and a function that is not written yet, tell nothing": """
        from functools import partial
        import jax

        @partial(jax.jit, static_argnums=0)
        def first_step(f, t0):
            return f(t0)

        def loss(params):
            ...

        @jax.jit
        def descend(params):
            return jax.grad(loss)(params)

        first_step(problem=lambda t: t)
    """,
    "JAX refuses what has no axis before it runs the function": """
        import jax
        import jax.numpy as jnp

        def turned(field, angle, fourier=False):
            if fourier:
                return field
            return field * angle

        def rotate(field, angle):
            return jax.vmap(turned, in_axes=(1, None))(field, angle, fourier=False)  # expect: JIT705

        rotate(jnp.ones((2, 3)), 1.0)
    """,
    "an object is made anew of what it was made of, not of its defaults": """
        import jax
        import numpy as np

        class Batch:
            def __init__(self, s, r, w=None):
                self.s, self.r = s, r
                self.w = np.ones_like(r) if w is None else w

            def __iter__(self):
                return (getattr(self, name) for name in ("s", "r", "w"))

        jax.tree_util.register_pytree_node(Batch, lambda b: (tuple(b), None), lambda aux, leaves: Batch(*leaves))

        class Updater:
            def __init__(self):
                self._step = jax.jit(lambda batch: batch.s + batch.r)

            def update(self, batch: Batch):
                assert isinstance(batch, Batch)
                return self._step(batch)
    """,
    "a library's predicate asks for the kind of a leaf": """
        import jax
        from flax import nnx

        is_param = nnx.OfType(nnx.Param)

        @nnx.jit
        def scaled(model):
            graph, params, rest = nnx.split(model, is_param, True)
            new = jax.tree.map_with_path(
                lambda path, v: v.replace(2.0), params, is_leaf=is_param, is_leaf_takes_path=True
            )
            return nnx.merge(graph, new, rest)
    """,
    "a float and something unknown may be complex": """
        import jax
        import jax.numpy as jnp
        from states import basis

        @jax.jit
        def channel(p):
            ket = basis(2)
            gate = ket @ jnp.conj(ket.T)
            return jax.lax.cond(p > 0, lambda: jnp.kron(gate, jnp.eye(3)), lambda: 1j * jnp.kron(gate, jnp.eye(3)))
    """,
    "code asks another library which arrays it has": """
        import jax
        import numpy as np
        from backends import is_jax, name_of

        def filled(a):
            table = np.zeros(a.shape)
            table[0] = a[0]
            return table

        def chosen(a):
            backend = name_of(a)
            if backend == "jax":
                return a
            return filled(a)

        @jax.jit
        def both(a, settings):
            return chosen(a) + (a if is_jax(a) else np.asarray(a))

        both(jax.numpy.ones(3))
    """,
    "what another library computes, and a text in another part of a test, tell nothing apart": """
        import jax
        from elsewhere import isolated, measured

        @jax.jit
        def one(a, settings):
            if isolated(a):
                return a
            if a > 0:  # expect: JIT101
                return -a
            return a

        @jax.jit
        def other(a):
            settings = {"fast": measured}
            if settings["fast"](a) and measured(a):
                return a
            if a > 0:  # expect: JIT101
                return -a
            return a
    """,
}


@pytest.mark.parametrize("source", [pytest.param(source, id=idiom) for idiom, source in PROGRAMS.items()])
def test_only_what_is_wrong_is_found(tmp_path: Path, source: str) -> None:
    check(tmp_path, {"program.py": source})


CHOICES = """
    import jax
    import jax.numpy as jnp

    def plain(x, y):
        return x + y

    def paired(x, y):
        return x[0] + y, x[1] + y

    def gadgets(features, paired_too):
        update = paired if paired_too else plain
        return update, features[0] if paired_too else features

    @jax.jit
    def encode(data, paired_too):
        def body(i, previous):
            update, local = gadgets(previous, data.paired_too)
            return update(previous, local)

        return jax.lax.fori_loop(0, 3, body, data.start)
"""


def test_what_is_carried_goes_with_another_choice(tmp_path: Path) -> None:
    found = [event for event in events(tmp_path, {"program.py": CHOICES}) if event.kind is EventKind.CARRY]
    assert {event.confidence for event in found} <= {Confidence.POSSIBLE}


SCRATCH = """
    import dataclasses
    import jax
    import jax.numpy as jnp

    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Gauge:
        level: jax.Array

        def adapt(self, miss):
            self.level = self.level * jnp.exp(miss)

        def width(self):
            return 2.0 * self.level

    @jax.jit
    def lost(gauge: Gauge, miss):
        gauge.adapt(miss)
        return miss

    @jax.jit
    def maybe_scratch(gauge: Gauge, miss):
        gauge.adapt(miss)
        return gauge.width()

    lost(Gauge(jnp.ones(())), 1.0)
    maybe_scratch(Gauge(jnp.ones(())), 1.0)
"""


def test_an_object_that_is_asked_after_its_change_may_be_a_scratch_pad(tmp_path: Path) -> None:
    found = [event for event in events(tmp_path, {"program.py": SCRATCH}) if event.kind is EventKind.ARGUMENT_WRITE]
    assert [event.confidence for event in found] == [Confidence.CERTAIN, Confidence.LIKELY]
