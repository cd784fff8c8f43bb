"""Recursion, loops and large programs end, and still tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check, findings, write

pytestmark = pytest.mark.timeout(120)  # however slow the machine: each takes a second at most

PROGRAMS = {
    "recursion": """
        def down(v, n):
            if n == 0:
                return v
            if v > 0: v = v + 1  # expect: JIT101
            return down(v, n - 1)

        @jax.jit
        def f(x): return down(x, 5)
    """,
    "recursion without end": """
        def forever(v):
            if v > 0: v = v + 1  # expect: JIT101
            return forever(v)

        @jax.jit
        def f(x): return forever(x)
    """,
    "recursion whose arguments grow": """
        def grow(v, items, n):
            if n in items: return v
            if v > 0: v = v + 1  # expect: JIT101
            return grow(v, items + (n,), n + 1)

        @jax.jit
        def f(x): return grow(x, (), 0)
    """,
    "mutual recursion": """
        def even(v, n):
            return v if n.done() else odd(v, n)

        def odd(v, n):
            if v > 0: v = v + 1  # expect: JIT101
            return v if n.done() else even(v, n)

        @jax.jit
        def f(x): return even(x, make())
    """,
    "functions that call themselves through a table": """
        TABLE = {}
        def visit(v, kind): return TABLE[kind](v)
        def leaf(v): return v if v > 0 else -v  # expect: JIT104
        def node(v): return visit(v, "leaf") + visit(v, "node")
        TABLE["leaf"] = leaf
        TABLE["node"] = node

        @jax.jit
        def f(x): return visit(x, "node")
    """,
    "the fixpoint of a loop": """
        @jax.jit
        def f(x, n):
            a = b = c = 0
            for _ in settings.items():
                if c: x = x + 1  # expect: JIT101
                c, b, a = b, a, x
            return x
    """,
    "a loop without end": """
        @jax.jit
        def f(x):
            while True:
                x = x + 1
                if x > 3: break  # expect: JIT101
            return x
    """,
    "loops in loops": """
        @jax.jit
        def f(x):
            for i in range(100):
                for j in range(100):
                    for k in range(100):
                        for l in range(100):
                            x = x + i * j * k * l
            return x if x > 0 else 0  # expect: JIT104
    """,
    "a loop that makes functions": """
        @jax.jit
        def f(x):
            g = lambda v: v
            for i in range(50):
                g = (lambda h: lambda v: h(v) + i)(g)
            return 1 if g(x) > 0 else 0  # expect: JIT104
    """,
    "a decorator that returns itself": """
        def again(f): return again
        @again
        @again
        def g(v): return v

        @jax.jit
        def f(x): return 1 if x > 0 else g(x)  # expect: JIT104
    """,
    "a generator that feeds itself": """
        def count(n):
            yield n
            yield from count(n + 1)

        @jax.jit
        def f(x):
            for n in count(0):
                if n > 5: break
                x = x + n
            return 1 if x > 0 else 0  # expect: JIT104
    """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_it_ends_and_tells(tmp_path: Path, program: str) -> None:
    lines = [line[8:] for line in program.splitlines()]
    text = "import jax\nimport settings\nfrom settings import make\n" + "\n".join(lines) + "\n"
    check(tmp_path, text)


def test_results_of_recursion(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        from settings import make

        def last(v, n):
            if n.done(): return v
            return last(v, n)

        @jax.jit
        def f(x):
            if last(x, make()): return 1  # expect: JIT101
            if last(2, make()): return 1
            return 0
        """,
    )


def found(folder: Path, text: str) -> list[tuple[int, str]]:
    return [(finding.event.place.line, finding.code) for finding in findings(write(folder, text))]


def test_two_hundred_nested_closures(tmp_path: Path) -> None:
    lambdas, deep = 140, 60
    lines = ["import jax", "", "def f0(x):"]
    lines += [f"{'    ' * level}def f{level}(v):" for level in range(1, deep)]
    body = "x if x > 0 else 0"
    for _ in range(lambdas):
        body = f"(lambda: {body})()"
    lines.append("    " * deep + "return " + body)
    lines += [f"{'    ' * level}return f{level}(x)" for level in range(deep - 1, 0, -1)]
    lines += ["", "g = jax.jit(f0)"]
    # Calls nested deeper than a limit are unknown: silence, but no failure.
    assert found(tmp_path, "\n".join(lines)) in ([], [(deep + 3, "JIT104")])


def test_a_chain_of_forty_calls(tmp_path: Path) -> None:
    chain = "".join(f"def f{n}(x):\n    return f{n + 1}(x)\n" for n in range(40))
    text = f"import jax\n{chain}def f40(x):\n    return x if x > 0 else 0\ng = jax.jit(f0)\n"
    assert found(tmp_path, text) == [(83, "JIT104")]


def test_calls_that_fan_out(tmp_path: Path) -> None:
    layers = "".join(f"def f{n}(x, k):\n    return f{n + 1}(x, k) + f{n + 1}(x, k + 1)\n" for n in range(30))
    text = (
        f"import jax\n{layers}def f30(x, k):\n    return x if x > k else k\n@jax.jit\ndef g(x):\n    return f0(x, 0)\n"
    )
    assert found(tmp_path, text) == [(63, "JIT104")]


def test_a_big_unrolled_module(tmp_path: Path) -> None:
    steps = "".join(f"    y{n} = y{n - 1} * {n} + x\n" for n in range(1, 5000))
    text = f"import jax\n\n@jax.jit\ndef f(x):\n    y0 = x\n{steps}    return y4999 if y4999 > 0 else x\n"
    assert found(tmp_path, text) == [(5005, "JIT104")]


def test_many_branches_one_after_the_other(tmp_path: Path) -> None:
    branches = "".join(f"    if flags[{n}].on():\n        a{n % 7} = x\n" for n in range(400))
    start = "".join(f"    a{n} = 0\n" for n in range(7))
    text = f"import jax\n\n@jax.jit\ndef f(x):\n{start}{branches}    return 1 if a3 else 2\n"
    text = text.replace("import jax", "import jax\nfrom settings import flags", 1)
    assert found(tmp_path, text) == [(813, "JIT104")]


def test_many_functions(tmp_path: Path) -> None:
    functions = "".join(
        f"@jax.jit\ndef f{n}(x):\n    if x > {n}:\n        return x\n    return f{n - 1}(x)\n" for n in range(1, 300)
    )
    assert len(found(tmp_path, f"import jax\n\ndef f0(x):\n    return x\n\n{functions}")) == 299


def test_a_long_expression(tmp_path: Path) -> None:
    text = f"import jax\n\n@jax.jit\ndef f(x):\n    y = {' + '.join(['x'] * 1000)}\n    return 1 if y > 0 else 2\n"
    assert found(tmp_path, text) == [(6, "JIT104")]
