"""Inputs are found by declaration, by use, and by what failures say; undecided suspicions say why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from making import finding, place, source

from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind as Kind
from jitlint.findings.finding import Verdict
from jitlint.source.places import Step
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
    "entries within other transforms": (
        "class Board(NamedTuple):\n    cells: jax.Array\n    turn: jax.Array\n\n"
        "def material(board):\n    return board.cells.sum()\n\n"
        "def tempo(board):\n    return 1.0 if board.turn > 0 else -1.0\n\n"
        "TERMS = {'plain': lambda: [material], 'lively': lambda: [material, tempo]}\n\n"
        "class Judge:\n    def __init__(self, style='plain'):\n        self.terms = TERMS[style]()\n"
        "        self.many = jax.jit(jax.vmap(self.score))\n"
        "    def score(self, board: Board):\n        return sum(term(board) for term in self.terms)\n",
        "board.turn > 0",
        "jax.jit(jax.vmap(self.score))",
        "Judge.score",
        "Judge.score",
    ),
    "options of objects that the code makes with none": (
        "class Config:\n    def __init__(self, greedy=0.0):\n        self.greedy = greedy\n\n"
        "@partial(jax.jit, static_argnums=1)\ndef picked(x, cfg):\n    if cfg.greedy > 0:\n"
        "        return x if x > 0 else -x\n    return x\n\ndef configured():\n    return Config()\n",
        "x > 0",
        "partial(jax.jit, static_argnums=1)",
        "picked",
        "picked",
    ),
    "options that are lists": (
        "class Pipeline:\n    def __init__(self, steps=['scale']):\n        self.steps = steps\n"
        "    def run(self, x):\n        for step in self.steps:\n            if step == 'clip':\n"
        "                return x if x < 1 else x / x\n            if step == 'scale':\n                x = 2 * x\n"
        "        return x\n\ndef ready(pipeline):\n    return jax.jit(jax.vmap(pipeline.run))\n",
        "x < 1",
        "jax.jit(jax.vmap(pipeline.run))",
        "Pipeline.run",
        "ready",
    ),
    "parts that other methods take": (
        "class Cloud(NamedTuple):\n    place: jax.Array\n    speed: jax.Array\n\n"
        "class Fluid:\n    def __init__(self, reach):\n        self.reach = reach\n"
        "        self.step = jax.jit(self.advance)\n"
        "    def limited(self, cloud):\n        return cloud.speed if cloud.speed.max() > 1 else self.reach\n"
        "    def advance(self, cloud):\n        return self.limited(cloud)\n",
        "cloud.speed.max() > 1",
        "jax.jit(self.advance)",
        "Fluid.advance",
        "Fluid.advance",
    ),
    "what the object holds under the name": (
        "class Agent:\n    def __init__(self):\n        self.params = {'w': jnp.ones((3, 5), jnp.float16)}\n"
        "    @partial(jax.jit, static_argnums=0)\n    def act(self, params, x):\n"
        "        if params['w'].dtype != jnp.float16:\n            raise ValueError('not the parameters')\n"
        "        return x if params['w'].sum() > 0 else -x\n",
        "params['w'].sum() > 0",
        "partial(jax.jit, static_argnums=0)",
        "Agent.act",
        "Agent.act",
    ),
    "carries of the shape that they get": (
        "@jax.jit\ndef drift(place, wind):\n    def hour(carry, _):\n        place, wind = carry\n"
        "        return (place + wind * jnp.ones((4, 2)), wind), None\n"
        "    (place, _), _ = jax.lax.scan(hour, (place, wind), None, length=3)\n"
        "    return place if place.sum() > 0 else -place\n",
        "place.sum() > 0",
        "jax.jit\ndef",
        "drift",
        "drift",
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


def test_the_suspect_behind_loops_and_branches_that_fail_is_reached(tmp_path: Path) -> None:
    text = (
        "@jax.jit\ndef positive(x, table):\n    if table.dtype != jnp.int8:\n"
        "        raise ValueError('not the table of the program')\n    return x if x > 0 else -x\n\n"
        "def main():\n    total, _ = jax.lax.scan(lambda c, x: (c + 0.5 * x, x), jnp.int32(0), jnp.ones(3))\n"
        "    same = jax.lax.cond(total > 1, lambda: 1, lambda: 2.0)\n"
        "    print(positive(total + same, jnp.ones((7, 11), jnp.int8)))\n"
    )
    seen = verdict(tmp_path, text, "x > 0", entry="jax.jit\ndef", function="positive", root="main")
    assert seen.status == "confirmed", seen
    assert seen.evidence["others_forced"] is True


def test_calls_of_the_module_come_first(tmp_path: Path) -> None:
    text = "@jax.jit\ndef f(x):\n    return 1 if x[1, 2] > 0 else 2\n\nDATA = jnp.ones((3, 5))\n"
    seen = verdict(tmp_path, text, "x[1, 2] > 0", entry="jax.jit", function="f", root="f", calls=("(DATA)",))
    assert (seen.status, seen.inputs) == ("confirmed", ("(DATA)",))


def test_harmless_code_is_refuted_with_the_inputs_named(tmp_path: Path) -> None:
    text = "@jax.jit\ndef f(x):\n    if x.ndim > 1:\n        return x.sum()\n    return x\n"
    seen = verdict(tmp_path, text, "x.ndim > 1", entry="jax.jit", function="f", root="f")
    assert seen.status == "refuted" and seen.inputs
    assert set(seen.evidence["build"]["seconds"]) == {"trace", "lower", "compile"}


RECORDED = """
class Peak(NamedTuple):
    height: jax.Array
    def seen(self, wave, step):
        return Peak(jnp.maximum(self.height, wave.max()))

