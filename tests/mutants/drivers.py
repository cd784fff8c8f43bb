"""Mutants of the call instead of the function: what is jitted, how often, and with which arguments."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.mutants.recipes import Recipe

Made = tuple[list[str], str] | None
"""The lines that stand for the driver, and how they are wrong if they raise nothing (see judge)."""


def jit_in_loop(recipe: Recipe, harmful: bool, rng: random.Random) -> Made:
    if recipe.static:
        return None
    call = ", ".join(recipe.arguments)
    name = recipe.target
    bad = (
        ["for step_ in range(4):", f"    jax.jit(lambda *values: {name}(*values))({call})"],
        ["for step_ in range(4):", f"    jax.jit(functools.partial({name}))({call})"],
        [
            "for step_ in range(4):",
            "",
            "    @jax.jit",
            "    def local_(*values):",
            f"        return {name}(*values)",
            "",
            f"    local_({call})",
        ],
        [
            "def run_():",
            f"    return jax.jit(lambda *values: {name}(*values))({call})",
            "",
            "",
            "for step_ in range(4):",
            "    run_()",
        ],
        [
            "step_ = 0",
            "while step_ < 4:",
            f"    jax.jit(jax.vmap({name}) if step_ > 9 else functools.partial({name}))({call})",
            "    step_ += 1",
        ],
        ["results_ = [jax.jit(lambda *values: " + f"{name}(*values))({call}) for step_ in range(4)]"],
    )
    good = (
        ["for step_ in range(4):", f"    jax.jit({name})({call})"],
        [f"jitted_ = jax.jit(functools.partial({name}))", "for step_ in range(4):", f"    jitted_({call})"],
        [f"jitted_ = jax.jit(lambda *values: {name}(*values))", f"results_ = [jitted_({call}) for step_ in range(4)]"],
        [
            "@jax.jit",
            "def named_(*values):",
            f"    return {name}(*values)",
            "",
            "",
            "for step_ in range(4):",
            f"    named_({call})",
        ],
        ["def run_():", f"    return jax.jit({name})({call})", "", "", "for step_ in range(4):", "    run_()"],
    )
    return rng.choice(bad if harmful else good), "recompiles" if harmful else ""


def iterator_argument(recipe: Recipe, harmful: bool, rng: random.Random) -> Made:
    at = rng.choice([at for at in range(len(recipe.arguments)) if at not in recipe.static])
    given = recipe.arguments[at]
    bad = (
        "iter([1.0, 2.0])",
        "(item for item in [1.0, 2.0])",
        "zip([1.0], [2.0])",
        "map(float, ['1'])",
        "range(3)",
        "{}.values()",
    )
    good = (
        f"next(iter([{given}]))",
        f"[item for item in [{given}]][0]",
        f"list(map(lambda item: item, [{given}]))[0]",
        f"dict(value={given})['value']",
    )
    arguments = list(recipe.arguments)
    arguments[at] = rng.choice(bad if harmful else good)
    lines = [f"entry = {recipe.jit()}"]
    if rng.random() < 0.5:
        lines.append(f"argument_ = {arguments[at]}")
        arguments[at] = "argument_"
    return [*lines, f"entry({', '.join(arguments)})"], ""


def static_value(recipe: Recipe, harmful: bool, rng: random.Random) -> Made:
    text = rng.choice(
        ("[1, 2]", "{'a': 1}", "{1, 2}", "np.ones(2)", "jnp.ones(2)", "[]")
        if harmful
        else ("3", "(1, 2)", "'mode'", "None", "True", "frozenset({1})", "jnp.tanh")
    )
    by_name = rng.random() < 0.5
    chosen = "static_argnames=('option',)" if by_name else "static_argnums=0"
    given = f"option={text}" if by_name else text
    return [*_wrapped(recipe, chosen), f"entry({_call(recipe, given, by_name)})"], ""


def fresh_static(recipe: Recipe, harmful: bool, rng: random.Random) -> Made:
    given = rng.choice(("lambda value: value", "functools.partial(max, 1)") if harmful else ("max", "(1, 2)", "'mode'"))
    lines = [
        *_wrapped(recipe, "static_argnums=0"),
        "for step_ in range(4):",
        f"    entry({_call(recipe, given, False)})",
    ]
    return lines, "recompiles" if harmful else ""


def static_name(recipe: Recipe, harmful: bool, rng: random.Random) -> Made:
    chosen = rng.choice(
        ("static_argnames=('optoin',)", "static_argnums=99", "static_argnames='mode'", "static_argnums=(0, 77)")
        if harmful
        else ("static_argnames='option'", "static_argnames=('option',)", "static_argnums=(0,)", "static_argnums=0")
    )
    return [*_wrapped(recipe, chosen), f"entry({_call(recipe, '3', False)})"], ""


def _wrapped(recipe: Recipe, static: str) -> list[str]:
    """A jitted function that takes an option besides the recipe's arguments."""
    names = ", ".join(f"value{at}" for at in range(len(recipe.arguments)))
    inner = ", ".join(text if at in recipe.static else f"value{at}" for at, text in enumerate(recipe.arguments))
    lines = [f"def option_(option, {names}):", f"    return {recipe.target}({inner})", "", ""]
    return [*lines, f"entry = jax.jit(option_, {static})"]


def _call(recipe: Recipe, option: str, last: bool) -> str:
    arguments = ["0" if at in recipe.static else text for at, text in enumerate(recipe.arguments)]
    if last:
        return ", ".join([*(f"value{at}={text}" for at, text in enumerate(arguments)), option])
    return ", ".join([option, *arguments])


DRIVERS: dict[str, Callable[[Recipe, bool, random.Random], Made]] = {
    "jit in a loop": jit_in_loop,
    "iterator argument": iterator_argument,
    "unhashable static": static_value,
    "fresh static": fresh_static,
    "static name": static_name,
}

CODES = {
    "jit in a loop": ("JIT401", "JIT402"),
    "iterator argument": ("JIT601",),
    "unhashable static": ("JIT403",),
    "fresh static": ("JIT404",),
    "static name": ("JIT405",),
}
