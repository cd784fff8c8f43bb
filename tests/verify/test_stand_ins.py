"""Programs are rehearsed without compilation, and run for true where their results may matter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from making import source

from jitlint.events.event import EventKind
from jitlint.pipeline import find
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions
from jitlint.verify.worker.inside_jax import stand_ins
from jitlint.verify.worker.inside_jax.stand_ins import StandIns


@pytest.fixture
def seen() -> StandIns:
    return StandIns()


def test_results_have_their_shapes_and_dtypes(seen: StandIns) -> None:
    @jax.jit
    def results(x: jax.Array) -> dict[str, Any]:
        keys = jax.random.split(jax.random.key(0))
        return {"sum": x.sum(), "weak": jnp.sin(1.0), "half": x.astype(jnp.bfloat16), "none": None, "keys": keys}

    x = jnp.arange(3.0)
    expected = jax.tree.map(jax.typeof, results(x))
    with stand_ins.standing_in(1, seen, {__file__}):
        found = jax.jit(lambda x: results(x))(x)
    assert jax.tree.map(jax.typeof, found) == expected
    assert seen.made and not seen.decided
    assert (float(found["sum"]), float(found["weak"])) == (1.0, 1.0)  # and neither 3 nor sin(1)


def test_numbers_fit_into_small_integers(seen: StandIns) -> None:
    with stand_ins.standing_in(1000, seen, {__file__}):
        found = jax.jit(lambda x: (x.astype(jnp.uint8), x > 9))(np.ones(2))
    assert seen.made
    assert [(part.dtype, part.tolist()) for part in found] == [(jnp.uint8, [232, 232]), (jnp.bool_, [True, True])]


def test_what_has_been_compiled_runs(seen: StandIns) -> None:
    @jax.jit
    def doubled(x: jax.Array) -> jax.Array:
        return 2 * x

    x = jnp.ones(3)
    doubled(x)
    with stand_ins.standing_in(0, seen, {__file__}):
        assert doubled(x).tolist() == [2.0, 2.0, 2.0]
    assert not seen.made and not seen.decided


def test_decisions_are_noted(seen: StandIns) -> None:
    with stand_ins.standing_in(0, seen, {__file__}):
        made = jax.jit(lambda x: x - 4)(np.ones(()))
        assert f"{made:.1f}" == "0.0"
        reported = seen.made, seen.decided
        assert int(made) == 0
    assert reported == (True, False) and seen.decided


def test_only_the_users_files_decide(seen: StandIns) -> None:
    with stand_ins.standing_in(0, seen, {"/elsewhere.py"}):
        assert not jax.jit(lambda x: x - 7)(np.ones(()))
    assert seen.made and not seen.decided


def test_callbacks_are_called(seen: StandIns) -> None:
    called = []

    @jax.jit
    def reported(x: jax.Array) -> jax.Array:
        jax.debug.callback(lambda x: called.append(float(x)), x)
        return x + 1

    with stand_ins.standing_in(0, seen, {__file__}):
        reported(jnp.float32(2.0))
        jax.effects_barrier()
    assert called == [2.0]


def test_donated_buffers_are_gone(seen: StandIns) -> None:
    add = jax.jit(lambda x, y: x + y, donate_argnums=0)
    total = jax.jit(lambda x, y: y.sum(), donate_argnums=0)
    x, y, z = jnp.ones(3), jnp.ones(3), jnp.ones(4)
    with stand_ins.standing_in(0, seen, {__file__}):
        add(x, y)
        total(z, y)  # no result has its shape
        with pytest.raises(RuntimeError, match="deleted"):
            add(x, y)
        with pytest.raises(jax.errors.JaxRuntimeError, match="donate"):
            add(y, y)
    assert x.is_deleted() and not z.is_deleted()


PROGRAM = """\
import functools

import jax
import jax.numpy as jnp


@jax.jit
def advance(x):
    if x.shape != (5,):
        raise ValueError("not the shape of the program")
    return x + 1, x.sum() > 100


@jax.jit
def summary(x):
    if x.shape != (5,):
        raise ValueError("not the shape of the program")
    return float(x.sum())  # after a loop that a result ends


@functools.partial(jax.jit, donate_argnums=0)
def halved(x):
    return x / 2


def compared(x):
    half = halved(x)
    return half.sum() - x.sum()  # donated


def main():
    x, done = jnp.arange(5.0), jnp.bool_(False)
    while not done:
        x, done = advance(x)
    compared(x + 0)
    print(summary(x))


if __name__ == "__main__":
    main()
"""


@pytest.mark.slow
def test_a_rehearsal_takes_the_ways_that_results_decide(tmp_path: Path) -> None:
    files = [source(tmp_path / "program.py", PROGRAM)]
    verdicts = {each.event.kind: each.verdict for each in verify(list(find(files).findings), files, VerifyOptions())}
    assert {kind: verdict.status for kind, verdict in verdicts.items() if verdict} == {
        EventKind.CONVERT: "confirmed",
        EventKind.DONATED: "confirmed",
    }
    donated = verdicts[EventKind.DONATED]
    assert donated is not None and donated.evidence["inputs_from"] == "program"
