"""Code that looks bad and is not, and suspicions that hide behind other failures: programs in which both lie close."""

from __future__ import annotations

from pathlib import Path

import pytest
from making import finding, source

from jitlint.events.event import EventKind as Kind
from jitlint.findings.finding import Verdict
from jitlint.pipeline import find, read
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions

HEAD = """import functools
import jax
import jax.numpy as jnp
import numpy as np

"""
JIT = "@jax.jit\ndef f("

CASES: dict[str, tuple[str, list[tuple[Kind, str, str, dict[str, str], str, str]]]] = {
    "a test within a test": (
        f"{JIT}x):\n    return 1 if (2 if x > 0 else 3) > 2 else 4\n",
        [
            (Kind.BOOL, "ternary", "(2 if x > 0 else 3) > 2", {}, "inconclusive", ""),
            (Kind.BOOL, "ternary", "x > 0", {}, "confirmed", "TracerBoolConversionError"),
        ],
    ),
    "a static test within a call that fails": (
        f"{JIT}x, k):\n    n = 3\n    return jnp.zeros(k if n > 2 else 1) + x\n",
        [(Kind.BOOL, "ternary", "n > 2", {}, "inconclusive", "")],
    ),
    "a conversion of what fails by itself": (
        f"{JIT}x):\n    return float(len(jnp.nonzero(x)[0]))\n",
        [(Kind.CONVERT, "float", "float(len(jnp.nonzero(x)[0]))", {}, "inconclusive", "")],
    ),
    "an array where a list was predicted": (
        f"{JIT}layers, i):\n    return layers[i]\n",
        [(Kind.INDEX, "list", "layers[i]", {}, "inconclusive", "")],
    ),
    "behind a branch, on its other side": (
        f"{JIT}x, y):\n    if x > 0:\n        z = y\n    else:\n        if y > 1:\n            z = x\n        else:\n"
        "            z = float(y)\n    return z\n",
        [
            (Kind.BOOL, "if", "y > 1", {}, "confirmed", "forced past"),
            (Kind.CONVERT, "float", "float(y)", {}, "confirmed", "forced past"),
        ],
    ),
    "behind a loop that does not end": (
        f"{JIT}x):\n    while x > 1:\n        x = x / 2\n    if x > 0.5:\n        return x\n    return -x\n",
        [(Kind.BOOL, "if", "x > 0.5", {}, "confirmed", "forced past")],
    ),
    "behind what wants shapes, masks, hashes and formats": (
        f"{JIT}x, m, n):\n    a = jnp.zeros(n), x[m > 0], x[:n], jnp.nonzero(x), {{n: 1}}, f'{{n:3d}}'\n"
        "    x[0] = 1.0\n"
        "    return a if n > 0 else x\n",
        [(Kind.BOOL, "ternary", "n > 0", {}, "confirmed", "forced past")],
    ),
    "not on the way": (
        f"class C:\n    debug = False\n\n\n{JIT}x):\n    if C.debug:\n        assert x.sum() > 0\n    return x\n",
        [(Kind.BOOL, "assert", "x.sum() > 0", {}, "inconclusive", "branch on `C.debug` in line 12")],
    ),
    "an iterator of the trace's own": (
        f"{JIT}x):\n    own = iter([1.0, 2.0])\n    return x * next(own)\n",
        [(Kind.ITERATOR_NEXT, "next", "next(own)", {}, "refuted", "iterator of its own")],
    ),
    "a generator of the trace's own": (
        f"{JIT}x):\n    own = np.random.default_rng(0)\n    return x * own.normal()\n",
        [(Kind.EFFECT, "numpy.random.Generator.normal", "own.normal()", {"category": "random"}, "refuted", "again")],
    ),
    "a generator of the module": (
        f"OUTER = np.random.default_rng(0)\n\n\n{JIT}x):\n    return x * OUTER.normal()\n",
        [(Kind.EFFECT, "numpy.random.Generator.normal", "OUTER.normal()", {"category": "random"}, "confirmed", "only")],
    ),
    "kept beside a leak": (
        f"KEPT = []\nLAST = {{}}\n\n\n{JIT}x):\n    KEPT.append(x.shape)\n    KEPT.append(x)\n    LAST['n'] = x.ndim\n"
        "    LAST['x'] = x\n    return x\n",
        [
            (Kind.LEAK, "append", "KEPT.append(x.shape)", {"name": "KEPT"}, "refuted", "no tracer is left"),
            (Kind.LEAK, "append", "KEPT.append(x)", {"name": "KEPT"}, "confirmed", "left in `KEPT`"),
            (Kind.LEAK, "item", "LAST['n']", {"name": "LAST['n']"}, "refuted", "no tracer is left"),
            (Kind.LEAK, "item", "LAST['x']", {"name": "LAST['x']"}, "confirmed", "a tracer is left"),
        ],
    ),
    "in a cache": (
        f"@functools.lru_cache\ndef table(n):\n    return jnp.arange(n) * 2.0\n\n\n{JIT}x):\n    return x * table(4)\n",
        [(Kind.LEAK, "lru_cache", "table(4)", {"name": "table"}, "confirmed", "a tracer is left")],
    ),
    "raised again": (
        f"{JIT}x):\n    try:\n        return float(x)\n    except TypeError:\n        raise\n",
        [(Kind.SWALLOWED, "float", "float(x)", {}, "refuted", "nothing swallows it")],
    ),
    "swallowed": (
        f"{JIT}x):\n    try:\n        return float(x)\n    except TypeError:\n        return x\n",
        [(Kind.SWALLOWED, "float", "float(x)", {}, "confirmed", "every call takes the fallback")],
    ),
    "a flag and what tells of it": (
        f"{JIT}x, flag):\n    one = x.ndim == 0\n    return (x if flag is True else -x) if one is not False else x\n",
        [
            (Kind.IDENTITY, "is", "flag is True", {"other": "True"}, "confirmed", "neither True nor False"),
            (Kind.IDENTITY, "is not", "one is not False", {"other": "False"}, "refuted", ""),
        ],
    ),
    "a mode and a length": (
        f"MODE = 'a'\nITEMS = []\n\n\n{JIT}x):\n    return x * len(ITEMS) if MODE == 'a' else x\n",
        [
            (Kind.STATE_READ, "global", "if MODE ==|MODE", {"name": "MODE"}, "confirmed", "another program"),
            (Kind.STATE_READ, "global", "len(ITEMS)|ITEMS", {"name": "ITEMS"}, "confirmed", "another program"),
        ],
    ),
    "a list that a dict makes when it is asked": (
        f"ROWS = {{}}\n\n\n{JIT}x):\n    ROWS.setdefault('a', []).append(x)\n    return x\n",
        [
            (
                Kind.LEAK,
                "append",
                "ROWS.setdefault('a', []).append(x)",
                {"name": "ROWS.setdefault('a', [])"},
                "confirmed",
                "a tracer is left",
            ),
        ],
    ),
    "a result that Python alone computes": (
        f"g = 1.0\n\n\n{JIT}x):\n    return g + 1\n",
        [(Kind.STATE_READ, "global", "return g|g", {"name": "g"}, "confirmed", "another program")],
    ),
    "a function that is exchanged": (
        f"activation = jnp.tanh\n\n\n{JIT}x):\n    return activation(x)\n",
        [
            (
                Kind.STATE_READ,
                "global",
                "return activation|activation",
                {"name": "activation"},
                "confirmed",
                "from tanh to another function",
            ),
        ],
    ),
}

