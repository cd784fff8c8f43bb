"""What would fail in tests is no finding; what fails wherever it runs is one, whoever runs it."""

from __future__ import annotations

from pathlib import Path

from programs import check, events

from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import Confidence, EventKind

STEP = """
    import jax

    def step(x, limit):
        if x.sum() > limit:{}
            return x
        return -x

    {}
    def compiled(x):
        if x.sum() > 0:{}
            return x
        return -x

    def overwritten(x):
        x[0] = 0.0
        return x
"""

TEST = """
    import jax
    import jax.numpy as jnp
    import pytest
    from step import compiled, overwritten, step

    def test_step():
        jax.jit(step)(jnp.ones(3), 1.0)
        compiled(jnp.ones(3))
        overwritten(jnp.ones(3))

    @jax.jit
    def doubled(x):
        assert x.sum() > 0
        return x * 2
"""


def test_what_only_a_test_traces_is_no_finding(tmp_path: Path) -> None:
    files = {"step.py": STEP.format("", "@jax.jit", "  # expect: JIT101"), "tests/test_step.py": TEST}
    check(tmp_path, files)
    possible = {(e.kind, e.place.path) for e in events(tmp_path, files) if e.confidence is Confidence.POSSIBLE}
    assert {
        (EventKind.BOOL, "step.py"),
        (EventKind.INPLACE, "step.py"),
        (EventKind.BOOL, "tests/test_step.py"),
    } <= possible


RUN_BY = """
    import jax.numpy as jnp
    import pytest
    from step import compiled

    def test_step(request):
        {}
            compiled(jnp.ones(3))
"""


def test_what_several_files_of_tests_run_is_no_finding(tmp_path: Path) -> None:
    test = RUN_BY.format("for _ in range(2):")
    step = STEP.format("", "@jax.jit", "")
    check(tmp_path, {"step.py": step, "tests/test_step.py": test, "tests/test_more.py": test})
    found = {event.assumptions for event in events(tmp_path, {"step.py": step, "a_test.py": test, "b_test.py": test})}
    assert found == {(Assumption(AssumptionKind.PASSES_TESTS, "`a_test.py` and `b_test.py`, which run it, fail"),)}


def test_what_a_test_may_not_run_is_found(tmp_path: Path) -> None:
    step = STEP.format("", "@jax.jit", "  # expect: JIT101")
    test = RUN_BY.format("if request.config.slow:")
    check(tmp_path, {"step.py": step, "tests/test_step.py": test, "tests/test_more.py": test})


def test_what_a_test_expects_to_fail_is_not_shown_to_pass(tmp_path: Path) -> None:
    step = STEP.format("", "@jax.jit", "")
    files = {"step.py": step, "tests/test_step.py": RUN_BY.format("with pytest.raises(Exception):")}
    (found,) = events(tmp_path, files)
    assert [each.kind for each in found.assumptions] == [AssumptionKind.NOT_CAUGHT]


def test_what_tests_show_of_a_class_holds_wherever_it_is_changed(tmp_path: Path) -> None:
    grid = """
        from flax import struct

        @struct.dataclass
        class Grid:
            size: int

        @struct.dataclass
        class Frozen:
            size: int

        def grow(grid: Grid):
            grid.size = 2 * grid.size

        def shrink(grid: Grid):
            grid.size = 1

        def reset(frozen: Frozen):
            frozen.size = 0  # expect: JIT508
    """
    test = """
        from grid import Grid, grow

        def test_grow():
            grid = Grid(3)
            grow(grid)
            assert grid.size == 6
    """
    check(tmp_path, {"grid.py": grid, "test_grid.py": test, "test_more.py": test})


def test_what_the_program_traces_is_found_beside_its_tests(tmp_path: Path) -> None:
    train = """
        import jax
        import jax.numpy as jnp
        from step import overwritten, step

        jax.jit(step)(jnp.ones(3), 1.0)
        overwritten(jnp.ones(3))
    """
    text = STEP.replace("x[0] = 0.0", "x[0] = 0.0  # expect: JIT507")
    files = {"step.py": text.format("  # expect: JIT101", "@jax.jit", "  # expect: JIT101")}
    check(tmp_path, {**files, "tests/test_step.py": TEST, "train.py": train})


def test_what_is_silently_wrong_is_found_in_tests_too(tmp_path: Path) -> None:
    text = """
        import jax
        import jax.numpy as jnp

        SEEN = []

        @jax.jit
        def step(x):
            SEEN.append(x)  # expect: JIT503
            return x

        def test_step():
            step(jnp.ones(3))
    """
    check(tmp_path, {"tests/test_step.py": text})


def test_what_asks_for_a_value_in_a_module_is_meant_to_run_untraced(tmp_path: Path) -> None:
    text = """
        import jax.numpy as jnp
        from flax import nnx

        class Tower(nnx.Module):
            def __call__(self, pixels, sizes):
                longest = jnp.max(sizes).item()
                if jnp.sum(sizes) > 3:  # expect: JIT101
                    return pixels * int(jnp.sum(sizes)) + longest
                return pixels
    """
    check(tmp_path, {"tower.py": text})
