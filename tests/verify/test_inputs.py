"""Inputs are found by declaration, by use, and by what failures say; undecided suspicions say why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from making import finding, source

from jitlint.events.event import EventKind as Kind
from jitlint.findings.finding import Verdict
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions

HEAD = "from functools import partial\nfrom typing import NamedTuple, Protocol\nimport jax\nimport jax.numpy as jnp\n\n"


def verdict(
    folder: Path,
    text: str,
    at: str,
    expression: str = "",
    *,
    kind: Kind = Kind.BOOL,
    construct: str = "if",
    **more: object,
) -> Verdict:
    file = source(folder / "mod.py", HEAD + text)
    (seen,) = verify([finding(file, kind, construct, at, expression, **more)], [file], VerifyOptions())
    assert seen.verdict is not None
    return seen.verdict


CONFIRMED = {
    "keys of dicts and ranks of products": (
        "def loss(p, x):\n    y = jnp.tanh(x @ p['w'] + p['b'])\n    return y if y.sum() > 1 else -y\n\n"
        "step = jax.jit(loss)\n",
        "y.sum() > 1",
        "jax.jit(loss)",
        "loss",
        "step",
    ),
    "instances by annotation": (
        "class State(NamedTuple):\n    pos: jax.Array\n    speed: float\n\n"
        "@jax.jit\ndef move(s: State):\n    if s.speed > 1:\n        return s.pos\n    return s.pos.sum(1)\n",
        "s.speed > 1",
        "jax.jit\ndef",
        "move",
        "move",
    ),
    "instances by the attributes that are used": (
        "class Field:\n    def __init__(self, gain):\n        self.gain = gain\n"
        "    def force(self, x):\n        return self.gain * x\n\n"
        "@jax.jit\ndef inner(f):\n    return 1 if f > 2 else 3\n\n"
        "def drive(field, x):\n    return inner(field.force(x))\n",
        "f > 2",
        "jax.jit\ndef",
        "inner",
        "drive",
    ),
    "static arguments stay Python values": (
        "@partial(jax.jit, static_argnames='n')\ndef power(x, n):\n    for _ in range(n):\n        x = x * x\n"
        "    if x > 0:\n        return x\n    return -x\n",
        "x > 0",
        "partial(jax.jit, static_argnames='n')",
        "power",
        "power",
    ),
    "methods of instances": (
        "class Net:\n    def __init__(self, width):\n        self.w = jnp.ones(width)\n"
        "        self.run = jax.jit(self.call)\n    def call(self, x):\n        y = x @ self.w\n"
        "        while y > 0:\n            y = y - 1\n        return y\n",
        "y > 0",
        "jax.jit(self.call)",
        "Net.call",
        "Net.call",
    ),
    "parameters whose class is a protocol": (
        "class Score(Protocol):\n    def __call__(self, x): ...\n\n"
        "@partial(jax.jit, static_argnums=1)\ndef scored(x, score: Score):\n    if score(x).sum() > 0:\n"
        "        return x\n    return -x\n",
        "score(x).sum() > 0",
        "partial(jax.jit, static_argnums=1)",
        "scored",
        "scored",
    ),
    "functions made by functions": (
        "def make(scale):\n    @jax.jit\n    def run(a):\n        assert a > scale\n        return a\n    return run\n",
        "a > scale",
        "jax.jit",
        "",
        "make",
    ),
    "batches": (
        "def one(key, x):\n    u = jax.random.uniform(key)\n    return x if u > 0.5 else -x\n\n"
        "many = jax.jit(jax.vmap(one))\n",
        "u > 0.5",
        "jax.jit(jax.vmap(one))",
        "one",
        "many",
    ),
    "what is behind another failure": (
        "@jax.jit\ndef two(x, y):\n    if x > 0:\n        y = y + 1\n    if y > 5:\n        return y\n    return x\n",
        "y > 5",
        "jax.jit",
        "two",
        "two",
    ),
}


@pytest.mark.parametrize("name", CONFIRMED)
def test_inputs_are_found(tmp_path: Path, name: str) -> None:
    text, at, entry, function, root = CONFIRMED[name]
    seen = verdict(tmp_path, text, at, entry=entry, function=function, root=root)
    assert seen.status == "confirmed", seen
    assert seen.evidence["exception"] == "TracerBoolConversionError"
    assert seen.inputs


def test_the_suspect_behind_another_failure_is_judged_apart(tmp_path: Path) -> None:
    text = CONFIRMED["what is behind another failure"][0]
    seen = verdict(tmp_path, text, "y > 5", entry="jax.jit", function="two", root="two")
    assert seen.evidence["others_forced"] is True
    assert "forced past" in seen.reason


def test_calls_of_the_module_come_first(tmp_path: Path) -> None:
    text = "@jax.jit\ndef f(x):\n    return 1 if x[1, 2] > 0 else 2\n\nDATA = jnp.ones((3, 5))\n"
    seen = verdict(tmp_path, text, "x[1, 2] > 0", entry="jax.jit", function="f", root="f", calls=("(DATA)",))
    assert (seen.status, seen.inputs) == ("confirmed", ("(DATA)",))


def test_harmless_code_is_refuted_with_the_inputs_named(tmp_path: Path) -> None:
    text = "@jax.jit\ndef f(x):\n    if x.ndim > 1:\n        return x.sum()\n    return x\n"
    seen = verdict(tmp_path, text, "x.ndim > 1", entry="jax.jit", function="f", root="f")
    assert seen.status == "refuted" and seen.inputs
    assert set(seen.evidence["build"]["seconds"]) == {"trace", "lower", "compile"}


def test_a_default_that_callers_override_is_not_refuted(tmp_path: Path) -> None:
    text = "@jax.jit\ndef f(x, scale=None):\n    return x * (scale or 2.0)\n"
    seen = verdict(tmp_path, text, "scale or", "scale", construct="or", entry="jax.jit", function="f", root="f")
    assert seen.status == "confirmed", seen


UNDECIDED = {
    "not traced": ("def f(x):\n    return 1 if x > 0 else 2\n", "x > 0", "f", "not-traced"),
    "never reached": (
        "@jax.jit\ndef f(x):\n    if len(x.shape) > 40:\n        if x > 0:\n            return 1\n    return x\n",
        "x > 0",
        "f",
        "not-reached",
    ),
    "fails before": (
        "@jax.jit\ndef f(x):\n    raise RuntimeError('out of order')\n    return 1 if x > 0 else 2\n",
        "x > 0",
        "f",
        "no-inputs",
    ),
}


@pytest.mark.parametrize("name", UNDECIDED)
def test_undecided_says_why(tmp_path: Path, name: str) -> None:
    text, at, root, reason = UNDECIDED[name]
    seen = verdict(tmp_path, text, at, function="f", root=root)
    assert (seen.status, seen.evidence.get("reason")) == ("inconclusive", reason), seen


def test_an_error_of_another_kind_at_the_place_proves_nothing(tmp_path: Path) -> None:
    text = "@jax.jit\ndef f(x):\n    return jnp.zeros(3) + (x @ jnp.ones((7, 9)))\n"
    seen = verdict(
        tmp_path, text, "x @ jnp.ones((7, 9))", kind=Kind.SHAPE, construct="f", entry="jax.jit", function="f", root="f"
    )
    assert seen.status != "confirmed", seen


def test_modules_of_packages_are_loaded_as_such(tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "tools.py").write_text("def double(x):\n    return 2 * x\n")
    file = source(
        package / "mod.py",
        "import jax\nfrom .tools import double\n\n@jax.jit\ndef f(x):\n    return 1 if double(x) > 0 else 2\n",
    )
    found = finding(file, Kind.BOOL, "ternary", "double(x) > 0", entry="jax.jit")
    found = replace(found, event=replace(found.event, symbol="pkg.mod.f"))
    (seen,) = verify([found], [file], VerifyOptions())
    assert seen.verdict and seen.verdict.status == "confirmed", seen.verdict