LOOPS = """import functools
import jax


@functools.partial(jax.jit, static_argnums=1)
def f(x, n):
    return x * 1.5 + n


def same(x):
    y = 1
    for i in range(4):
        y = f(y, 2)
    return y


def another(x):
    for i in range(4):
        x = f(x, i)
    return x


def named(x):
    for i in range(4):
        x = jax.jit(same)(x)
    return x


MADE = {}


def kept(x):
    if 1 not in MADE:
        MADE[1] = jax.jit(lambda v: v * 2)
    return jax.jit(lambda v: v + 1)(MADE[1](x))
"""


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], Verdict]:
    """The verdicts of all cases, each in a file of its own."""
    folder: Path = tmp_path_factory.mktemp("lookalikes")
    keys, found, files = [], [], []
    for number, (name, (program, probes)) in enumerate(CASES.items()):
        (folder / str(number)).mkdir()
        files.append(source(folder / str(number) / "mod.py", HEAD + program))
        for at, (kind, construct, place, detail, *_) in enumerate(probes):
            keys.append((name, at))
            text, _, part = place.partition("|")
            found.append(
                finding(files[-1], kind, construct, text, part, entry="jax.jit", function="f", root="f", detail=detail)
            )
    seen = verify(found, files, VerifyOptions())
    return {key: one.verdict for key, one in zip(keys, seen, strict=True) if one.verdict}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "at"), [(name, at) for name, case in CASES.items() for at in range(len(case[1]))])
