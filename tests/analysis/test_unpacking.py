"""Elements stay apart through containers, unpacking and loops."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check

PROLOGUE = """\
import jax
import jax.numpy as jnp

@jax.jit
def f(x, pair, table):
"""

BODIES = {
    "tuple": """
        a, b = 1, x
        if a: a = 2
        if b: a = 3  # expect: JIT101
    """,
    "deleted": """
        del table["a"]
        if "a" in {"a": 1}: x = x + 1
        items = {"a": x, "b": 1}
        del items["a"]
        for item in items.values():
            if item: a = 1
        del x[0]  # expect: JIT507
    """,
    "nested": """
        (a, [b, c]), d = (1, [x, 2]), 3
        if a and c and d: a = 2
        if b: a = 3  # expect: JIT101
    """,
    "another number of elements": """
        a, b = {"p": 1, "q": x, "r": 2}
        if a: c = 1
        for d in (x, x, x), (x, 2):
            a, b = d
            if b: c = 2
    """,
    "starred": """
        a, *rest, c = x, 1, 2, x
        if rest: a = 1
        if rest[0] > 0: a = 1
        if c: a = 2  # expect: JIT101
    """,
    "starred display": """
        items = [1, *(x, 2), 3]
        if items[0] and items[2] and items[3]: x = x + 1
        if items[1]: x = x + 1  # expect: JIT101
    """,
    "swap": """
        a, b = 1, x
        a, b = b, a
        if b: a = a + 1
        if a: b = 2  # expect: JIT101
    """,
    "dict": """
        d = {"static": 3, "traced": x}
        d["late"] = x
        if d["static"]: x = x + 1
        for key, value in d.items():
            if key == "static": x = x + value
        if d["late"]: x = x + 1  # expect: JIT101
    """,
    "dict merge": """
        d = {**{"a": 1}, **dict(b=x), "c": 2}
        d.update(e=x)
        if d["a"] and d["c"]: x = x + 1
        if d["b"]: x = x + 1  # expect: JIT101
        if d["e"]: x = x + 1  # expect: JIT101
    """,
    "list methods": """
        items = []
        items.append(1)
        items.insert(0, x)
        items.extend([2, x])
        if items[1] and items[2]: x = x + 1
        if items.pop(): x = x + 1  # expect: JIT101
    """,
    "slices": """
        items = (x, 1, 2, x)
        a, b = items[1:3]
        if a and b: x = x + 1
        if items[-1]: x = x + 1  # expect: JIT101
    """,
    "enumerate and zip": """
        for i, (n, v) in enumerate(zip((1, 2), (x, x))):
            if i and n: x = x + v
            if v: x = x + 1  # expect: JIT101
    """,
    "rows of an array": """
        a, b = x
        for i, row in enumerate(x):
            if i: a = row
        if a > 0: b = 1  # expect: JIT101
    """,
    "comprehension": """
        values = [v for v in (1, 2, 3) if v > 1]
        if values[0]: x = x + 1
        kept = [v for v in x if v > 1]  # expect: JIT107
        return values, kept
    """,
    "walrus": """
        if (n := x.shape[0]) > 3: x = x + n
        if (m := x + n) > 3: x = m  # expect: JIT101
    """,
    "structure of a pytree": """
        if pair is None: return x
        if isinstance(table, dict) and "w" in table: x = x + 1
        if len(pair) == 2: x = x + 1
    """,
    "facts of an array": """
        if x.ndim > 1 and x.shape[0] > 2 and x.dtype == jnp.float32 and x.size: x = x + 1
        if jnp.ndim(x) and len(x.shape) and len(x): x = x + 1
    """,
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_elements_stay_apart(tmp_path: Path, body: str) -> None:
    lines = [line[4:] if line.startswith("        ") else line for line in body.splitlines()]
    check(tmp_path, PROLOGUE + "\n".join(lines).rstrip() + "\n    return x\n")


def test_unions_of_dicts(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax

        @jax.jit
        def f(x):
            d = {"a": 1} | {"e": x}
            d |= {"g": x, "h": 2}
            if d["a"] and d["h"]: x = x + 1
            if d["e"]: x = x + 1  # expect: JIT101
            if d["g"]: x = x + 1  # expect: JIT101
            return x
        """,
    )
