"""Makes mutants: a base (a module with a driver, observed), a kind, a place, and the text that results."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tests.mutants.carriers import CARRIERS
from tests.mutants.drivers import DRIVERS
from tests.mutants.kinds import KINDS
from tests.mutants.observed import Leaf, Line
from tests.mutants.recipes import ImportConflictError, Recipe, missing_imports
from tests.mutants.rewrites import rewrites
from tests.mutants.templates import Template

_PLACEHOLDER = re.compile(r"<([vnaxd])>")


@dataclass(frozen=True, slots=True)
class Base:
    """A module's text as it is, and what its lines hold when the recipe runs."""

    recipe: Recipe
    text: str
    tree: ast.Module
    lines: Mapping[int, Line]

    def sites(self) -> list[ast.stmt]:
        """The statements before which another can be put, in source order."""
        return [statement for statement in _statements(self.tree) if statement.lineno in self.lines]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed module. Lines `changed` (first, last) hold the injected code, `added` what it needs at the top level.

    `second` is the driver's second call. `harmful` says what was meant: JAX decides what is.
    """

    kind: str
    way: str
    recipe: Recipe
    text: str
    changed: tuple[int, int]
    added: tuple[int, int]
    second: int
    silent: str
    harmful: bool


def with_driver(source: str, recipe: Recipe, extra: str = "", module: Sequence[str] = ()) -> tuple[str, int]:
    """The module's text with `module` lines and the recipe's driver at its end, and the driver's first line.

    What they and the `extra` code need is imported first.

    Raises:
        ImportConflictError, SyntaxError: the module does not take it.
    """
    between = [*module, "", ""] if module else []
    tail = [*between, *recipe.definition(), *recipe.driver()]
    imports = missing_imports(ast.parse(source), "\n".join([*tail, extra]))
    lines = [*source.rstrip("\n").split("\n"), "", "", *imports, *tail]
    return "\n".join(lines) + "\n", len(lines) - 2


def mutate(base: Base, kind: str, rng: random.Random) -> Mutant | None:
    """A mutant of this kind at a random place, or None if the drawn place does not take it."""
    if kind in DRIVERS:
        return _driver_mutant(base.recipe, kind, base.text, rng)
    if kind not in KINDS or rng.random() < 0.3:
        found = _rewritten(base, kind, rng)
        if found or kind not in KINDS:
            return found
    return _inserted(base, kind, rng)


def _inserted(base: Base, kind: str, rng: random.Random) -> Mutant | None:
    harmful = rng.random() < 0.6
    template = rng.choice(KINDS[kind].bad if harmful else KINDS[kind].good)
    body_sites = [site for site in base.sites() if _holders(base.lines[site.lineno])]
    if not body_sites:
        return None
    site = rng.choice(body_sites)
    if rng.random() < 0.25:
        lines, module, way = _helper(base.lines[site.lineno], template, rng)
    else:
        lines, module, way = _inline(base.lines[site.lineno], template, rng)
    if not lines:
        return None
    indent = " " * site.col_offset
    first = site.lineno
    before = base.text.rstrip("\n").split("\n")
    new = before[: first - 1] + [indent + line if line else line for line in lines] + before[first - 1 :]
    changed = (first, first + len(lines) - 1)
    code = "\n".join([*lines, *module])
    silent = template.silent if harmful else ""
    return _finished(
        Mutant(kind, way, base.recipe, code, changed, (0, -1), 0, silent, harmful), new, module, template.driver
    )


def _inline(line: Line, template: Template, rng: random.Random) -> tuple[list[str], list[str], str]:
    """The template's statements with the values at hand; the first value goes through a carrier."""
    holder = _pick(line, template, rng)
    if holder is None:
        return [], [], ""
    name, leaf = holder
    carrier = rng.choice(CARRIERS)
    text = "\n".join(template.lines)
    wanted = _PLACEHOLDER.findall(text)
    main = next((letter for letter in wanted if letter != "x"), "")
    values = {letter: value(letter, name, leaf, rng) for letter in set(wanted)}
    prelude: list[str] = []
    module = list(template.module)
    if main:
        prelude = [part.replace("<e>", values[main]) for part in carrier.lines]
        values[main] = carrier.result.replace("<e>", values[main])
        module = _joined(list(carrier.module), module)
    return [*prelude, *_filled(text, values).split("\n")], module, carrier.name if main else "expression"


def _helper(line: Line, template: Template, rng: random.Random) -> tuple[list[str], list[str], str]:
    """The template's statements in a function of their own, called with the value."""
    holder = _pick(line, template, rng)
    if holder is None:
        return [], [], ""
    name, leaf = holder
    inner: Leaf = {**leaf, "access": ""}
    text = "\n".join(template.lines)
    values = {letter: value(letter, "given_", inner, rng) for letter in set(_PLACEHOLDER.findall(text))}
    body = ["def helper_(given_):", *("    " + part for part in _filled(text, values).split("\n")), "    return given_"]
    call = f"helper_({name}{leaf['access']})"
    return (
        [f"{name} = {call}" if not leaf["access"] and line["variables"][name]["own"] else call],
        _joined(list(template.module), body),
        "helper function",
    )