def test_what_jax_says(verdicts: dict[tuple[str, int], Verdict], name: str, at: int) -> None:
    *_, status, words = CASES[name][1][at]
    verdict = verdicts[name, at]
    assert verdict.status == status, verdict
    assert words in verdict.reason


@pytest.mark.slow
def test_what_is_compiled_and_why(tmp_path: Path) -> None:
    file = source(tmp_path / "loops.py", LOOPS)
    static = {"parameter": "n"}
    expected = {
        (Kind.STATIC_VALUE, "loop variable", "f(y, 2)", "2", "same", "f"): "refuted",
        (Kind.STATIC_VALUE, "loop variable", "f(x, i)", "i", "another", "f"): "confirmed",
        (Kind.JIT_CREATED, "function", "jax.jit(same)", "", "named", "same"): "refuted",
        (Kind.JIT_CREATED, "lambda", "jax.jit(lambda v: v * 2)", "", "kept", ""): "inconclusive",
        (Kind.JIT_CREATED, "lambda", "jax.jit(lambda v: v + 1)", "", "kept", ""): "confirmed",
    }
    found = [
        finding(
            file,
            kind,
            construct,
            text,
            part,
            symbol=root,
            root=root,
            function=function,
            detail=static,
            entry="functools.partial(jax.jit, static_argnums=1)" if function == "f" else text,
        )
        for kind, construct, text, part, root, function in expected
    ]
    seen = [one.verdict for one in verify(found, [file], VerifyOptions())]
    assert [one.status for one in seen if one] == list(expected.values()), seen
    assert seen[1] and seen[1].evidence["seen"] == ["0", "1", "2", "3"]
    assert seen[4] and "never seen function" in seen[4].evidence["why"]


@pytest.mark.slow
def test_an_argument_at_its_default_says_nothing_about_passing_it(tmp_path: Path) -> None:
    """Calls without `size` run through; the suspicion is about those that pass it."""
    text = (
        "import jax\n\n\n@jax.jit\ndef padded(x, size=4, twice=False):\n    total = x.sum()\n"
        "    if size > 3:\n        total = total + size\n    return total\n\n\nprint(padded(jax.numpy.ones(3)))\n\n\n"
        "def wide(x, width):\n    return padded(x, size=width)\n"
    )
    sources = read([str(source(tmp_path / "padding.py", text).path)]).files
    seen = verify(find(sources).findings, sources, VerifyOptions())
    assert [(one.event.place.line, one.verdict.status) for one in seen if one.verdict] == [(7, "confirmed")]


@pytest.mark.slow
def test_a_key_is_used_twice_in_code_that_nothing_traces(tmp_path: Path) -> None:
    text = (
        "import jax\n\n\ndef noise(key):\n    a = jax.random.normal(key)\n    return a + jax.random.uniform(key)\n"
        "\n\nif __name__ == '__main__':\n    print(noise(jax.random.key(0)))\n"
    )
    sources = read([str(source(tmp_path / "keys.py", text).path)]).files
    seen = verify(find(sources).findings, sources, VerifyOptions())
    assert [(one.event.place.line, one.verdict.status) for one in seen if one.verdict] == [(6, "confirmed")]
