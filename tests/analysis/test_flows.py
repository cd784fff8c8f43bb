"""The steps of a flow: where a traced value was born, what it went through, where it was needed."""

from __future__ import annotations

from pathlib import Path

from programs import events, steps, write

from jitlint.analysis.api import analyze
from jitlint.events.assumption import Confidence
from jitlint.events.event import EventKind
from jitlint.project.cache import Cache
from jitlint.project.modules import Project


def test_a_flow_goes_from_the_argument_through_calls_to_the_place(tmp_path: Path) -> None:
    (event,) = events(
        tmp_path,
        """\
        import jax

        def helper(v, scale):
            w = v * scale
            if w > 0:
                return w
            return v

        def step(x):
            y = x + 1
            return helper(y, 2)

        fast = jax.jit(step)
        """,
    )
    assert (event.kind, event.construct, event.subject) == (EventKind.BOOL, "if", "w > 0")
    assert (event.place.line, event.place.column, event.place.end_column) == (5, 8, 13)
    assert event.origin == "argument `x` of `step`"
    assert event.symbol == "program.helper"
    assert event.confidence is Confidence.CERTAIN
    assert event.entry is not None
    assert (event.entry.place.line, event.entry.transform, event.entry.function) == (13, "jax.jit", "program:step")
    told = steps(event)
    assert told[0] == (9, "argument `x` of `step`, traced by jax.jit")
    assert told[-3:] == [(10, "assigned to `y`"), (11, "passed to `helper` as `v`"), (4, "assigned to `w`")]


def test_a_flow_crosses_files(tmp_path: Path) -> None:
    sources = write(
        tmp_path,
        {
            "train.py": "import jax\nfrom lib import relu\n\n@jax.jit\ndef step(x):\n    return relu(x)\n",
            "lib.py": "def relu(v):\n    return v if v > 0 else 0\n",
        },
    )
    (event,) = analyze(Project(sources, Cache(None))).events
    assert (event.place.path, event.place.line, event.construct) == ("lib.py", 2, "ternary")
    assert event.flow[0].place.path == "train.py"
    assert event.entry is not None
    assert event.entry.place.path == "train.py"
    assert event.root is not None
    assert event.root.path == "train.py"


def test_what_a_closure_brings_is_told(tmp_path: Path) -> None:
    (event,) = events(
        tmp_path,
        """\
        import jax

        @jax.jit
        def outer(x):
            scale = x * 2

            def inner(v):
                return v if scale > 0 else -v

            return inner(1.0)
        """,
    )
    assert event.origin == "argument `x` of `outer`"
    assert event.symbol.endswith("inner")
    assert (5, "assigned to `scale`") in steps(event)


def test_what_is_computed_inside_has_its_own_origin(tmp_path: Path) -> None:
    (event,) = events(
        tmp_path,
        """\
        import jax
        import jax.numpy as jnp

        @jax.jit
        def f(x):
            limit = jnp.zeros(3).sum()
            if limit > 2:
                return x
            return -x
        """,
    )
    assert "jax.numpy.zeros" in event.origin
    assert event.flow[0].place.line == 6


def test_what_is_made_of_a_shape_comes_from_the_data_that_is_put_into_it(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        """\
        import jax
        import jax.numpy as jnp

        @jax.jit
        def counts(places):
            found = jnp.zeros(4).at[places].add(1)
            return jnp.nonzero(found)

        @jax.jit
        def first(values):
            return float(jnp.concatenate([jnp.zeros(1), values])[0])
        """,
    )
    assert [event.origin for event in found] == ["argument `places` of `counts`", "argument `values` of `first`"]


def test_loops_do_not_lengthen_flows(tmp_path: Path) -> None:
    _, event = events(
        tmp_path,
        """\
        import jax

        @jax.jit
        def f(x, n=100):
            for _ in range(n):
                y = x + 1
                x = y * 2
            if x > 0:
                return x
            return -x
        """,
    )
    assert event.kind is EventKind.BOOL
    places = [line for line, _ in steps(event)]
    assert len(places) == len(set(places))


def test_a_guess_is_named(tmp_path: Path) -> None:
    (event,) = events(
        tmp_path,
        """\
        import jax

        @jax.jit
        def f(flag):
            if flag:
                return 1
            return 2
        """,
    )
    assert event.confidence is Confidence.LIKELY
    assert event.assumptions[0].text == "`flag` is an array"


def test_what_is_caught_is_only_possible(tmp_path: Path) -> None:
    (event,) = events(
        tmp_path,
        """\
        import jax

        @jax.jit
        def f(x):
            try:
                return float(x)
            except jax.errors.ConcretizationTypeError:
                return x
        """,
    )
    assert event.confidence is Confidence.POSSIBLE


def test_top_level_calls_of_the_root_are_kept(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        """\
        import jax

        def f(x):
            if x > 0:
                return x
            return -x

        g = jax.jit(f)
        g(1.0)
        g(x=2.0)
        """,
    )
    (event,) = found
    assert event.root is not None
    assert set(event.root.calls) <= {"(1.0)", "(x=2.0)"}
    assert event.place.line == 4
