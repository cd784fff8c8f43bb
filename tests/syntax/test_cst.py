"""Records are what LibCST itself would have made, and nobody else sees them."""

from __future__ import annotations

import dataclasses
import gc
import sys
import threading
from pathlib import Path
from typing import Any

import libcst
import pytest

from jitlint.syntax import SyntaxProblem, cst, lower
from jitlint.syntax.lowering import EXPRESSIONS, STATEMENTS

GRAMMAR = '''\
"""Every kind of expression and statement."""
import a.b, c as d
from ..e import (f as g, h)
from i import *
lazy import j
lazy from k import l

@decorated(1, *args, key=2.5, **options)
class C[T: int = str, *Ts = *tuple[int], **P](Base, metaclass=M):
    x: "list[int]" = []
    async def f(self, a, /, b: int = 1, *rest, c, d=2j, **others) -> None:
        global y; nonlocal z
        async with self as m, (n): await m
        async for o in p: yield o
        yield from q
        return (yield)
def g(*, only): pass
lambda r, *, s=1: r
type U[V] = dict[V, ...]
if (a := 1) and not b or -c: pass
elif d: ...
else: del e, f[0]
for g in h: break
else: continue
while 0x1F < a <= b != c is not d not in e: a += ~b ** +c @ d
with a as b, c: raise X from y
try: assert a, "message"
except (B, C) as e: raise
except: pass
else: x = y = z
finally: pass
try: pass
except* D: pass
match a:
    case 1 | -2 | "s" | None: pass
    case [b, *_, c] | (d, *e): pass
    case {"k": f, **g} if f: pass
    case A.B(h, i=j) as k: pass
    case _: pass
b'bytes'
"joined" 'more' f"{a!r:>{width}}{b = }"
t"{c}"
[a for b in c if d async for e in f], {a for b in c}, {a: b for c in d}, {**a for b in c}, (a for b in c)
[1, *b], {1, 2}, {a: b, **c}, (1,), x[1:2:3, ..., *y], "if" if a else b
'''


def both(text: str) -> tuple[Any, libcst.Module]:
    return cst.read_module(text), libcst.parse_module(text)


def assert_same(record: Any, node: object) -> int:
    """Checks a record against LibCST's node, field by field; gives the number of nodes."""
    if isinstance(node, list | tuple):
        assert len(record) == len(node)
        return sum(map(assert_same, record, node))
    if not isinstance(node, libcst.CSTNode):
        assert record == node
        return 0
    if type(node).__module__.endswith(".whitespace"):
        return 0
    assert type(record) is getattr(cst, type(node).__name__)
    fields = dataclasses.fields(node)
    return 1 + sum(assert_same(getattr(record, field.name), getattr(node, field.name)) for field in fields)


@pytest.fixture(scope="module")
def texts(root: Path) -> list[str]:
    return [path.read_text("utf-8") for path in sorted((root / "jitlint" / "syntax").glob("*.py"))] + [GRAMMAR]


def test_records_are_what_libcst_makes(texts: list[str]) -> None:
    assert sum(assert_same(*both(text)) for text in texts) > 10_000


def test_the_text_holds_the_whole_grammar() -> None:
    seen = set()
    pending = [libcst.parse_module(GRAMMAR)]
    while pending:
        node = pending.pop()
        seen.add(type(node).__name__)
        pending += node.children
    assert {node.__name__ for node in (*EXPRESSIONS, *STATEMENTS)} <= seen


def test_a_copied_tree_is_lowered_to_the_same(texts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    exchanged = [lower(text) for text in texts]
    monkeypatch.setattr(cst, "_can_exchange", lambda: False)
    assert [lower(text) for text in texts] == exchanged


@pytest.mark.parametrize("text", ["x = 1\n", "def f(:\n", "class A(metaclass=M, *b): pass\n"])
@pytest.mark.parametrize("collecting", [True, False])
def test_everything_is_as_before(text: str, collecting: bool) -> None:
    (gc.enable if collecting else gc.disable)()
    try:
        lower(text)
    except SyntaxProblem:
        assert text != "x = 1\n"
    finally:
        found = gc.isenabled()
        gc.enable()
    assert found == collecting
    assert sys.modules["libcst"] is libcst
    assert type(libcst.parse_expression("x")) is libcst.Name


def test_other_threads_see_libcst(texts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that take turns all the time, here and in LibCST's own parser."""
    expected = [libcst.parse_module(text) for text in texts[:3]]
    wrong: list[object] = []
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            import libcst as seen

            if seen.Module is not expected[0].__class__:
                wrong.append(seen)

    def parse() -> None:
        while not done.is_set():
            for text, tree in zip(texts, expected, strict=False):
                if not libcst.parse_module(text).deep_equals(tree):
                    wrong.append(text)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=work) for work in (look, parse)]
    try:
        for thread in threads:
            thread.start()
        lowered = [lower(text) for text in texts]
    finally:
        done.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(before)
    assert len(lowered) == len(texts)
    assert not wrong
