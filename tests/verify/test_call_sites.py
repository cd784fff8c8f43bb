"""Calls anywhere in the project give inputs, if their arguments can be evaluated."""

from __future__ import annotations

from pathlib import Path

import pytest
from making import finding, source

from jitlint.events.event import EventKind as Kind
from jitlint.findings.finding import Verdict
from jitlint.verify.api import verify
from jitlint.verify.call_sites import CallSites
from jitlint.verify.options import VerifyOptions

MODEL = """\
import jax
import jax.numpy as jnp
from functools import partial

MODES = {"pruned": 7}

@partial(jax.jit, static_argnames="config")
def step(x, config):
    if config == ("pruned", 7, 11) and x.shape == (5, 7):
        y = x * 2
        if y.sum() > 0:
            return y
    return x


class Net:
    def __init__(self, layers):
        if layers != ("conv", "dense", 11):
            raise ValueError(layers)
        self.gain = 2.0

    @partial(jax.jit, static_argnums=0)
    def call(self, x):
        z = x * self.gain
        if z.shape == (5, 7) and z.sum() > 0:
            return z
        return x
"""

ELSEWHERE = """\
from __future__ import annotations
import jax.numpy as jnp
from model import Net, step as one_step
import unheard_of_library

raise SystemExit("this script would train for hours")
"""

CALLERS = {
    "names of the module": ("def fit():\n    return step(jnp.ones((5, MODES['pruned'])), ('pruned', 7, 11))\n", ""),
    "assignments before the call": (
        "def fit(n):\n    rows, mode = 5, 'pruned'\n    x = jnp.ones((rows, 7))\n"
        "    for _ in range(n):\n        x = step(x, config=(mode, 7, 11))\n",
        "",
    ),
    "what runs only as a script": (
        "if __name__ == '__main__':\n    x = jnp.ones((5, 7))\n    print(step(x, ('pruned', 7, 11)))\n",
        "",
    ),
    "the first turn of a loop": (
        "def fit():\n    for width in (7, 8):\n        step(jnp.ones((5, width)), ('pruned', 7, 11))\n",
        "",
    ),
    "a function that was transformed": (
        "def fit():\n    twice = jax.jit(lambda x: 2 * x)\n    timed = jax.named_call(step, name='step')\n"
        "    timed(twice(jnp.ones((5, 7))) , config=('pruned', 7, 11))\n",
        "",
    ),
    "another module under another name": (
        "",
        "\nSIZE = 7\n\ndef step_in_a_loop():\n    x = jnp.ones((5, SIZE))\n    one_step(x, ('pruned', SIZE, 11))\n",
    ),
}


def verdict(folder: Path, inside: str, elsewhere: str, at: str, **more: str) -> Verdict:
    model = source(folder / "model.py", MODEL + inside)
    files = [model, source(folder / "use.py", ELSEWHERE + elsewhere)]
    found = finding(model, Kind.BOOL, "if", at, **more)
    (seen,) = verify([found], files, VerifyOptions())
    assert seen.verdict is not None
    return seen.verdict


@pytest.mark.parametrize(("inside", "elsewhere"), CALLERS.values(), ids=CALLERS)
def test_calls_give_inputs(tmp_path: Path, inside: str, elsewhere: str) -> None:
    seen = verdict(
        tmp_path,
        inside,
        elsewhere,
        "y.sum() > 0",
        entry='partial(jax.jit, static_argnames="config")',
        function="step",
        root="step",
    )
    assert seen.status == "confirmed"
    script = "__main__" in inside  # is started, so that no call of it has to be repeated
    assert seen.evidence["inputs_from"] == ("program" if script else "call site")


def test_methods_are_called_on_the_instance_that_the_call_has(tmp_path: Path) -> None:
    elsewhere = "\ndef net_in_a_loop():\n    net = Net(('conv', 'dense', 11))\n    net.call(jnp.ones((5, 7)))\n"
    seen = verdict(
        tmp_path,
        "",
        elsewhere,
        "z.sum() > 0",
        entry="partial(jax.jit, static_argnums=0)",
        function="Net.call",
        root="Net.call",
    )
    assert seen.status == "confirmed"
    assert (seen.evidence["inputs_from"], seen.inputs) == ("call site", ("(jnp.ones((5, 7)))",))


def test_what_needs_a_caller_or_is_not_there_is_left_out(tmp_path: Path) -> None:
    text = (
        "from model import step\n\ndef outer(x, y=2):\n    step(x)\n    step(unknown)\n"
        "    step(1, [n for n in range(3)])\n    step(1, [n for n in range(3)])\n    step(lambda n: n)\n"
    )
    file = source(tmp_path / "use.py", text)
    calls = CallSites([file]).of(["step"], str(tmp_path / "model.py"))
    assert [call.text for call in calls] == ["(1, [n for n in range(3)])", "(lambda n: n)"]
    assert calls[0].program.startswith("from model import step\n_function = lambda: step\n")
    assert [call.names for call in calls] == [None, None]


def test_a_function_of_the_same_name_gives_no_inputs(tmp_path: Path) -> None:
    elsewhere = "\ndef step(x, config):\n    return x\n\nstep(jnp.ones((5, 7)), ('pruned', 7, 11))\n"
    seen = verdict(
        tmp_path,
        "",
        elsewhere,
        "y.sum() > 0",
        entry='partial(jax.jit, static_argnames="config")',
        function="step",
        root="step",
    )
    assert seen.status == "inconclusive"
