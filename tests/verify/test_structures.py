"""Control flow that does not fit and buffers that are gone, confirmed by JAX; and what only looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest
from making import finding, source

from jitlint.events.event import EventKind as Kind
from jitlint.findings.finding import Finding, Verdict
from jitlint.source.text import SourceFile
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions
from jitlint.verify.worker.inside_jax.failures import Failure, bears_out, shows_difference

HEAD = """from functools import partial
import jax
import jax.numpy as jnp
from jax import lax

add = jax.jit(lambda state, x: state + x, donate_argnums=0)

"""
FIT = "return lax.scan(lambda c, x: (c + x, x), jnp.int32(0), xs)[0]"

CASES: dict[str, tuple[Kind, str, str, str, dict[str, str], str, str]] = {
    "carry at the top level": (
        Kind.CARRY,
        "lax.scan(lambda c, x: ([c[0]], x), (1.0,), jnp.ones(3))\n",
        "lax.scan(lambda c, x: ([c[0]], x), (1.0,), jnp.ones(3))",
        "",
        {"difference": "a tuple becomes a list"},
        "confirmed",
        "TypeError",
    ),
    "carry of made-up inputs": (
        Kind.CARRY,
        f"@jax.jit\ndef run(xs):\n    {FIT}\n",
        FIT[7:-3],
        "run",
        {"difference": "int becomes float"},
        "confirmed",
        "TypeError",
    ),
    "carry of an eager function": (
        Kind.CARRY,
        "def run(x):\n    return lax.fori_loop(0, 3, lambda i, c: jnp.append(c, i), x)\n",
        "lax.fori_loop(0, 3, lambda i, c: jnp.append(c, i), x)",
        "run",
        {"difference": "the leading axis grows by 1"},
        "confirmed",
        "TypeError",
    ),
    "another difference than the predicted one": (
        Kind.CARRY,
        f"@jax.jit\ndef run(xs):\n    {FIT}\n",
        FIT[7:-3],
        "run",
        {"difference": "a tuple becomes a list"},
        "refuted",
        "nothing failed here",
    ),
    "a carry that keeps": (
        Kind.CARRY,
        "@jax.jit\ndef run(n):\n    return lax.fori_loop(0, 3, lambda i, c: c / 2, n)\n\nrun(8)\n",
        "lax.fori_loop(0, 3, lambda i, c: c / 2, n)",
        "",
        {"difference": "int becomes float"},
        "refuted",
        "nothing failed here",
    ),
    "branches": (
        Kind.BRANCHES,
        "@jax.jit\ndef part(x):\n    return lax.cond(x > 0, lambda v: v * 1.0, lambda v: 0, x)\n",
        "lax.cond(x > 0, lambda v: v * 1.0, lambda v: 0, x)",
        "part",
        {"difference": "float against int"},
        "confirmed",
        "TypeError",
    ),
    "operands": (
        Kind.BRANCHES,
        "def part(x):\n    return lax.cond(True, jnp.sin, lambda: 0.0, x)\n",
        "lax.cond(True, jnp.sin, lambda: 0.0, x)",
        "part",
        {"difference": "a branch takes 0 operands and gets 1"},
        "confirmed",
        "TypeError",
    ),
    "branches in a dict": (
        Kind.BRANCHES,
        "lax.switch(0, {0: jnp.sin}, 1.0)\n",
        "lax.switch(0, {0: jnp.sin}, 1.0)",
        "",
        {"difference": "a dict is no sequence of branches"},
        "confirmed",
        "TypeError",
    ),
    "predicate": (
        Kind.PREDICATE,
        "def down(n):\n    return lax.while_loop(lambda v: v - 1, lambda v: v - 1, n)\n",
        "lax.while_loop(lambda v: v - 1, lambda v: v - 1, n)",
        "down",
        {"given": "dtype int"},
        "confirmed",
        "TypeError",
    ),
    "lengths": (
        Kind.LENGTHS,
        "@jax.jit\ndef total(x):\n    return lax.scan(lambda c, p: (c + p[0], p[1]), 0.0, (x[1:], x))\n",
        "lax.scan(lambda c, p: (c + p[0], p[1]), 0.0, (x[1:], x))",
        "total",
        {"difference": "one leading axis is 1 longer than another"},
        "confirmed",
        "ValueError",
    ),
    "axis to map over": (
        Kind.LENGTHS,
        "@jax.jit\ndef scaled(x, by):\n    return jax.vmap(lambda a, b: a * b)(x, by.sum())\n",
        "jax.vmap(lambda a, b: a * b)(x, by.sum())",
        "scaled",
        {"rank": "0", "axis": "0"},
        "confirmed",
        "ValueError",
    ),
    "read after donation": (
        Kind.DONATED,
        "def run(x):\n    new = add(x, 1.0)\n    return new, float(x.sum())\n",
        "x.sum()",
        "run",
        {"donated": "mod.py:9"},
        "confirmed",
        "RuntimeError",
    ),
    "read after donation at the top level": (
        Kind.DONATED,
        "first = jnp.ones(3)\nadd(first, 1.0)\nprint(first + 1)\n",
        "first + 1",
        "",
        {"donated": "mod.py:9"},
        "confirmed",
        "Error",
    ),
    "passed again in a loop": (
        Kind.DONATED,
        "def run(x):\n    for i in range(3):\n        new = add(x, 1.0)\n    return new\n",
        "add(x, 1.0)",
        "run",
        {"donated": "mod.py:10"},
        "confirmed",
        "ValueError",
    ),
    "passed twice in one call": (
        Kind.DONATED,
        "def run(x):\n    return add(x, x)\n",
        "add(x, x)",
        "run",
        {"donated": "mod.py:9"},
        "confirmed",
        "JaxRuntimeError",
    ),
    "donated by an earlier run of ours": (
        Kind.DONATED,
        "START = jnp.ones(3)\n\ndef run():\n    return add(START, 1.0)\n\nrun()\n",
        "add(START, 1.0)",
        "run",
        {"donated": "mod.py:11"},
        "refuted",
        "",
    ),
    "only its shape is read": (
        Kind.DONATED,
        "def run(x):\n    new = add(x, 1.0)\n    return new, x.shape\n",
        "x.shape",
        "run",
        {"donated": "mod.py:9"},
        "inconclusive",
        "made up",
    ),
    "donation inside of a trace": (
        Kind.DONATED,
        "@jax.jit\ndef run(x):\n    new = add(x, 1.0)\n    return new - x\n\nrun(jnp.ones(3))\n",
        "new - x",
        "",
        {"donated": "mod.py:10"},
        "refuted",
        "",
    ),
}


def found(file: SourceFile, name: str) -> Finding:
    kind, _, at, root, detail, _, _ = CASES[name]
    return finding(file, kind, "jax.lax", at, symbol=root, root=root, detail=detail)


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict]:
    """The verdicts of all cases, each in a file of its own."""
    folder: Path = tmp_path_factory.mktemp("structures")
    files = {}
    for number, (name, case) in enumerate(CASES.items()):
        (folder / str(number)).mkdir()
        files[name] = source(folder / str(number) / "mod.py", HEAD + case[1])
    seen = verify(
        [found(file, name) for name, file in files.items()], list(files.values()), VerifyOptions(full_import=True)
    )
    return {name: one.verdict for name, one in zip(files, seen, strict=True) if one.verdict}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_jax_says(verdicts: dict[str, Verdict], name: str) -> None:
    *_, status, words = CASES[name]
    verdict = verdicts[name]
    assert verdict.status == status, verdict
    assert words in verdict.reason


def failure(message: str, name: str = "TypeError") -> Failure:
    return Failure(name, (name, "Exception"), message, ())


@pytest.mark.parametrize(
    ("kind", "message", "expected"),
    [
        ("carry", "scan body function carry input and carry output must have equal types, but they differ:", True),
        ("carry", "scan body output must be a pair, got float32[].", False),
        ("branches", "switch branches must have equal output types but they differ.", True),
        ("branches", "cond branch outputs must have the same pytree structure, but they differ:", True),
        ("branches", "stay() takes 1 positional argument but 2 were given", True),
        ("branches", "Pred must be a scalar, got [ True  True] of shape (2,).", False),
        ("predicate", "cond_fun must return a boolean scalar, but got pytree PyTreeDef((*, *)).", True),
        ("lengths", "scan got values with different leading axis sizes: 4, 5.", False),
        ("donated", "Array has been deleted with shape=float32[3].", False),
    ],
)
def test_failures_of_these_kinds(kind: str, message: str, expected: bool) -> None:
    assert bears_out(kind, failure(message)) is expected


def test_failures_of_other_types() -> None:
    lengths = "scan got `length` argument of 4 which disagrees with leading axis sizes [5]."
    assert bears_out("lengths", failure(lengths, "ValueError"))
    for message in (
        "Array has been deleted with shape=float32[3].",
        "INVALID_ARGUMENT: Invalid buffer passed to Execute(): Buffer has been deleted or donated.",
        "INVALID_ARGUMENT: Attempt to donate a buffer which is also used by the same call to Execute()",
        "INVALID_ARGUMENT: Attempt to use a buffer that was previously donated in the same call to Execute()",
        "INVALID_ARGUMENT: Attempt to donate the same buffer twice in Execute()",
    ):
        assert bears_out("donated", failure(message, "RuntimeError"))
        assert not bears_out("donated", failure(message, "KeyError"))


@pytest.mark.parametrize(
    ("difference", "message", "expected"),
    [
        ("int becomes float", "type int32[] but … has type float32[], so the dtypes do not match", True),
        ("int becomes float", "type bool[] but … has type float32[], so the dtypes do not match", False),
        ("float against int", "type uint8[3] but … has type bfloat16[3], so the dtypes do not match", True),
        ("rank 0 becomes 1", "type int32[] but … int32[1], so the shapes do not match", True),
        ("rank 0 becomes 1", "type int32[] but … float32[], so the dtypes do not match", False),
        ("the leading axis grows by 1", "so the shapes do not match", True),
        ("the dict's key 'rank' is not in both", "must have the same pytree structure", True),
        ("a tuple of 2 becomes one of 3", "so the shapes do not match", False),
        ("a branch takes 0 operands and gets 1", "f() takes 0 positional arguments but 1 was given", True),
        ("", "anything", True),
    ],
)
def test_the_predicted_difference_is_looked_for(difference: str, message: str, expected: bool) -> None:
    assert shows_difference(failure(message), difference) is expected
