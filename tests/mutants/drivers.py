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


def loop_variable(recipe: Recipe, harmful: bool, rng: random.Random) -> Made:
    at = rng.choice(("step_", "(step_, 'mode')", "step_ * 2") if harmful else ("3", "(1, 2)", "'mode'"))
    lines = [
        *_wrapped(recipe, "static_argnums=0"),
        rng.choice(("for step_ in range(16):", "for step_ in range(0, 32, 2):")),
        f"    entry({_call(recipe, at, False)})",
    ]
    return lines, "recompiles" if harmful else ""


def shape_in_loop(recipe: Recipe, harmful: bool, rng: random.Random) -> Made:
    growing = ("rows_[:step_]", "jnp.ones(step_)", "jnp.arange(step_)")
    given = rng.choice(growing if harmful else ("rows_[step_]", "jnp.ones(4)", "rows_ * step_"))
    lines = [
        *_wrapped(recipe),
        "rows_ = jnp.ones(20)",
        "for step_ in range(1, 17):",
        f"    entry({_call(recipe, given, False)})",
    ]
    return lines, "recompiles" if harmful else ""


def donation(recipe: Recipe, harmful: bool, rng: random.Random) -> Made:
    arrays = [at for at, text in enumerate(recipe.arguments) if text.startswith("jnp.") and at not in recipe.static]
    if not arrays:
        return None
    at = rng.choice(arrays)
    arguments = list(recipe.arguments)
    arguments[at] = "argument_"
    call = f"entry({', '.join('0' if n in recipe.static else text for n, text in enumerate(arguments))})"
    lines = [
        f"def kept_({_parameters(recipe)}):",
        f"    return value{at} + 1, {recipe.target}({_passed(recipe)})",
        "",
        "",
        f"entry = jax.jit(kept_, donate_argnums={at})",
        f"argument_ = {recipe.arguments[at]}",
    ]
    bad = (
        [f"result_ = {call}", "total_ = argument_ + 1"],
        [f"result_, other_ = {call}", f"again_ = {call}"],
        ["for step_ in range(2):", f"    result_ = {call}"],
    )
    good = (
        ["total_ = argument_ + 1", f"result_ = {call}"],
        [f"argument_, other_ = {call}", "total_ = argument_ + 1"],
        [f"result_ = {call}", "size_ = argument_.shape"],
        ["for step_ in range(2):", f"    argument_, other_ = {call}"],
    )
    return [*lines, *rng.choice(bad if harmful else good)], ""


def iterator_result(recipe: Recipe, harmful: bool, rng: random.Random) -> Made:
    call = f"{recipe.target}({_passed(recipe)})"
    bad = (f"return iter([{call}])", f"return zip([1.0], [{call}])", f"yield {call}")
    good = (f"return [{call}]", f"return next(iter([{call}]))", f"return list(zip([1.0], [{call}]))")
    result = rng.choice(bad if harmful else good)
    lines = [f"def give_({_parameters(recipe)}):", f"    {result}", "", "", f"entry = {recipe.jit('give_')}"]
    return [*lines, recipe.call()], ""


def invalid_argument(recipe: Recipe, harmful: bool, rng: random.Random) -> Made:
    bad = ("'mode'", "object()", "{1.0, 2.0}", "max", "lambda value: value", "b'mode'")
    good = ("None", "1.0", "(1, 2.0)", "{'a': 1.0}", "np.ones(2)", "True")
    return [*_wrapped(recipe), f"entry({_call(recipe, rng.choice(bad if harmful else good), False)})"], ""


def _wrapped(recipe: Recipe, static: str = "") -> list[str]:
    """A jitted function that takes an option besides the recipe's arguments."""
    options = f", {static}" if static else ""
    lines = [f"def option_(option, {_parameters(recipe)}):", f"    return {recipe.target}({_passed(recipe)})", "", ""]
    return [*lines, f"entry = jax.jit(option_{options})"]


def _parameters(recipe: Recipe) -> str:
    """The parameters of a function around the recipe's."""
    return ", ".join(f"value{at}" for at in range(len(recipe.arguments)))


def _passed(recipe: Recipe) -> str:
    """The arguments that it passes on: its own, but what is static as it is."""
    return ", ".join(text if at in recipe.static else f"value{at}" for at, text in enumerate(recipe.arguments))


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
    "loop variable": loop_variable,
    "shape in a loop": shape_in_loop,
    "donation": donation,
    "iterator result": iterator_result,
    "invalid argument": invalid_argument,
}

CODES = {
    "jit in a loop": ("JIT401", "JIT402"),
    "iterator argument": ("JIT601",),
    "unhashable static": ("JIT403",),
    "fresh static": ("JIT404",),
    "static name": ("JIT405",),
    "loop variable": ("JIT406", "JIT404"),
    "shape in a loop": ("JIT407",),
    "donation": ("JIT801",),
    "iterator result": ("JIT603",),
    "invalid argument": ("JIT604",),
}
