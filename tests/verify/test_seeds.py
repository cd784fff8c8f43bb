"""What every tutorial on `jax.jit` warns of, confirmed by JAX; and what only looks like it, refuted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from making import finding, source

from jitlint.events.event import EventKind as Kind
from jitlint.findings.finding import Finding, Verdict
from jitlint.source.text import SourceFile
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions

Make = Callable[[SourceFile], Finding]


def found(kind: Kind, construct: str, text: str, expression: str = "", **more: object) -> Make:
    return lambda file: finding(file, kind, construct, text, expression, **more)


CASES: dict[str, tuple[str, list[tuple[Make, str, str]]]] = {
    "mask": (
        """import jax
import jax.numpy as jnp

def positives(v):
    return v[v > 0]

fast = jax.jit(positives)
data = jnp.array([1.0, -2.0])
positives(data)
fast(data)
""",
        [
            (
                found(Kind.MASK_INDEX, "mask", "v[v > 0]", entry="jax.jit(positives)", function="positives", root=""),
                "confirmed",
                "NonConcreteBooleanIndexError",
            )
        ],
    ),
    "ternary": (
        """import jax

@jax.jit
def flip(v, negative):
    return -v if negative else v

flip(1.0, True)
""",
        [
            (
                found(
                    Kind.BOOL,
                    "ternary",
                    "if negative else",
                    "negative",
                    entry="jax.jit",
                    function="flip",
                    root="flip",
                    calls=("(1.0, True)",),
                ),
                "confirmed",
                "TracerBoolConversionError",
            )
        ],
    ),
    "shape": (
        """import jax
import jax.numpy as jnp

@jax.jit
def flat(v):
    return v.reshape(jnp.prod(jnp.array(v.shape)))
""",
        [
            (
                found(
                    Kind.SHAPE,
                    ".reshape",
                    "v.reshape(jnp.prod(jnp.array(v.shape)))",
                    entry="jax.jit",
                    function="flat",
                    root="flat",
                ),
                "confirmed",
                "TypeError",
            )
        ],
    ),
    "output": (
        """import jax
import jax.numpy as jnp

@jax.jit
def dot(a, b):
    print("a is", a)
    jax.debug.callback(lambda v: print(v), a[0])
    return a @ b

dot(jnp.ones((2, 3)), jnp.ones(3))
dot(jnp.zeros((2, 3)), jnp.ones(3))
""",
        [
            (
                found(
                    Kind.EFFECT,
                    "print",
                    'print("a is", a)',
                    entry="jax.jit",
                    function="dot",
                    root="dot",
                    calls=("(jnp.ones((2, 3)), jnp.ones(3))",),
                    detail={"category": "output"},
                ),
                "confirmed",
                "only while tracing",
            )
        ],
    ),
    "leak": (
        """import jax
import jax.numpy as jnp

seen = []

def log_of(v):
    kept = []
    kept.append(v * 2)
    seen.append(v)
    return jnp.log(v)

jax.make_jaxpr(log_of)(3.0)
""",
        [
            (
                found(
                    Kind.LEAK,
                    "append",
                    "seen.append(v)",
                    entry="jax.make_jaxpr(log_of)",
                    function="log_of",
                    root="",
                    transform="jax.make_jaxpr",
                    detail={"name": "seen"},
                ),
                "confirmed",
                "left in `seen`",
            ),
            (
                found(
                    Kind.LEAK,
                    "append",
                    "kept.append(v * 2)",
                    entry="jax.make_jaxpr(log_of)",
                    function="log_of",
                    root="",
                    transform="jax.make_jaxpr",
                    detail={"name": "kept"},
                ),
                "refuted",
                "no tracer is left",
            ),
        ],
    ),
    "while_": (
        """import jax

def count(v, n):
    i = 0
    while i < n:
        i += 1
    return v + i

counted = jax.jit(count)
""",
        [
            (
                found(Kind.BOOL, "while", "i < n", entry="jax.jit(count)", function="count", root="counted"),
                "confirmed",
                "TracerBoolConversionError",
            )
        ],
    ),
    "loops": (
        """from functools import partial
import jax

def step(i):
    return i + 1

def by_partial(v, n):
    for _ in range(n):
        v = jax.jit(partial(step))(v)
    return v

def by_lambda(v, n):
    for _ in range(n):
        v = jax.jit(lambda i: step(i))(v)
    return v

def by_name(v, n):
    for _ in range(n):
        v = jax.jit(step)(v)
    return v

def by_variable(v, n):
    for _ in range(n):
        fast = jax.jit(partial(step))
        v = fast(v)
    return v

