"""Programs that are too much of one thing, and what twice as much costs: python -m tests.fuzz.pathological [SHAPE…]

Prints for each shape the CPU seconds at a size and at twice the size, and their ratio: about 2 where the cost is
linear.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from jitlint.pipeline import find
from jitlint.source.text import SourceFile

Files = Mapping[str, str]

START = "import jax\nimport jax.numpy as jnp\nfrom settings import make\n"
JIT = "@jax.jit\ndef start(x, n):\n    "


def _one(*parts: str) -> Files:
    return {"program.py": START + "".join(parts)}


def ring(size: int) -> Files:
    """Functions that each call the next, round and round."""
    functions = (f"def f{i}(x, n):\n    return f{(i + 1) % size}(x + 1, n)\n" for i in range(size))
    return _one(*functions, JIT, "return f0(x, n)\n")


def web(size: int) -> Files:
    """Functions that each call three others, here and there."""
    functions = (
        f"def f{i}(x, n):\n    if n:\n        return f{(i * 7 + 1) % size}(x, n)\n"
        f"    return f{(i * 13 + 5) % size}(x, n) + f{(i * 31 + 7) % size}(x, n - 1)\n"
        for i in range(size)
    )
    return _one(*functions, JIT, "return f0(x, n)\n")


def many_jitted(size: int) -> Files:
    """Jitted functions, each with a finding."""
    return _one(*(f"@jax.jit\ndef f{i}(x):\n    if x > {i}:\n        return x\n    return -x\n" for i in range(size)))


def long_function(size: int) -> Files:
    """One function of many lines, each with a variable of its own."""
    return _one(JIT, *(f"y{i} = x + {i}\n    " for i in range(size)), f"return y{size - 1}\n")


def long_branches(size: int) -> Files:
    """One function with many branches in a row, each of which changes a variable of its own."""
    return _one(JIT, *(f"if make({i}):\n        y{i} = x\n    " for i in range(size)), "return x\n")


def elifs(size: int) -> Files:
    """One statement with many branches."""
    branches = (f"elif n == {i}:\n        y = x + {i}\n    " for i in range(size))
    return _one(JIT, "if make():\n        y = x\n    ", *branches, "return y\n")


def cases(size: int) -> Files:
    """One `match` with many cases."""
    branches = (f"        case {i}: y = x + {i}\n" for i in range(size))
    return _one(JIT, "match make():\n", *branches, "    return y\n")


def closures(size: int) -> Files:
    """Functions in functions, as deep as they may be written, then lambdas."""
    deep = min(size // 4, 90)
    lines = [f"{' ' * i}def f{i}(v{i}):\n" for i in range(deep)]
    text = "v0 if v0 > 0 else 0"
    for _ in range(min(size - deep, 180)):
        text = f"(lambda: {text})()"
    lines.append(" " * deep + f"return {text}\n")
    lines += [f"{' ' * i}return f{i}(v{i - 1})\n" for i in range(deep - 1, 0, -1)]
    return _one(*lines, "g = jax.jit(f0)\n")


def wrapped(size: int) -> Files:
    """A container put into a container, line by line."""
    steps = ("y = [y]\n    " if i % 2 else "y = {'k': y}\n    " for i in range(size))
    return _one(JIT, "y = x\n    ", *steps, "return y\n")


def grown(size: int) -> Files:
    """A list that each line appends to, and that holds itself."""
    return _one(
        JIT, "y = []\n    y.append(y)\n    ", *(f"y.append([x, y, {i}])\n    " for i in range(size)), "return y[0]\n"
    )


def literal(size: int) -> Files:
    """One literal of many elements, nested a little."""
    elements = ", ".join(f"[{i}, ({i}, {{'a': {i}}})]" for i in range(size))
    return _one(f"TABLE = [{elements}]\n", JIT, "return x + len(TABLE)\n")


def table(size: int) -> Files:
    """A dict with many keys, read by each of them."""
    items = ", ".join(f"'k{i}': {i}" for i in range(size))
    return _one(f"TABLE = {{{items}}}\n", JIT, *(f"x = x + TABLE['k{i}']\n    " for i in range(size)), "return x\n")


def long_file(size: int) -> Files:
    """Many lines of code that has little to do with JAX."""
    return _one(
        *(f"def f{i}(a, b=1):\n    c = a + b\n    return [c, a]\n\n" for i in range(size // 4)), JIT, "return x\n"
    )


def long_line(size: int) -> Files:
    """One line of many characters."""
    return _one(
        f"text = {'x' * size!r}\n", "total = ", " + ".join(["n"] * (min(size, 1200) // 4)), "\n", JIT, "return x\n"
    )


def chain(size: int) -> Files:
    """Calls of what calls give."""
    return _one("def again(*_): return again\n", JIT, "again", "(x)" * size, "\n    return x\n")


def nested_calls(size: int) -> Files:
    """Calls in calls, as deep as brackets may be."""
    deep = min(size, 195)
    return _one("def same(v): return v\n", JIT, "return ", "same(" * deep, "x", ")" * deep, "\n")


def inheritance(size: int) -> Files:
    """Classes that each inherit from the one before."""
    classes = (
        f"class C{i}({f'C{i - 1}' if i else 'object'}):\n    def m{i}(self, x): return self.m0(x)\n"
        for i in range(size)
    )
    return _one(*classes, JIT, f"return C{size - 1}().m0(x)\n")


def bases(size: int) -> Files:
    """A class with many bases and methods."""
    classes = (f"class C{i}:\n    a{i} = {i}\n" for i in range(size))
    methods = (f"    def m{i}(self, x): return self.m{(i + 1) % size}(x)\n" for i in range(size))
    names = ", ".join(f"C{i}" for i in range(size))
    return _one(*classes, f"class D({names}):\n", *methods, JIT, "return D().m0(x) + D().a0\n")


def attributes(size: int) -> Files:
    """An object with many attributes."""
    sets = (f"        self.a{i} = x + {i}\n" for i in range(size))
    return _one("class C:\n    def __init__(self, x):\n", *sets, JIT, f"return C(x).a{size - 1}\n")


def modules(size: int) -> Files:
    """Modules that import each other in a circle."""
    return {
        f"m{i}.py": f"import jax\nimport m{(i + 7) % size}\nfrom m{(i + 1) % size} import *\n"
        f"from m{(i + 3) % size} import f{(i + 3) % size}\n"
        f"@jax.jit\ndef f{i}(x):\n    return f{(i + 3) % size}(x) + m{(i + 7) % size}.f{(i + 7) % size}(x)\n"
        for i in range(size)
    }


def decorated(size: int) -> Files:
    """A function under many decorators."""
    return _one("def d(f): return f\n", "@d\n" * size, JIT, "return x\n")


def parameters(size: int) -> Files:
    """A function of many parameters, called with all of them."""
    names = ", ".join(f"a{i}" for i in range(size))
    values = ", ".join(f"a{i}=x" for i in range(size))
    return _one(f"def f({names}):\n    return a0\n", JIT, f"return f({values})\n")


def loops(size: int) -> Files:
    """Loops in a row, each of which changes variables of the others."""
    body = (f"for i{i} in make():\n        y{i} = y{(i * 7) % size} + x\n    " for i in range(size))
    return _one(JIT, *(f"y{i} = x\n    " for i in range(size)), *body, "return y0\n")


def states(size: int) -> Files:
    """Functions that each write a global that all the others read."""
    names = ", ".join(f"G{i}" for i in range(size))
    functions = (f"def w{i}():\n    global G{i}\n    G{i} += 1\n" for i in range(size))
    return _one(*(f"G{i} = 0\n" for i in range(size)), *functions, JIT, f"return x + sum([{names}])\n")


SHAPES: Mapping[Callable[[int], Files], int] = {
    ring: 5_000, web: 5_000, many_jitted: 2_000, long_function: 2_000, long_branches: 1_000, elifs: 2_500, cases: 1_000,
    closures: 200, wrapped: 2_000, grown: 2_000, literal: 5_000, table: 2_000, long_file: 50_000, long_line: 500_000,
    chain: 400, nested_calls: 100, inheritance: 300, bases: 500, attributes: 1_000, modules: 300, decorated: 1_000,
    parameters: 1_000, loops: 300, states: 500,
}  # fmt: skip
"""The programs, and how large they are made first."""


def sources(files: Files) -> list[SourceFile]:
    """A program as the analyzer takes it."""
    return [SourceFile(Path("/pathological", name), name, text) for name, text in files.items()]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.pathological")
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=", ".join(shape.__name__ for shape in SHAPES))
    options = parser.parse_args()
    print(f"{'shape':16}{'size':>9}{'seconds':>9}{'at twice':>9}{'ratio':>7}  findings, incomplete, errors")
    for shape, size in SHAPES.items():
        if options.shapes and shape.__name__ not in options.shapes:
            continue
        seconds = []
        for times in (1, 2):
            files = sources(shape(size * times))
            began = time.process_time()
            found = find(files)
            seconds.append(time.process_time() - began)
        counts = f"{len(found.findings)}, {len(found.incomplete)}, {len(found.errors)}"
        first, second = seconds
        print(f"{shape.__name__:16}{size:>9}{first:>9.2f}{second:>9.2f}{second / first:>7.1f}  {counts}", flush=True)
        for error in found.errors:
            print(f"    {error.text[:150]}")


if __name__ == "__main__":
    main()