def _joined(*parts: list[str]) -> list[str]:
    joined: list[str] = []
    for part in parts:
        if part:
            joined += ["", "", *part] if joined else part
    return joined


def _pick(line: Line, template: Template, rng: random.Random) -> tuple[str, Leaf] | None:
    """A variable and a tracer in it that have what the template needs."""
    wanted = set(_PLACEHOLDER.findall("\n".join(template.lines)))
    holders = [
        (name, leaf)
        for name, leaf in _holders(line)
        if ("a" not in wanted or leaf["shape"])
        and ("x" not in wanted or (not leaf["access"] and line["variables"][name]["own"]))
    ]
    return rng.choice(holders) if holders else None


def _holders(line: Line) -> list[tuple[str, Leaf]]:
    return [
        (name, leaf)
        for name, variable in sorted(line["variables"].items())
        for leaf in variable["leaves"]
        if leaf["dtype"].startswith(("float", "int", "uint", "bool"))
        and name.isidentifier()
        and 0 not in leaf["shape"]
        and variable["stages"] in (["tracer"], ["contains"])
    ]


def value(letter: str, name: str, leaf: Leaf, rng: random.Random) -> str:
    """An expression for a placeholder, made of the tracer at hand."""
    held = name + leaf["access"]
    rank = len(leaf["shape"])
    match letter:
        case "v":
            if not rank:
                return held
            return rng.choice(
                (f"{held}.sum()", f"jnp.sum({held})", f"jnp.max({held})", f"{held}[{', '.join('0' * rank)}]")
            )
        case "n":
            if leaf["dtype"].startswith(("int", "uint")) and not rank:
                return held
            return rng.choice((f"jnp.argmax({held})", f"jnp.sum({held}).astype(int)", f"jnp.int32(jnp.max({held}))"))
        case "d":
            sizes: tuple[str, ...] = (
                (f"{held}.shape[0]", f"len({held})", f"{held}.size") if rank else (f"{held}.ndim", f"{held}.size")
            )
            return rng.choice((*sizes, f"jnp.ndim({held})"))
    return held


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: values[match[1]], text)


def _rewritten(base: Base, kind: str, rng: random.Random) -> Mutant | None:
    candidates = [rewrite for site in base.sites() for rewrite in rewrites(site, base.text) if rewrite.kind == kind]
    if not candidates:
        return None
    rewrite = rng.choice(candidates)
    node = rewrite.node
    lines = base.text.rstrip("\n").split("\n")
    first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
    head = lines[first - 1].encode()[: node.col_offset].decode()  # type: ignore[attr-defined]
    tail = lines[last - 1].encode()[node.end_col_offset :].decode()  # type: ignore[attr-defined]
    replaced = (head + rewrite.text + tail).split("\n")
    new = lines[: first - 1] + replaced + lines[last:]
    changed = (first, first + len(replaced) - 1)
    mutant = Mutant(kind, "rewrite", base.recipe, rewrite.text, changed, (0, -1), 0, "", harmful=True)
    return _finished(mutant, new, [], ())


def _driver_mutant(recipe: Recipe, kind: str, source: str, rng: random.Random) -> Mutant | None:
    harmful = rng.random() < 0.6
    made = DRIVERS[kind](recipe, harmful, rng)
    if made is None:
        return None
    call, silent = made
    lines = source.rstrip("\n").split("\n")
    try:
        text, _ = with_driver(source, recipe, "\n".join(call))
    except ImportConflictError:
        return None
    lines = text.rstrip("\n").split("\n")[:-3] + call
    changed = (len(lines) - len(call) + 1, len(lines))
    return _checked(
        Mutant(kind, "driver", recipe, "\n".join(lines) + "\n", changed, (0, -1), len(lines) + 1, silent, harmful)
    )


def _finished(draft: Mutant, lines: list[str], module: list[str], driver: tuple[str, ...]) -> Mutant | None:
    """The mutant with its driver. The draft's text is the injected code alone."""
    try:
        text, _ = with_driver("\n".join(lines), draft.recipe, draft.text, module)
    except (ImportConflictError, SyntaxError):
        return None
    whole = text.rstrip("\n").split("\n")
    last = len(whole) - len(draft.recipe.definition()) - 5
    whole[-1:-1] = driver
    added = (last - len(module) + 1, last) if module else (0, -1)
    return _checked(replace(draft, text="\n".join(whole) + "\n", added=added, second=len(whole)))


def _checked(mutant: Mutant) -> Mutant | None:
    try:
        ast.parse(mutant.text)
    except SyntaxError:
        return None
    return mutant


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements inside functions that begin their line and are not a docstring or a declaration."""
    seen: set[int] = set()
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Lambda | ast.IfExp):
                continue
            for block in ("body", "orelse", "finalbody"):
                for statement in getattr(node, block, None) or ():
                    if (
                        isinstance(statement, ast.stmt)
                        and not isinstance(statement, ast.Global | ast.Nonlocal | ast.FunctionDef | ast.ClassDef)
                        and not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
                        and statement.lineno not in seen
                    ):
                        seen.add(statement.lineno)
                        yield statement
