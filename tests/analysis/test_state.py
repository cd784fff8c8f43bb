"""What a trace reads of state that outlives it, and which changes make that stale."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check

from jitlint.analysis.machine.state import StateRead, StateWrite, stale
from jitlint.events.event import Entry
from jitlint.source.places import Place

PROGRAMS = {
    "an attribute of a class": """
        import jax

        class Annealer:
            temperature = 1.0
            steps = 10

            @staticmethod
            @jax.jit
            def accept(x):
                return x / Annealer.temperature + Annealer.steps  # expect: JIT501

            @classmethod
            def cool(cls):
                cls.temperature *= 0.9

        Annealer.steps = 20
        Annealer.accept(1.0)
        Annealer.cool()
        Annealer.accept(1.0)
    """,
    "an attribute of a class, set before it is read": """
        import jax

        class Config:
            width = 1.0

        Config.width = 2.0

        @jax.jit
        def scaled(x):
            return x * Config.width

        scaled(1.0)
    """,
    "what a dict makes for a missing key": """
        import collections
        import jax

        LISTS = collections.defaultdict(list)
        PLAIN = {}

        @jax.jit
        def recorded(x):
            LISTS["a"].append(x)  # expect: JIT503
            PLAIN.setdefault("a", []).append(x)  # expect: JIT503
            inner = collections.defaultdict(list)
            inner["a"].append(x)
            return inner["a"]
    """,
    "an attribute of this instance, not of another": """
        import jax

        class Model:
            def __init__(self): self.scale = 1.0
            def set(self, scale): self.scale = scale

        one = Model()
        other = Model()
        f = jax.jit(lambda x: x * one.scale)  # expect: JIT501
        f(1.0)
        g = jax.jit(lambda x: x * other.scale)
        g(1.0)
        one.set(3.0)
        f(1.0)
    """,
    "an object made for the call": """
        import jax

        class Context:
            def __init__(self): self.index = None
            def fill(self, index): self.index = index

        def body(x, context):
            if context.index is None:
                context.fill({})
            return x

        def run(x):
            context = Context()
            y = jax.jit(lambda v: body(v, context))(x)
            return y, context.index

        def empty(context):
            context.fill(None)

        run(1.0)
        made = Context()
        empty(made)
    """,
    "changed on the other branch": """
        import jax

        def collect(x, simple, n):
            start = 1
            if simple:
                def body(i, v):
                    return v + start
                return jax.jit(lambda v: jax.lax.fori_loop(0, 3, body, v))(x)
            for i in range(n):
                start = i
            return x + start

        def drift(x, n):
            start = 1
            @jax.jit
            def body(v):
                return v + start  # expect: JIT501
            for i in range(n):
                if i % 2:
                    x = body(x)
                else:
                    start = i
            return x

        collect(1.0, True, 3)
        drift(1.0, 4)
    """,
    "a stack that the trace pushes to itself": """
        import jax

        STACK = []

        class Handler:
            def __enter__(self):
                STACK.append(self)
                return self
            def __exit__(self, *reasons):
                assert STACK[-1] is self
                STACK.pop()

        with Handler():
            print(STACK)

        @jax.jit
        def f(x):
            with Handler():
                return x

        f(1.0)
    """,
    "set when it is first needed": """
        import jax

        class Space:
            def __init__(self, n):
                self.n = n
                self.ready = False

            def setup(self):
                if not self.ready:
                    self.sizes = [self.n] * 3
                    self.ready = True

            def grow(self):
                self.n = self.n + 1

            def total(self, x):
                self.setup()
                return x * self.sizes[0] + self.n  # expect: JIT501

        space = Space(3)
        space.setup()
        f = jax.jit(lambda x: space.total(x))
        f(1.0)
        space.grow()
        f(1.0)
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(tmp_path: Path, name: str) -> None:
    check(tmp_path, PROGRAMS[name])