by_partial(0, 5)
by_lambda(0, 5)
by_name(0, 5)
""",
        [
            (
                found(
                    Kind.JIT_CREATED,
                    "partial",
                    "jax.jit(partial(step))(v)",
                    "jax.jit(partial(step))",
                    root="by_partial",
                    calls=("(0, 5)",),
                    detail={"where": "loop"},
                ),
                "confirmed",
                "ran 5 times and compiled 5 times",
            ),
            (
                found(
                    Kind.JIT_CREATED,
                    "lambda",
                    "jax.jit(lambda i: step(i))",
                    root="by_lambda",
                    calls=("(0, 5)",),
                    detail={"where": "loop"},
                ),
                "confirmed",
                "compiled 5 times",
            ),
            (
                found(
                    Kind.JIT_CREATED,
                    "function",
                    "jax.jit(step)",
                    root="by_name",
                    calls=("(0, 5)",),
                    detail={"where": "loop"},
                ),
                "refuted",
                "compiled nothing new",
            ),
            (
                found(
                    Kind.JIT_CREATED,
                    "partial",
                    "fast = jax.jit(partial(step))",
                    "jax.jit(partial(step))",
                    symbol="by_variable",
                    root="by_variable",
                    detail={"where": "loop"},
                ),
                "confirmed",
                "compiled 4 times",
            ),
        ],
    ),
    "state": (
        """import jax

power = 5
label = 1

def raised(v):
    unused = label
    return v ** power

fast = jax.jit(raised)
fast(2.0)
power = 10
label = 2
fast(2.0)
""",
        [
            (
                found(
                    Kind.STATE_READ,
                    "global",
                    "v ** power",
                    "power",
                    entry="jax.jit(raised)",
                    function="raised",
                    root="",
                    detail={"name": "power"},
                ),
                "confirmed",
                "`power` changed from 10 to 11",
            ),
            (
                found(
                    Kind.STATE_READ,
                    "global",
                    "unused = label",
                    "label",
                    entry="jax.jit(raised)",
                    function="raised",
                    root="",
                    detail={"name": "label"},
                ),
                "refuted",
                "same program",
            ),
        ],
    ),
    "iterators": (
        """import jax
import jax.numpy as jnp

@jax.jit
def total(values):
    return sum(values)

total([1.0, 2.0])
total(iter([1.0, 2.0]))
stream = iter(jnp.arange(3.0))
jax.lax.fori_loop(0, 3, lambda i, acc: acc + next(stream), 0.0)
plain = iter([1.0, 2.0, 3.0])
jax.lax.fori_loop(0, 3, lambda i, acc: acc + next(plain), 0.0)
""",
        [
            (
                found(Kind.ITERATOR_ARGUMENT, "iter", "iter([1.0, 2.0])", entry="jax.jit", function="total", root=""),
                "confirmed",
                "TypeError",
            ),
            (found(Kind.ITERATOR_NEXT, "next", "next(stream)", root=""), "confirmed", ""),
            (found(Kind.ITERATOR_NEXT, "next", "next(plain)", root=""), "confirmed", ""),
        ],
    ),
    "gradient": (
        """import jax

def ratio(a, b):
    return a / b if bool(b > 1.0) else 0.0

jax.grad(ratio)(3.0, 2.0)
jax.jit(jax.grad(ratio))(3.0, 2.0)
""",
        [
            (
                found(Kind.BOOL, "bool", "bool(b > 1.0)", entry="jax.jit(jax.grad(ratio))", function="ratio", root=""),
                "confirmed",
                "TracerBoolConversionError",
            )
        ],
    ),
    "mutation": (
        """import jax.numpy as jnp

ones = jnp.ones(3)
ones[0] = 2.0
""",
        [(found(Kind.INPLACE, "item", "ones[0] = 2.0", "ones[0]", root=""), "confirmed", "TypeError")],
    ),
    "dtypes": (
        """from jax import lax

lax.add(1, 1.0)
""",
        [(found(Kind.OPERAND_DTYPES, "jax.lax.add", "lax.add(1, 1.0)", root=""), "confirmed", "TypeError")],
    ),
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> list[dict[tuple[str, int], Verdict]]:
    """The verdicts of all cases, from two runs."""
    folder: Path = tmp_path_factory.mktemp("seeds")
    files = {name: source(folder / f"{name}.py", text) for name, (text, _) in CASES.items()}
    keys = [(name, at) for name, (_, expected) in CASES.items() for at in range(len(expected))]
    findings = [CASES[name][1][at][0](files[name]) for name, at in keys]
    runs = []
    for _ in range(2):
        seen = verify(findings, list(files.values()), VerifyOptions())
        runs.append({key: one.verdict for key, one in zip(keys, seen, strict=True) if one.verdict})
    return runs


@pytest.mark.parametrize(("name", "at"), [(name, at) for name, case in CASES.items() for at in range(len(case[1]))])
def test_what_jax_says(verdicts: list[dict[tuple[str, int], Verdict]], name: str, at: int) -> None:
    _, status, words = CASES[name][1][at]
    verdict = verdicts[0][name, at]
    assert verdict.status == status, verdict
    assert words in verdict.reason
    assert verdict.jax and verdict.device == "cpu" and verdict.evidence


def test_two_runs_agree(verdicts: list[dict[tuple[str, int], Verdict]]) -> None:
    first, second = ({key: (v.status, v.reason, v.inputs) for key, v in run.items()} for run in verdicts)
    assert first == second
