"""Which fixes are applied, by what their proofs say; the proofs are made up here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from jitlint import pipeline
from jitlint.events.entry_point import EntryPoint
from jitlint.findings.finding import Proof
from jitlint.fixing.proofs import Proven, proven
from jitlint.fixing.rounds import Files, Fixer
from jitlint.source.text import SourceFile

TEXT = """\
import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    if x > 0:
        return x
    return -x
"""
DISCARDED = """\
import jax
import jax.numpy as jnp


@jax.jit
def step(x):
    x.at[0].set(1.0)
    return x if x.sum() > 2.0 else -x
"""


def tried(text: str, judge: Callable[[str], Proof]) -> tuple[Proven, str]:
    """What comes of a file if `judge` says what each edited text is worth."""

    def prove(entries: Sequence[EntryPoint], before: Files, after: Files) -> list[Proof]:
        assert before == files
        return [judge(after[0].text) for _ in entries]

    files = (SourceFile(Path("a.py"), "a.py", text),)
    fixer = Fixer(lambda files: pipeline.find(files).findings)
    done = proven(fixer, files, lambda files: pipeline.find(files).entries, prove)
    return done, done.fixed.files[0].text


def test_what_is_proven_is_applied() -> None:
    done, text = tried(TEXT, lambda text: Proof("proven", "equal"))
    assert "return jnp.where(x > 0, x, -x)" in text
    assert [proof.status for proof in done.proofs] == ["proven"]
    assert done.left == done.disproven == ()


def test_another_fix_takes_the_place_of_a_disproven_one_which_is_still_told_of() -> None:
    done, text = tried(TEXT, lambda text: Proof("disproven" if "jnp.where" in text else "proven", ""))
    assert "jax.lax.cond(x > 0" in text
    assert done.left == ()
    assert [one.fix.remedy for one, _ in done.disproven] == ["where"]


@pytest.mark.parametrize(
    "proof", [Proof("open", "no inputs"), Proof("disproven", "wrong"), Proof("proven", "equal", ("x > 0",))]
)
def test_without_a_proof_of_both_sides_nothing_is_changed(proof: Proof) -> None:
    done, text = tried(TEXT, lambda text: proof)
    assert text == TEXT
    ((_, left),) = done.left
    assert left.status == ("disproven" if proof.status == "disproven" else "open")


def test_another_condition_may_come_out_in_one_way() -> None:
    assert tried(TEXT, lambda text: Proof("proven", "equal", ("y > 0",)))[1] != TEXT


def test_a_fix_that_is_meant_to_change_results_is_not_blamed_for_it() -> None:
    done, text = tried(DISCARDED, lambda text: Proof("disproven" if "x = x.at" in text else "proven", "differs"))
    assert done.disproven == ()
    assert [(one.fix.remedy, proof.status) for one, proof in done.left] == [("bound_result", "open")]
    assert "jnp.where(x.sum() > 2.0" in text and "x = x.at" not in text
