"""Settings in dicts, lists and static arguments: what they name is followed, each by itself where JAX compiles each."""

from __future__ import annotations

from pathlib import Path

from programs import check, events

SETTINGS = """\
import copy

import jax
import jax.numpy as jnp

DEFAULTS = {
    "steps": 4,
    "filter": {"name": "none", "level": 0.5},
    "watch": ["mean"],
}


def plain(x, level):
    return x


def gate(x, level):
    return x if x.max() > level else 0 * x  # expect: JIT104


FILTERS = {"none": plain, "gate": gate}


def peak(x):
    return float(x.max())  # expect: JIT301


WATCHED = {"mean": jnp.mean, "peak": peak}


def load(changes):
    config = copy.deepcopy(DEFAULTS)
    for text in changes:
        name, _, value = text.partition("=")
        config[name] = value
    return config


def run(config):
    chosen = FILTERS[config["filter"]["name"]]

    @jax.jit
    def step(x):
        return chosen(x, config["filter"]["level"]), [WATCHED[name](x) for name in config["watch"]]

    return step(jnp.ones(3))


def main(arguments=()):
    return run(load(arguments))


if __name__ == "__main__":
    main()
"""


def test_a_dict_of_settings_offers_what_its_entries_name(tmp_path: Path) -> None:
    check(tmp_path, SETTINGS)


LED_TO = """\
import argparse

import jax
import jax.numpy as jnp


def fast(x, rule):
    return 2 * x


def careful(x, rule):
    return RULES[rule](x)


def all_of(x):
    return x


def large(x):
    return x[x > 1]  # expect: JIT203


RULES = {"all": all_of, "large": large}
WAYS = {"fast": fast, "careful": careful}


def scaled(f, count):
    if count == 1:
        return f
    return lambda x: f(x) / count


def main(way="fast", rule="all"):
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1)
    arguments = parser.parse_args()
    return jax.jit(scaled(lambda x: WAYS[way](x, rule), arguments.count))(jnp.ones(3))


if __name__ == "__main__":
    main()
"""


def test_an_option_that_only_another_way_asks_for_is_opened_too(tmp_path: Path) -> None:
    check(tmp_path, LED_TO)


STATIC_CHOICE = """\
from functools import partial

import jax
import jax.numpy as jnp

MOVES = {}


def move(name, **bound):
    def register(function):
        MOVES[name] = partial(function, **bound)
        return function

    return register


@move("walk", width=0.2)
def walk(x, width):
    return x + width, jnp.sum(x > 0)


@move("drift", step=0.1)
def drift(x, step):
    return x * step, jnp.sum(jnp.exp(-x))


@partial(jax.jit, static_argnames="move")
def run(x, move):
    def step(carry, _):
        x, accepted = carry
        x, more = move(x)
        return (x, accepted + more), None

    return jax.lax.scan(step, (x, jnp.zeros((), jnp.int32)), length=3)  # expect: JIT702


def main(name="walk"):
    return run(jnp.ones(3), move=MOVES[name])


if __name__ == "__main__":
    main()
"""


def test_each_function_that_may_be_a_static_argument_is_traced_alone(tmp_path: Path) -> None:
    check(tmp_path, STATIC_CHOICE)
    (event,) = events(tmp_path, STATIC_CHOICE)
    assert event.assumptions[0].text == "`move` is `drift`"


EMPTY = """\
from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass(frozen=True)
class Config:
    layers: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Field:
    def step(self, x):
        return x


@dataclass(frozen=True)
class Doubled(Field):
    inner: Field

    def step(self, x):
        return 2 * self.inner.step(x)


@dataclass(frozen=True)
class Gated(Field):
    inner: Field

    def step(self, x):
        x = self.inner.step(x)
        return x + (1.0 if x.sum() > 0 else 0.0)  # expect: JIT104


LAYERS = {"doubled": Doubled, "gated": Gated}


def build(config):
    field = Field()
    for name in config.layers:
        field = LAYERS[name](field)
    return field


def main(config=Config()):
    return jax.jit(build(config).step)(jnp.ones(3))


if __name__ == "__main__":
    main()
"""


def test_a_list_of_names_that_is_empty_by_default_may_hold_some(tmp_path: Path) -> None:
    check(tmp_path, EMPTY)


IN_A_LOOP = """\
import jax
import jax.numpy as jnp


def measure(x, precise):
    if precise:
        return jax.jit(lambda x: jnp.sum(x * x))(x)  # expect: JIT402
    return x.sum()


def main(precise=False):
    x, total = jnp.ones(3), 0.0
    for _ in range(20):
        total += float(measure(x, precise))
    return total


if __name__ == "__main__":
    main()
"""


def test_what_another_way_compiles_in_each_round_is_found(tmp_path: Path) -> None:
    check(tmp_path, IN_A_LOOP)
