"""What would fail in tests is no finding; what fails wherever it runs is one, whoever runs it."""

from __future__ import annotations

from pathlib import Path

from programs import check, events

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
