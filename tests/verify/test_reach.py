"""Code that is not a function of the module's top level is reached: by its makers, its instances and its callers."""

from __future__ import annotations

from pathlib import Path

import pytest
from making import finding, source

from jitlint.events.event import EventKind as Kind
from jitlint.findings.finding import Verdict
from jitlint.source.text import SourceFile
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions

HEAD = """from abc import ABC, abstractmethod
from typing import NamedTuple
import functools
import jax
import jax.numpy as jnp

"""

CASES = {
    "the function around the entry": (
        "class Stepper:\n    def __init__(self, field):\n        self.field = field\n"
        "    def euler(self, state, dt):\n        assert dt > 0\n        return state + dt * self.field(state)\n"
        "    def run(self, state, times):\n"
        "        return jax.lax.scan(lambda s, dt: (self.euler(s, dt), dt), state, jnp.diff(times))\n",
        "dt > 0",
        "jax.lax.scan(lambda s, dt: (self.euler(s, dt), dt), state, jnp.diff(times))",
        "Stepper.euler",
    ),
    "objects that are called": (
        "class Stack:\n    def __init__(self, layers):\n        self.layers = layers\n"
        "    def __call__(self, x, on):\n        return x @ self.layers[0] if on else x\n\n"
        "early_exit = jax.jit(Stack([jnp.eye(2)]))\n",
        "on else",
        "jax.jit(Stack([jnp.eye(2)]))",
        "Stack.__call__",
    ),
    "properties that make functions": (
        "class Shift:\n    def __init__(self, by):\n        self.by = by\n"
        "    def moved(self, x):\n        return x + self.by if x > 0 else x\n"
        "    @property\n    def compiled(self):\n        return jax.jit(lambda x: self.moved(x))\n",
        "x > 0",
        "jax.jit(lambda x: self.moved(x))",
        "Shift.moved",
    ),
    "factories of factories": (
        "def outer(gain):\n    def make(power):\n        @jax.jit\n        def run(x):\n"
        "            return x ** power if x > gain else x\n        return run\n    return make\n",
        "x > gain",
        "jax.jit",
        "outer",
    ),
    "functions in what a call gives back": (
        "class Transform(NamedTuple):\n    init: object\n    update: object\n\n"
        "def scale(rate):\n    def init(params):\n        return rate\n"
        "    @jax.jit\n    def update(grads, state):\n        return grads * state if grads > 1 else grads\n"
        "    return {'main': Transform(init, update)}\n",
        "grads > 1",
        "jax.jit",
        "scale",
    ),
    "instances of the class that is not abstract": (
        "class Base(ABC):\n    @abstractmethod\n    def rate(self): ...\n"
        "    @functools.partial(jax.jit, static_argnums=0)\n"
        "    def step(self, x):\n        return x * self.rate() if x > 0 else x\n\n"
        "class Fixed(Base):\n    def __init__(self, table):\n        self.table = table\n"
        "    def rate(self):\n        return self.table['slow'][0]\n\n"
        "def main():\n    speed = 0.25\n    chosen = Fixed({'slow': (speed, 2)})\n    chosen.step(jnp.ones(()))\n",
        "x > 0",
        "functools.partial(jax.jit, static_argnums=0)",
        "Base.step",
    ),
    "entries among local names": (
        "class Line:\n    def __init__(self, slope):\n        self.slope = slope\n"
        "    def height(self, x):\n        return x * self.slope if x > 0 else x\n\n"
        "def main():\n    slope = jnp.ones(3)\n    line = Line(slope)\n    return jax.jit(line.height)\n\n"
        "if __name__ == '__main__':\n    main()(jnp.ones(3))\n",
        "x > 0",
        "jax.jit(line.height)",
        "Line.height",
    ),
    "functions given as arguments": (
        "def listwise(scores):\n    return scores if scores.sum() > 0 else -scores\n\n"
        "def make_step(loss):\n    @jax.jit\n    def step(params):\n        return loss(params)\n    return step\n",
        "scores.sum() > 0",
        "jax.jit",
        "listwise",
    ),
    "instances given as arguments": (
        "class Arm:\n    def stop(self, x):\n        return x if x > 0 else -x\n\n"
        "RULES = {'euler': lambda system, x: system.stop(x)}\n\n"
        "@functools.partial(jax.jit, static_argnums=0)\n"
        "def run(system, x):\n    return RULES['euler'](system, x)\n",
        "x > 0",
        "functools.partial(jax.jit, static_argnums=0)",
        "Arm.stop",
    ),
    "classes in classes": (
        "class Outer:\n    class Inner:\n        @staticmethod\n        @jax.jit\n        def pick(x):\n"
        "            return 1 if x > 0 else 2\n",
        "x > 0",
        "jax.jit",
        "Outer.Inner.pick",
    ),
}


def files(folder: Path) -> dict[str, SourceFile]:
    made = {}
    for number, (name, case) in enumerate(CASES.items()):
        (folder / str(number)).mkdir()
        made[name] = source(folder / str(number) / "mod.py", HEAD + case[0])
    return made


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict]:
    """The verdicts of all cases, each in a file of its own."""
    made = files(tmp_path_factory.mktemp("reach"))
    found = []
    for name, file in made.items():
        _, at, entry, symbol = CASES[name]
        around = next(line for line in file.text.split("\n") if at in line)
        found.append(finding(file, Kind.BOOL, "if", around, at.removesuffix(" else"), entry=entry, symbol=symbol))
    seen = verify(found, list(made.values()), VerifyOptions())
    return {name: one.verdict for name, one in zip(made, seen, strict=True) if one.verdict}


@pytest.mark.parametrize("name", CASES)
def test_it_is_reached(verdicts: dict[str, Verdict], name: str) -> None:
    assert verdicts[name].status == "confirmed", verdicts[name]
    assert verdicts[name].evidence["exception"] == "TracerBoolConversionError"
