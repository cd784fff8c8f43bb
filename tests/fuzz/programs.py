"""Programs that use all of Python and of the libraries that the models know, in ways that nobody would.

They are grown from the templates of `grammar.toml`.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import operator
import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from jitlint.models.loading import models

DEPTH = 7
"""Symbols nested deeper than this become the first of their templates."""

SIZE = 300
"""Symbols of one file; then they all become the first of their templates."""

HEADER = """\
from __future__ import annotations
import functools, itertools, operator, math, random, time, copy, enum, typing, dataclasses, collections, contextlib
from functools import partial, wraps, cache
from dataclasses import dataclass, field
from typing import NamedTuple, Generic, Protocol
import jax, jax.numpy as jnp, numpy as np, numpy, scipy
from jax import jit, vmap, grad, lax, tree, random as jr
import flax, flax.linen as nn, haiku as hk, equinox as eqx, optax, numpyro, diffrax, jaxopt, chex, einops, distrax
from flax import nnx, struct
"""

MODULES = ("a", "b", "c")

_GRAMMAR = tomllib.loads(Path(__file__).with_name("grammar.toml").read_text(encoding="utf-8"))

SYMBOLS: Mapping[str, Sequence[str]] = _GRAMMAR["symbols"]

WORDS: Mapping[str, Sequence[str]] = {
    **_GRAMMAR["words"],
    "b_in": [name for name in dir(builtins) if name[0] != "_"],
    "itertools": [name for name in dir(itertools) if name[0] != "_"],
    "operator": [name for name in dir(operator) if name[0] != "_"],
    "m": [*_GRAMMAR["words"]["m"], *sorted({name for cls in (str, list, dict, set, int, float) for name in dir(cls)})],
}

BLOCKS = {"b": "s", "cb": "cs"}
"""Symbols that become one to four lines of another."""

_SYMBOL = re.compile(r"<(\w+)>")


def project(chosen: random.Random) -> tuple[tuple[str, bytes], ...]:
    """The files of a project of one to three modules."""
    count = chosen.choice((1, 1, 1, 2, 3))
    return tuple((f"{name}.py", Writer(chosen).module().encode()) for name in MODULES[:count])


class Writer:
    """Grows one module."""

    def __init__(self, chosen: random.Random) -> None:
        self._random = chosen
        self._left = SIZE

    def module(self) -> str:
        parts = [HEADER]
        for _ in range(self._random.randint(3, 8)):
            parts.append(self._grow(self._random.choice(("def", "def", "def", "class", "s")), 0))
        return "\n".join(parts) + "\n"

    def _grow(self, symbol: str, depth: int) -> str:
        if symbol in BLOCKS:
            count = 1 if depth >= DEPTH else self._random.randint(1, 4)
            return "\n".join(self._grow(BLOCKS[symbol], depth + 1) for _ in range(count))
        if symbol == "libcall":
            return self._library_call(depth)
        if symbol == "lib":
            return self._random.choice(functions())
        if symbol in WORDS:
            return self._random.choice(WORDS[symbol])
        self._left -= 1
        templates = SYMBOLS[symbol]
        final = symbol != "n" and (depth >= DEPTH or self._left < 0)
        return self._filled(templates[0] if final else self._random.choice(templates), depth)

    def _filled(self, template: str, depth: int) -> str:
        """The template with its symbols grown; a symbol of several lines is indented as its own line is."""
        lines = []
        for line in template.split("\n"):
            indent = line[: len(line) - len(line.lstrip())]
            grown = _SYMBOL.sub(lambda found: self._grow(found[1], depth + 1), line.lstrip())
            lines.append("\n".join(indent + part for part in grown.split("\n")))
        return "\n".join(lines)

    def _library_call(self, depth: int) -> str:
        """A call of a library function, mostly with arguments that it has."""
        name = self._random.choice(functions())
        model = models().function(name)
        names = [parameter.name for parameter in model.parameters if not parameter.rest] if model else []
        if not names or self._random.random() < 0.3:
            return f"{name}({self._grow('a', depth + 1)})"
        given = self._random.randint(0, len(names))
        arguments = [self._grow("e", depth + 1) for _ in range(min(given, 4))]
        rest = names[len(arguments) :]
        arguments += [f"{each}={self._grow('e', depth + 1)}" for each in self._random.sample(rest, min(2, len(rest)))]
        return f"{name}({', '.join(arguments)})"


@functools.cache
def functions() -> tuple[str, ...]:
    """The qualified names of all library functions and classes that the models know."""
    known = models()
    names = {*known.functions, *known.transforms, *known.classes, *known.calls, *known.aliases}
    for file in resources.files("jitlint.models").joinpath("data/generated").iterdir():
        if file.name.endswith(".toml"):
            for module, rows in tomllib.loads(file.read_text(encoding="utf-8")).get("functions", {}).items():
                names |= {f"{module}.{name}" for name in rows}
    return tuple(sorted(names))