class Clock(NamedTuple):
    time: jax.Array
    def seen(self, wave, step):
        return Clock(self.time + step)

@jax.jit
def solve(wave, step, start=Peak(jnp.zeros(()))):
    def advance(carry, _):
        wave, record = carry
        return (wave - step * wave, record.seen(wave, step)), None
    return jax.lax.scan(advance, (wave, start), None, length=3)
"""


def test_made_up_inputs_do_not_refute_what_rests_on_other_choices(tmp_path: Path) -> None:
    text = "jax.lax.scan(advance, (wave, start), None, length=3)"
    file = source(tmp_path / "mod.py", HEAD + RECORDED)
    found = finding(file, Kind.CARRY, "jax.lax.scan", text, entry="@jax.jit", function="solve", root="solve")
    chosen = Assumption(AssumptionKind.OTHER_OPTION, "`record.seen(wave, step)` calls `Clock.seen`")
    assumed = replace(found, event=replace(found.event, assumptions=(chosen,)))
    seen, harmless = verify([assumed, found], [file], VerifyOptions())
    assert seen.verdict is not None and seen.verdict.status == "inconclusive"
    assert harmless.verdict is not None and harmless.verdict.status == "refuted"


def test_a_derivative_that_meets_no_loop_refutes_nothing(tmp_path: Path) -> None:
    loop = "jax.lax.while_loop(lambda s: s > 1, lambda s: s / 2, x)"
    file = source(
        tmp_path / "mod.py",
        HEAD + f"def halved(x):\n    return {loop}\n\ndef square(x):\n    return x * x\n\n"
        "def climb(density, x):\n    return x + 0.1 * jax.grad(density)(x)\n\n"
        "def run(x):\n    return climb(square, x)\n\nrun(2.0)\n",
    )
    found = finding(
        file, Kind.OPEN_LOOP, "jax.grad", "jax.grad(density)(x)", symbol="climb", root="run", calls=("(2.0)",)
    )
    step = Step(place(file, loop), "this loop has no known number of rounds")
    through = replace(found, event=replace(found.event, flow=(step,)))
    (seen,) = verify([through], [file], VerifyOptions())
    assert seen.verdict is not None and seen.verdict.status == "inconclusive"


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


def test_records_that_nothing_has_needed_yet_are_found_by_their_attributes(tmp_path: Path) -> None:
    text = (
        "from collections import namedtuple\n\nBook = namedtuple('Book', 'bids asks')\n\n"
        "def crossed(book, price):\n    return book.bids.sum() if price > book.asks[0] else price\n\n"
        "@jax.jit\ndef replay(book, prices):\n    def step(book, price):\n"
        "        return book, crossed(book, price)\n    return jax.lax.scan(step, book, prices)\n"
    )
    seen = verdict(tmp_path, text, "price > book.asks[0]", entry="jax.jit\ndef", function="replay", root="replay")
    assert seen.status == "confirmed", seen
    assert seen.inputs[0].startswith("book=Book(")


def test_objects_of_no_known_class_can_be_traced(tmp_path: Path) -> None:
    text = "@jax.jit\ndef spread(quote):\n    return quote.ask - quote.bid if quote.ask > quote.bid else 0.0\n"
    seen = verdict(tmp_path, text, "quote.ask > quote.bid", entry="jax.jit\ndef", function="spread", root="spread")
    assert seen.status == "confirmed", seen
    assert seen.inputs[0].startswith("quote=namespace(")
