"""Annotations and assertions about shapes give the inputs, with sides that are equal only where they say so."""

from __future__ import annotations

from pathlib import Path

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, Bool, Complex, Float, Int, Key, PRNGKeyArray, Shaped, UInt8
from making import finding, source
from numpy.typing import NDArray

from jitlint.events.event import EventKind as Kind
from jitlint.findings.finding import Verdict
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions
from jitlint.verify.worker.inputs import annotated, proposals
from jitlint.verify.worker.inputs.specs import build, describe
from jitlint.verify.worker.user_code.uses import Use


@pytest.mark.parametrize(
    ("annotation", "described"),
    [
        (Float[Array, "batch dim"], "f32[5,7]"),
        (Float[Array, ""], "f32[]"),
        (Int[Array, "batch batch"], "i32[5,5]"),
        (Float[Array, "dim dim+1 2*dim dim//2"], "f32[5,6,10,2]"),
        (Float[Array, "*batch 3 #dim ?leaf"], "f32[5,3,7,11]"),
        (Float[Array, "... dim"], "f32[5]"),
        (Float[Array, "_ _rows cols=2 {self.size}"], "f32[4,4,2,4]"),
        (Bool[Array, "n"], "bool[5]"),
        (UInt8[Array, "height width 3"], "uint8[5,7,3]"),
        (Complex[Array, "n"], "complex64[5]"),
        (Shaped[Array, "n"], "f32[5]"),
        (Key[Array, "n"], "key[5]"),
        (PRNGKeyArray, "key"),
        (Float[Array, "n"] | None, "f32[5]"),
        (tuple[Float[Array, "n"], Int[Array, "n m"]], "(f32[5], i32[5,7],)"),  # noqa: F722, F821
        (jax.ShapeDtypeStruct((3, 4), jnp.int32), "i32[3,4]"),
        (NDArray[np.float32], "f32[4]"),
        (NDArray[np.uint8], "uint8[4]"),
        (jax.typing.ArrayLike, "f32[4]"),
        (chex.Array, "f32[4]"),
    ],
)
def test_what_an_annotation_describes(annotation: object, described: str) -> None:
    use = Use(array=True, rank=1) if "[4]" in described else Use()
    with annotated.signature():
        spec = proposals.first_guess("x", use, annotation, host=False)
    assert describe(spec) == described
    assert build(spec) is not None


def test_names_mean_the_same_within_a_signature_and_nothing_outside() -> None:
    def shapes(*annotations: object) -> list[object]:
        with annotated.signature():
            return [getattr(annotated.of_array(one), "shape", None) for one in annotations]

    assert shapes(Float[Array, "a b"], Float[Array, "b c"]) == [(5, 7), (7, 11)]
    assert shapes(Float[Array, "c a"]) == [(5, 7)]


HEAD = """\
import chex
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, jaxtyped

"""


def verdict(folder: Path, text: str, at: str = "y.sum() > 0") -> Verdict:
    file = source(folder / "mod.py", HEAD + text)
    found = finding(file, Kind.BOOL, "if", at, entry="jax.jit", function="step", root="step")
    (seen,) = verify([found], [file], VerifyOptions())
    assert seen.verdict is not None
    return seen.verdict


def test_annotated_dimensions_fit_each_other_and_no_others(tmp_path: Path) -> None:
    """With equal sides `x + bias` would broadcast over the wrong axis unseen; annotated ones take one try."""
    text = """\
@jax.jit
def step(x: Float[Array, "batch inner"], w: Float[Array, "inner outer"], bias: Float[Array, "outer"], n: int):
    if x.shape[0] == w.shape[0] or x.shape[1] == w.shape[1]:
        raise ValueError("sides that the annotations do not equate")
    y = x @ w + bias
    if y.sum() > 0:
        return y
    return -y
"""
    seen = verdict(tmp_path, text)
    assert seen.status == "confirmed"
    assert seen.inputs == ("x=f32[5,7]", "w=f32[7,11]", "bias=f32[11]", "n=2")
    assert seen.evidence["inputs_from"] == "annotations"


def test_assertions_of_shapes_and_keys_by_name(tmp_path: Path) -> None:
    text = """\
@jax.jit
def step(x: chex.Array, p, q, z, seed: chex.PRNGKey):
    chex.assert_shape(x, (None, 3, 5))
    chex.assert_rank([p, q], 3)
    if z.shape != (6, 2):
        raise ValueError
    y = x.sum() + jnp.linalg.norm(p - q, axis=2).sum() + z.sum() + jax.random.normal(seed)
    if y.sum() > 0:
        return y
    return -y
"""
    seen = verdict(tmp_path, text)
    assert seen.status == "confirmed"
    assert (seen.inputs[0], *seen.inputs[3:]) == ("x=f32[4,3,5]", "z=f32[6,2]", "seed=key")