def test_items_under_members_of_an_enum_are_state(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import enum
        import jax

        class Name(enum.Enum):
            RATE = 1
            DEPTH = 2

        SETTINGS = {Name.RATE: 0.1, Name.DEPTH: 3}

        @jax.jit
        def step(x):
            return x * SETTINGS[Name.RATE] * SETTINGS[Name.DEPTH]  # expect: JIT501

        def main(x):
            for rate in (0.1, 0.2):
                SETTINGS[Name.RATE] = rate
                x = step(x)
        """,
    )


CHANGES = {
    "update by name": "SETTINGS.update(rate=rate)",
    "update by a dict": "SETTINGS.update({'rate': rate})",
    "update by anything": "SETTINGS.update(**load(rate))",
    "an item": "SETTINGS['rate'] = rate",
    "pop": "SETTINGS.pop('rate')",
    "clear": "SETTINGS.clear()",
}


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("read", ["SETTINGS['rate']", "SETTINGS.get('rate')"])
def test_items_of_dicts_are_state(tmp_path: Path, how: str, read: str) -> None:
    check(
        tmp_path,
        f"""
        import jax
        from elsewhere import load

        SETTINGS = {{"rate": 0.1, "depth": 3}}

        @jax.jit
        def step(x):
            return x * {read} * SETTINGS["depth"]  # expect: JIT501

        def tune(rate):
            {CHANGES[how]}

        def main(x):
            for rate in (0.1, 0.2):
                x = step(x)
                tune(rate)
            return x
        """.replace(' * SETTINGS["depth"]', "" if how in ("update by anything", "clear") else ' * SETTINGS["depth"]'),
    )


def _read(holder: int) -> StateRead:
    place = Place("m.py", 1, 1, 1, 2)
    entry = Entry(place, "jax.jit", "m:f")
    return StateRead(
        ("attribute", "A", "x"), "attribute", f"x{holder}", place, "m.f", entry, None, "f", (), False, (), holder
    )


def _write(holder: int) -> StateWrite:
    place = Place("m.py", 2 + holder, 1, 2 + holder, 2)
    return StateWrite(("attribute", "A", "x"), place, False, False, False, "g", holder)


@pytest.mark.timeout(60)
def test_a_change_of_one_instance_concerns_reads_of_that_one() -> None:
    """Thousands of instances, as in a large project: comparing each with each would take minutes."""
    many = range(1, 30_001)
    events = stale(map(_read, many), [_write(holder) for holder in many if holder % 2], (), lambda read, write: True)
    found = {event.subject: event.detail["writer"] for event in events}
    assert found == {f"x{holder}": f"m.py:{2 + holder}" for holder in many if holder % 2}


@pytest.mark.parametrize(("read", "write"), [(0, 1), (1, 0), (0, 0)])
def test_a_change_of_any_instance_concerns_all_reads(read: int, write: int) -> None:
    events = stale([_read(read)], [_write(write)], (), lambda read, write: True)
    assert [event.subject for event in events] == [f"x{read}"]


def test_a_variable_of_another_module(tmp_path: Path) -> None:
    """It is read through the module, as a variable there is: a constant that functions bind anew is none."""
    check(
        tmp_path,
        {
            "scale.py": """
                UNIT = 1.0
                NAMES = {"metre": 1.0, "foot": 0.3}
                FIXED = 2.0

                def use(name):
                    global UNIT
                    UNIT = NAMES[name]
                """,
            "measure.py": """
                import jax
                import scale

                @jax.jit
                def length(x):
                    return x / scale.UNIT  # expect: JIT501

                @jax.jit
                def doubled(x):
                    return x * scale.FIXED
                """,
            "table.py": """
                import scale
                from measure import doubled, length

                def rows(x):
                    found = []
                    for name in ("metre", "foot"):
                        scale.use(name)
                        found.append((float(length(x)), float(doubled(x))))
                    return found
                """,
        },
    )


def test_the_static_fields_of_a_state_are_the_same_in_the_next_one(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax
        import jax.numpy as jnp
        import optax
        from flax import linen as nn
        from flax.training.train_state import TrainState

        class Agent:
            def __init__(self, key):
                net = nn.Dense(2)
                self.state = TrainState.create(
                    apply_fn=net.apply, params=net.init(key, jnp.zeros((1, 3))), tx=optax.sgd(0.1)
                )
                self.act = jax.jit(self._act)
                self.look = jax.jit(self._look)

            def _act(self, params, seen):
                return self.state.apply_fn(params, seen)

            def _look(self, seen):
                return self.state.apply_fn(self.state.params, seen)  # expect: JIT501

        def main():
            agent = Agent(jax.random.key(0))
            for _ in range(3):
                seen = agent.act(agent.state.params, jnp.ones((1, 3)))
                agent.look(seen)
                agent.state = agent.state.replace(params=jax.tree.map(lambda p: 0.9 * p, agent.state.params))
        """,
    )
