"""Programs with values that hold themselves, and with values that double, in small and many.

What they are made of stands in `values.toml`.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

_TABLES = tomllib.loads(Path(__file__).with_name("values.toml").read_text(encoding="utf-8"))
SYMBOLS: Mapping[str, Sequence[str]] = {**_TABLES["symbols"], **_TABLES["words"]}

MOST_TIMES = 40
"""How often one line is repeated at most: what doubles so often fills any memory."""

_SYMBOL = re.compile(r"<(\w+)>")


def project(chosen: random.Random) -> tuple[tuple[str, bytes], ...]:
    """The files of a project: one module."""
    return (("values.py", program(chosen).encode()),)


def program(chosen: random.Random) -> str:
    """One module, with a few of the variables a, b, c, d that all lines are about."""
    parts = [_TABLES["header"].lstrip(), *(f"{name} = {start}\n" for name, start in _starts(chosen))]
    for _ in range(chosen.randint(1, 3)):
        lines = _lines(chosen)
        parts.append(chosen.choice((_at_top, _in_traced, _in_called, _in_loop, _in_method))(chosen, lines))
    return "".join(parts)


def _starts(chosen: random.Random) -> list[tuple[str, str]]:
    values = ("[]", "{}", "(1.,)", "Node()", "'s'", "jnp.ones(3)", "Data()", "closure()", "b'x'", "[1, 2, 3]", "3")
    return [(name, chosen.choice(values)) for name in _TABLES["words"]["v"]]


def _lines(chosen: random.Random) -> list[str]:
    """Some lines that make, link or double values, then some that use them."""
    lines: list[str] = []
    for symbol, most in (("make", 3), ("link", 4), ("double", 3)):
        for _ in range(chosen.randint(0, most)):
            line = _grown(chosen, symbol)
            lines += [line] * (chosen.choice((1, 1, 2, 8, MOST_TIMES)) if symbol != "make" else 1)
    if chosen.random() < 0.3:
        chosen.shuffle(lines)
    return lines + [_grown(chosen, "use") for _ in range(chosen.randint(1, 3))]


def _grown(chosen: random.Random, symbol: str) -> str:
    return _SYMBOL.sub(lambda found: _grown(chosen, found[1]), chosen.choice(SYMBOLS[symbol]))


def _indented(lines: Sequence[str], by: int) -> str:
    return "".join(" " * by + part + "\n" for line in lines for part in line.split("\n"))


def _at_top(chosen: random.Random, lines: Sequence[str]) -> str:
    return _indented(lines, 0)


def _in_traced(chosen: random.Random, lines: Sequence[str]) -> str:
    call = chosen.choice(("", f"f({_grown(chosen, 'v')}, {_grown(chosen, 'v')})\n"))
    return f"@jax.jit\ndef f(a, b=None, *c, **d):\n{_indented(lines, 4)}    return {_grown(chosen, 'v')}\n{call}"


def _in_called(chosen: random.Random, lines: Sequence[str]) -> str:
    calls = chosen.choice(("g(a, b)", "g(g(a))", "g(*a, *a, **b)", "g(g)", "partial(g, a)(b)", "tree.map(g, a)"))
    return (
        f"def g(a=None, b=None, *c, **d):\n{_indented(lines, 4)}    return {_grown(chosen, 'v')}\n"
        f"@jax.jit\ndef h(a, b):\n    return {calls}\nh(c, d)\n"
    )


def _in_loop(chosen: random.Random, lines: Sequence[str]) -> str:
    head = chosen.choice(("for i in range(5):", "for i in range(10**9):", "while c:", "for a in b:", "while True:"))
    return f"def loop(a, b, c, d):\n    {head}\n{_indented(lines, 8)}    return a, b\njax.jit(loop)(a, b, c, d)\n"


def _in_method(chosen: random.Random, lines: Sequence[str]) -> str:
    body = f"        a = self\n        c, d = self.x, [self]\n{_indented(lines, 8)}        self.me = a\n"
    head = "@jax.tree_util.register_dataclass\n@dataclass\nclass Run:\n    x: Any = 1.\n    def run(self, b):\n"
    return f"{head}{body}jax.jit(Run.run)(Run(a), b)\nRun(b).run(c)\n"
