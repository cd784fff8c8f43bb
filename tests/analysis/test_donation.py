"""Which uses of a donated array come after the donation, and are of that very array."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check, findings, write

from jitlint.events.assumption import Confidence
from jitlint.pipeline import find

PROGRAMS = {
    "what has text for a key is a dict, of which a shape can be asked": """
        import jax

        def judge(state, batch):
            return {"loss": batch["image"].sum()}, 2 * batch["image"]

        step = jax.jit(judge, donate_argnums=1)

        def evaluate(state, batches):
            batch = next(batches)
            metrics, images = step(state, batch)
            size = batch["image"].shape[1:]
            return metrics, size, batch["image"].ndim

        def clean_up(state, batches):
            batch = next(batches)
            metrics, images = step(state, batch)
            jax.tree_util.tree_map(lambda leaf: leaf.delete(), batch)
            shapes = jax.tree.map(lambda leaf: leaf.shape, batch)
            return metrics, shapes

        def compare(state, batches):
            batch = next(batches)
            metrics, images = step(state, batch)
            return images - batch["image"]  # expect: JIT801
    """,
    "the parts of an unknown state are different arrays": """
        import jax

        update = jax.jit(lambda slots, weights, rule: slots, donate_argnums=(0, 1))

        def advance(state):
            slots, rule, weights = state
            return update(slots, weights, rule), rule
    """,
    "a callee that is one of several donates on its own path only": """
        import jax

        class Sampler:
            def __init__(self, single, draw):
                if single:
                    self.draw = jax.jit(draw, donate_argnums=0)
                else:
                    self.draw = jax.pmap(draw, donate_argnums=0)

            def sample(self, key):
                return self.draw(key)
    """,
    "a donated dict that has other values by now": """
        import jax
        import jax.numpy as jnp

        shrink = jax.jit(lambda tree: jax.tree.map(lambda leaf: leaf / 2, tree), donate_argnums=0)

        def refill(rounds):
            tree = {"bark": jnp.ones(3)}
            shrink(tree)
            tree["bark"] = jnp.ones(3)
            return shrink(tree)
    """,
    "functions that nothing in view calls have no order": """
        import jax
        import jax.numpy as jnp

        TABLE = jnp.ones(3)
        consume = jax.jit(lambda table: table * 2, donate_argnums=0)

        def first():
            return consume(TABLE)

        def second():
            return TABLE + 1
    """,
    "but a module's top level comes before its functions": """
        import jax
        import jax.numpy as jnp

        TABLE = jnp.ones(3)
        consume = jax.jit(lambda table: table * 2, donate_argnums=0)
        DOUBLE = consume(TABLE)

        def second():
            return TABLE + 1  # expect: JIT801
    """,
    "each test has an object of its own": """
        import jax
        import jax.numpy as jnp

        consume = jax.jit(lambda table: table * 2, donate_argnums=0)

        class TestTable:
            def __init__(self):
                self.table = jnp.ones(3)

            def test_doubled(self):
                assert consume(self.table) is not None

            def test_read(self):
                assert self.table[0] == 1
    """,
    "a result that is remembered is another one in each call": """
        import jax
        import jax.numpy as jnp

        consume = jax.jit(lambda tree: tree["a"] * 2, donate_argnums=0)

        def fresh(flag):
            return {"a": jnp.ones(3)}

        def twice():
            consume(fresh(True))
            return consume(fresh(True))
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(tmp_path: Path, name: str) -> None:
    check(tmp_path, PROGRAMS[name])


def test_what_only_some_paths_donate_is_possibly_gone(tmp_path: Path) -> None:
    sources = write(
        tmp_path,
        """
        import jax

        consume = jax.jit(lambda field: field * 2, donate_argnums=0)

        def step(field, quick):
            if quick:
                consume(field)
            return field + 1
        """,
    )
    assert findings(sources) == []
    (finding,) = find(sources).findings
    assert (finding.code, finding.event.confidence) == ("JIT801", Confidence.POSSIBLE)
    assert finding.event.assumptions[0].text == "a path that donates it is taken"


def test_another_method_of_the_object_may_have_donated(tmp_path: Path) -> None:
    sources = write(
        tmp_path,
        """
        import jax
        import jax.numpy as jnp

        consume = jax.jit(lambda field: field * 2, donate_argnums=0)

        class Tank:
            def __init__(self):
                self.level = jnp.ones(3)

            def drain(self):
                return consume(self.level)

            def read(self):
                return self.level + 1
        """,
    )
    (finding,) = findings(sources)
    assert (finding.code, finding.event.confidence) == ("JIT801", Confidence.LIKELY)
    assert finding.event.assumptions[0].text == "`Tank.drain` is called before"


@pytest.mark.parametrize(
    ("result", "call", "gone"),
    [
        ("field * 2", "consume(field)", True),
        ("field.sum()", "consume(field)", False),
        ('{"loss": field.mean(), "weight": 1.0}', "consume(field)", False),
        ('{"loss": field.mean(), "field": field}', "consume(field)", True),
        ("field * 2", "consume.lower(field)", False),
    ],
)
def test_a_buffer_is_gone_only_if_a_result_takes_it(tmp_path: Path, result: str, call: str, gone: bool) -> None:
    """JAX 0.10.2 keeps what a program that runs has no use for, and what is only lowered."""
    sources = write(
        tmp_path,
        f"""
        import jax
        import jax.numpy as jnp

        consume = jax.jit(lambda field: {result}, donate_argnums=0)
        field = jnp.ones(3)
        {call}
        print(field + 1)
        """,
    )
    assert [finding.code for finding in findings(sources)] == ["JIT801"] * gone


def test_a_remembered_call_makes_another_state_each_time(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax
        import jax.numpy as jnp
        from flax import struct

        @struct.dataclass
        class Tank:
            level: jax.Array

        drain = jax.jit(lambda tank: tank.replace(level=0.5 * tank.level), donate_argnums=0)

        def filled():
            return Tank(jnp.ones(3)), 3

        def compare():
            first, _ = filled()
            second, _ = filled()
            first = drain(first)
            return first.level - second.level

        def lost():
            first, _ = filled()
            second = drain(first)
            return second.level - first.level  # expect: JIT801
        """,
    )


def test_what_a_function_out_of_view_gives_is_one_object(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax
        import jax.numpy as jnp
        from tanks import restore

        drain = jax.jit(lambda tank: jax.tree.map(lambda leaf: 0.5 * leaf, tank), donate_argnums=0)

        def lost(path):
            tank = restore(path)["tank"]
            left = drain(tank)
            return jax.tree.map(jnp.subtract, left, tank)  # expect: JIT801

        def kept(path):
            left = drain(restore(path).tank)
            return jax.tree.map(jnp.subtract, left, restore(path).tank)

        def rebound(paths):
            tank = restore(paths[0])
            for path in paths:
                tank = drain(tank)
                tank = restore(path)
            return jax.tree.map(jnp.sum, tank)
        """,
    )
