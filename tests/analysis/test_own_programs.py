"""A jit in a loop is a hint where each round needs a program of its own, and slow where one would do for all rounds."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from jitlint.findings.finding import Finding
from jitlint.pipeline import find
from jitlint.rules.rule import Severity
from tests.analysis.programs import write

HEAD = "import functools\nimport math\nimport jax\nimport jax.numpy as jnp\n\n"


def findings(folder: Path, text: str) -> list[Finding]:
    """What is found of new functions under a transform, hints included."""
    found = find(write(folder, HEAD + dedent(text))).findings
    return [each for each in found if each.code in ("JIT401", "JIT402")]


def found(folder: Path, text: str) -> tuple[str, Severity, str]:
    """The code, severity and reason of the one finding."""
    (finding,) = findings(folder, text)
    return finding.code, finding.severity, finding.event.detail["own"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("jax.jit(lambda v: v + 1, donate_argnums=owned[item])(x)", "options"),
        ("jax.lax.scan(lambda c, _: (c, c), x, None, length=item)", "options"),
        ("jax.lax.fori_loop(0, 2 * item, lambda i, c: c, x)", "options"),
        ("jax.jit(lambda v: item(v) * 2)(x)", "function"),
        ("jax.jit(lambda v: item.energy(v) * 2)(x)", "function"),
        ("jax.jit(lambda v, f=item: f(v) * 2)(x)", "function"),
        ("part = item[0]\n    jax.jit(lambda v: part(v) * 2)(x)", "function"),
        ("jax.jit(functools.partial(run, model=item))(x)", "function"),
        ("table[item] = jax.jit(lambda v: v + 1).lower(x).compile()", "kept"),
        ("program = jax.jit(lambda v: v + 1).lower(x)\n    table[item] = program.compile()", "kept"),
        ("table[item] = jax.jit(lambda v: v + 1)(x)", ""),
        ("table['last'] = jax.jit(lambda v: v + 1).lower(x).compile()", ""),
        ("jax.jit(lambda v: v * item)(x)", ""),
        ("jax.jit(lambda v: v * item.sum())(x)", ""),
        ("jax.jit(functools.partial(run, scale=item))(x)", ""),
        ("jax.jit(lambda v: v * 2)(x)\n    for i in range(9): step(i)", ""),
        ("jax.jit(lambda v: jnp.sum(v))(x)\n    for i in range(9): step(i)", "trivial"),
        ("jax.jit(lambda v: jnp.sum(v))(x)", ""),
    ],
)
def test_what_a_round_needs(tmp_path: Path, body: str, reason: str) -> None:
    text = """
        def run(x, model=None, scale=1.0):
            return x * scale if model is None else model.apply(x)

        def loop(items, owned, x, step, table):
          for item in items:
            {}
        """
    severity = Severity.HINT if reason else Severity.SLOW
    assert found(tmp_path, dedent(text).format(body)) == ("JIT401", severity, reason)


def test_an_object_of_the_round_sets_itself_up(tmp_path: Path) -> None:
    text = """
        class Grid:
            def __init__(self, width):
                self.width = width

            def points(self):
                return jax.jit(lambda x: x * self.width)(jnp.ones(3))

        def all_points(widths):
            return [Grid(width).points() for width in widths]
        """
    assert found(tmp_path, text) == ("JIT402", Severity.HINT, "object")


def test_an_object_that_a_round_replaces_is_used_again(tmp_path: Path) -> None:
    text = """
        class State:
            def __init__(self, x):
                self.x = x

            def step(self):
                return State(jax.jit(lambda x: x * 0.5)(self.x))

        def run(state, count):
            for _ in range(count):
                state = state.step()
            return state

        run(State(jnp.ones(3)), 5)
        """
    assert found(tmp_path, text) == ("JIT402", Severity.SLOW, "")


@pytest.mark.parametrize(
    ("rules", "own"),
    [
        ("[Rule(square, 1.0), Rule(cube, 1.0)]", "function"),
        ("[Rule(square, 1.0), Rule(square, 2.0)]", "function"),
        ("[(1.0, 2.0), (3.0, 4.0)]", ""),
        ("[True, False]", "function"),
    ],
)
def test_functions_and_flags_of_the_round_decide_the_program(tmp_path: Path, rules: str, own: str) -> None:
    text = f"""
        from typing import Callable, NamedTuple

        class Rule(NamedTuple):
            apply: Callable
            rate: float

        def square(x):
            return x * x

        def cube(x):
            return x * x * x

        def make(rule):
            def step(x):
                return x if rule is None else jnp.sin(x) * len(str(rule))

            return jax.jit(step)

        def compare(x):
            return [make(RULES[number])(x) for number in range(2)]

        RULES = {rules}
        compare(jnp.ones(3))
        """
    assert found(tmp_path, text)[2] == own


@pytest.mark.parametrize(("loop", "own"), [("(64, 128, 256)", "sizes"), ("(0.1, 0.2)", ""), ("range(3)", "")])
def test_listed_numbers_are_sizes(tmp_path: Path, loop: str, own: str) -> None:
    text = f"""
        def measure(size, x):
            return jax.jit(lambda v: v * 2)(x)

        def all_sizes(x):
            return [measure(size, x) for size in {loop}]
        """
    assert found(tmp_path, text)[2] == own


@pytest.mark.parametrize(
    ("body", "own"),
    [
        ("if math.isnan(loss): start(x)", "exception"),
        ("if loss > 3: start(x)", ""),
        ("try: step(loss)\n                except ValueError: start(x)", "exception"),
        ("if loss == 0: start(x)", "once"),
        ("if x.ndim == 0: start(x)", ""),
        ("if loss != 0: start(x)", ""),
    ],
)
def test_what_few_rounds_do_is_rare(tmp_path: Path, body: str, own: str) -> None:
    text = f"""
        def start(x):
            return jax.jit(lambda v: v * 2 + 1)(x)

        def train(losses, step, x):
            for loss in losses:
                {body}
        """
    assert found(tmp_path, text)[2] == own


def test_the_loop_that_could_share_a_program_explains_the_finding(tmp_path: Path) -> None:
    text = """
        def fit(model, x):
            return jax.jit(lambda v: model.apply(v))(x)

        def sweep(models, x):
            for model in models:
                fit(model, x)

        def again(models, x):
            while True:  # the loop
                sweep(models, x)
        """
    (finding,) = findings(tmp_path, text)
    assert finding.severity is Severity.SLOW
    (line,) = [i for i, text in enumerate((HEAD + dedent(text)).splitlines(), 1) if "# the loop" in text]
    assert finding.event.flow[-1].place.line == line


def test_a_program_that_its_round_uses_often_pays(tmp_path: Path) -> None:
    text = """
        def fit(model, rows):
            step = jax.jit(lambda row: model.apply(row))
            for row in rows:
                step(row)

        def sweep(models, rows):
            for _ in range(5):
                for model in models:
                    fit(model, rows)
        """
    assert found(tmp_path, text)[1:] == (Severity.HINT, "function")


def test_a_loop_outside_of_tests_is_named(tmp_path: Path) -> None:
    library = HEAD + dedent("""
        def solve(x):
            return jax.jit(lambda v: v * 2)(x)
        """)
    loop = "from solver import solve\n\n\ndef {}(xs):\n    return [solve(x) for x in xs]\n"
    files = {"solver.py": library, "a_test.py": loop.format("test_solve"), "z.py": loop.format("all")}
    (finding,) = [each for each in find(write(tmp_path, files)).findings if each.code == "JIT402"]
    assert finding.event.flow[-1].place.path == "z.py"


@pytest.mark.parametrize(
    ("decorator", "confidence"),
    [("@library.named_jit", "possible"), ("@library.jitted(donate=1)", "possible"), ("@library.logged", "certain")],
)
def test_a_decorator_that_calls_itself_a_jit_may_trace(tmp_path: Path, decorator: str, confidence: str) -> None:
    text = f"""
        import library

        {decorator}
        def step(x):
            return inner(x)

        def inner(x):
            return jax.jit(lambda v: v * 2)(x)

        def run(x):
            for _ in range(9):
                x = step(x)
            return x
        """
    (finding,) = findings(tmp_path, text)
    assert finding.event.confidence == confidence


def test_methods_of_modules_may_be_traced_by_who_calls_them(tmp_path: Path) -> None:
    module = """
        from flax import nnx

        class Block(nnx.Module):
            def scaled(self, x):
                return jax.jit(lambda v: v * 2)(x)

            def __call__(self, x):
                for _ in range(3):
                    x = self.scaled(x)
                return x
        """
    called_once = """
        def serve(row):
            return Block()(row)
        """
    called_in_loop = """
        def serve(rows):
            block = Block()
            for row in rows:
                block(row)
        """
    for caller, confidence in ((called_once, "possible"), (called_in_loop, "certain")):
        (finding,) = findings(tmp_path, dedent(module) + dedent(caller))
        assert finding.event.confidence == confidence


def test_a_flag_decides_the_program(tmp_path: Path) -> None:
    text = """
        def make(flipped):
            @jax.jit
            def run(x):
                return -x if flipped else x
            return run

        for flipped in (True, False):
            make(flipped)(jnp.ones(3))
    """
    assert found(tmp_path, text) == ("JIT402", Severity.HINT, "function")


def test_what_holds_functions_decides_the_program(tmp_path: Path) -> None:
    text = """
        from typing import Callable, NamedTuple

        class Method(NamedTuple):
            start: Callable
            step: Callable

        def halve(x):
            return x / 2

        METHODS = {"plain": Method(halve, halve), "twice": Method(halve, lambda x: halve(halve(x)))}

        def make(method):
            @jax.jit
            def run(x):
                return method.step(method.start(x))
            return run

        def compare(x):
            for name in METHODS:
                make(METHODS[name])(x)
    """
    assert found(tmp_path, text) == ("JIT402", Severity.HINT, "function")
