"""What each construct becomes, and the source that each node's span covers."""

from __future__ import annotations

from typing import Any

import pytest

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax import lower


def outline(node: Any, text: str, depth: int = 0) -> list[str]:
    """One line for each node, indented: its class, its own values, and the text that its span covers."""
    if isinstance(node, tuple) and not hasattr(node, "_fields"):
        return [line for item in node for line in outline(item, text, depth)]
    if not isinstance(node, tuple) or isinstance(node, Span):
        return []
    if isinstance(node, ir.Const):
        own = repr(node.value)
    else:
        own = " ".join(str(value) for value in node if isinstance(value, str | int))
    header = f"{type(node).__name__}({own}) {text[node.span.start : node.span.end]}"
    return ["  " * depth + header, *[line for field in node[1:] for line in outline(field, text, depth + 1)]]


def expression(source: str) -> Any:
    (statement,) = lower(source).body
    assert isinstance(statement, ir.ExprStmt)
    return statement.value


EXPRESSION_OUTLINES = {
    "f(a, *b, k=c, **d)": """
        Call() f(a, *b, k=c, **d)
          Name(f) f
          Argument() a
            Name(a) a
          Argument(*) *b
            Name(b) b
          Argument( k) k=c
            Name(c) c
          Argument(**) **d
            Name(d) d""",
    "((a) . b)[ (1):, ..., *c ]": """
        Subscript() ((a) . b)[ (1):, ..., *c ]
          Attribute(b) (a) . b
            Name(a) a
          Display(tuple) (1):, ..., *c
            Slice() (1):
              Const(1) 1
            Const(Ellipsis) ...
            Starred() *c
              Name(c) c""",
    "x[::2,]": """
        Subscript() x[::2,]
          Name(x) x
          Display(tuple) ::2,
            Slice() ::2
              Const(2) 2""",
    "x[*a]": """
        Subscript() x[*a]
          Name(x) x
          Display(tuple) *a
            Starred() *a
              Name(a) a""",
    "a + -b ** (2 @ c)": """
        Binary(+) a + -b ** (2 @ c)
          Name(a) a
          Unary(-) -b ** (2 @ c)
            Binary(**) b ** (2 @ c)
              Name(b) b
              Binary(@) 2 @ c
                Const(2) 2
                Name(c) c""",
    "a < b is  not c not in d != e": """
        Compare() a < b is  not c not in d != e
          Name(a) a
          Name(b) b
          Name(c) c
          Name(d) d
          Name(e) e""",
    "not a and b or(c)": """
        BoolOp(or) not a and b or(c)
          BoolOp(and) not a and b
            Unary(not) not a
              Name(a) a
            Name(b) b
          Name(c) c""",
    "(a if b else None)": """
        IfExp() a if b else None
          Name(b) b
          Name(a) a
          Const(None) None""",
    "((1, *a), (), 2,)": """
        Display(tuple) ((1, *a), (), 2,)
          Display(tuple) (1, *a)
            Const(1) 1
            Starred() *a
              Name(a) a
          Display(tuple) ()
          Const(2) 2""",
    "[1], {2, *a}, {'k': v, **d}, {},": """
        Display(tuple) [1], {2, *a}, {'k': v, **d}, {},
          Display(list) [1]
            Const(1) 1
          Display(set) {2, *a}
            Const(2) 2
            Starred() *a
              Name(a) a
          DictDisplay() {'k': v, **d}
            Const('k') 'k'
            Name(v) v
            Name(d) d
          DictDisplay() {}""",
    "[x for x, in y if a if b for z in x]": """
        Comprehension(list) [x for x, in y if a if b for z in x]
          Name(x) x
          Clause(False) for x, in y if a if b
            Display(tuple) x,
              Name(x) x
            Name(y) y
            Name(a) a
            Name(b) b
          Clause(False) for z in x
            Name(z) z
            Name(x) x""",
    "f(x for x in y), (x for x in y)": """
        Display(tuple) f(x for x in y), (x for x in y)
          Call() f(x for x in y)
            Name(f) f
            Argument() x for x in y
              Comprehension(generator) x for x in y
                Name(x) x
                Clause(False) for x in y
                  Name(x) x
                  Name(y) y
          Comprehension(generator) (x for x in y)
            Name(x) x
            Clause(False) for x in y
              Name(x) x
              Name(y) y""",
    "{x for x in y}, {k: v async for k in y}": """
        Display(tuple) {x for x in y}, {k: v async for k in y}
          Comprehension(set) {x for x in y}
            Name(x) x
            Clause(False) for x in y
              Name(x) x
              Name(y) y
          Comprehension(dict) {k: v async for k in y}
            Name(k) k
            Name(v) v
            Clause(True) async for k in y
              Name(k) k
              Name(y) y""",
    "lambda a, /, b=1, *c, d, **e: (a)": """
        Lambda() lambda a, /, b=1, *c, d, **e: (a)
          Function(<lambda> <lambda> False False) lambda a, /, b=1, *c, d, **e: (a)
            Parameter(a positional-only) a
            Parameter(b positional) b=1
              Const(1) 1
            Parameter(c *) *c
            Parameter(d keyword-only) d
            Parameter(e **) **e
            Return() a
              Name(a) a""",
    "f(y := 1)": """
        Call() f(y := 1)
          Name(f) f
          Argument() y := 1
            NamedExpr() y := 1
              Name(y) y
              Const(1) 1""",
    "f'a{{{x!r:>{w}}}}' 'b'": """
        FormatString() f'a{{{x!r:>{w}}}}' 'b'
          Const('a{') a{{
          FormatField(r) {x!r:>{w}}
            Name(x) x
            FormatString() >{w}
              Const('>') >
              FormatField() {w}
                Name(w) w
          Const('}') }}
          Const('b') 'b'""",
    'f"{x = }{y=:d}"': """
        FormatString() f"{x = }{y=:d}"
          Const('x = ') x =\x20
          FormatField(r) {x = }
            Name(x) x
          Const('y=') y=
          FormatField() {y=:d}
            Name(y) y
            FormatString() d
              Const('d') d""",
    "t'{x}'": """
        FormatString() t'{x}'
          FormatField() {x}
            Name(x) x""",
}


@pytest.mark.parametrize("source", EXPRESSION_OUTLINES)
def test_expression(source: str) -> None:
    expected = [line.removeprefix("        ") for line in EXPRESSION_OUTLINES[source].splitlines()[1:]]
    assert outline(expression(source), source) == expected


STATEMENT_OUTLINES = {
    "a = b[0], *c = d  # e": """
        Assign() a = b[0], *c = d
          Name(a) a
          Display(tuple) b[0], *c
            Subscript() b[0]
              Name(b) b
              Const(0) 0
            Starred() *c
              Name(c) c
          Name(d) d""",
    "a: int = 1; b: 'x.y'; c //= 2": """
        AnnAssign() a: int = 1
          Name(a) a
          Name(int) int
          Const(1) 1
        AnnAssign() b: 'x.y'
          Name(b) b
          Attribute(y) 'x.y'
            Name(x) 'x.y'
        AugAssign(//) c //= 2
          Name(c) c
          Const(2) 2""",
    "raise A from b; assert c, d; del e, (f), g[0]": """
        Raise() raise A from b
          Name(A) A
          Name(b) b
        Assert() assert c, d
          Name(c) c
          Name(d) d
        Delete() del e, (f), g[0]
          Name(e) e
          Name(f) f
          Subscript() g[0]
            Name(g) g
            Const(0) 0""",
    "import a.b, c . d as e\nfrom . import f as g\nfrom ..h.i import (j, k,)\nfrom l import *": """
        Import(a.b a a) import a.b, c . d as e
        Import(c.d e c.d) import a.b, c . d as e
        ImportFrom( 1) from . import f as g
        ImportFrom(h.i 2) from ..h.i import (j, k,)
        ImportFrom(l 0) from l import *""",
    "if a: b\nelif c:\n  pass\nelse:\n  d # e\n\n# f": """
        If() if a: b\nelif c:\n  pass\nelse:\n  d
          Name(a) a
          ExprStmt() b
            Name(b) b
          If() elif c:\n  pass\nelse:\n  d
            Name(c) c
            ExprStmt() d
              Name(d) d""",
    "while a:\n\tbreak\nelse:\n\tcontinue": """
        While() while a:\n\tbreak\nelse:\n\tcontinue
          Name(a) a
          Break() break
          Continue() continue""",
    "async for a, b in c: pass": """
        For(True) async for a, b in c: pass
          Display(tuple) a, b
            Name(a) a
            Name(b) b
          Name(c) c""",
    "with (a as b, c): d\nwith e as (f, g[0]), h: pass": """
        With(False) with (a as b, c): d
          WithItem() a as b
            Name(a) a
            Name(b) b
          WithItem() c
            Name(c) c
          ExprStmt() d
            Name(d) d
        With(False) with e as (f, g[0]), h: pass
          WithItem() e as (f, g[0])
            Name(e) e
            Display(tuple) (f, g[0])
              Name(f) f
              Subscript() g[0]
                Name(g) g
                Const(0) 0
          WithItem() h
            Name(h) h""",
    "try: a\nexcept (B, C) as d: e\nexcept: f\nelse: g\nfinally: h": """
        Try() try: a\nexcept (B, C) as d: e\nexcept: f\nelse: g\nfinally: h
          ExprStmt() a
            Name(a) a
          Handler(d False) except (B, C) as d: e
            Display(tuple) (B, C)
              Name(B) B
              Name(C) C
            ExprStmt() e
              Name(e) e
          Handler(False) except: f
            ExprStmt() f
              Name(f) f
          ExprStmt() g
            Name(g) g
          ExprStmt() h
            Name(h) h""",
    "try: pass\nexcept* A: pass": """
        Try() try: pass\nexcept* A: pass
          Handler(True) except* A: pass
            Name(A) A""",
    "match a:\n  case 1 | None as b if c: pass\n  case [x, *_] | (y, *z), : pass": """
        Match() match a:\n  case 1 | None as b if c: pass\n  case [x, *_] | (y, *z), : pass
          Name(a) a
          Case() case 1 | None as b if c: pass
            CapturePattern(b) 1 | None as b
              OrPattern() 1 | None
                ValuePattern() 1
                  Const(1) 1
                ValuePattern() None
                  Const(None) None
            Name(c) c
          Case() case [x, *_] | (y, *z), : pass
            SequencePattern() [x, *_] | (y, *z),
              OrPattern() [x, *_] | (y, *z)
                SequencePattern() [x, *_]
                  CapturePattern(x) x
                  StarPattern() *_
                SequencePattern() (y, *z)
                  CapturePattern(y) y
                  StarPattern(z) *z""",
    "match a:\n  case {'k': v, **r}: pass\n  case A.B(_, c=-1): pass": """
        Match() match a:\n  case {'k': v, **r}: pass\n  case A.B(_, c=-1): pass
          Name(a) a
          Case() case {'k': v, **r}: pass
            MappingPattern(r) {'k': v, **r}
              Const('k') 'k'
              CapturePattern(v) v
          Case() case A.B(_, c=-1): pass
            ClassPattern() A.B(_, c=-1)
              Attribute(B) A.B
                Name(A) A
              CapturePattern() _
              ValuePattern() -1
                Unary(-) -1
                  Const(1) 1""",
    "@a\n# b\n@c.d(1)\nasync def f(x: int, *y: *T) -> 'R': await x  # g": """
        FunctionDef() async def f(x: int, *y: *T) -> 'R': await x
          Function(f f True False) async def f(x: int, *y: *T) -> 'R': await x
            Parameter(x positional) x: int
              Name(int) int
            Parameter(y *) *y: *T
              Starred() *T
                Name(T) T
            ExprStmt() await x
              Await() await x
                Name(x) x
            Name(R) 'R'
          Name(a) a
          Call() c.d(1)
            Attribute(d) c.d
              Name(c) c
            Argument() 1
              Const(1) 1""",
    "@a\nclass A[T: int](B, metaclass=M):\n  '''doc'''\n  x = 1": """
        ClassDef(A A) class A[T: int](B, metaclass=M):\n  '''doc'''\n  x = 1
          Argument() B
            Name(B) B
          Argument( metaclass) metaclass=M
            Name(M) M
          Assign() x = 1
            Name(x) x
            Const(1) 1
          Name(a) a""",
    "def f[T: (int, str) = int, *Ts = *A, **P](): pass\ntype X[T] = list[T]": """
        FunctionDef() def f[T: (int, str) = int, *Ts = *A, **P](): pass
          Function(f f False False) def f[T: (int, str) = int, *Ts = *A, **P](): pass
        TypeAliasStmt(X) type X[T] = list[T]""",
    "def f():\n  yield\n  x = yield 1, 2\n  yield from (x)\n  return": """
        FunctionDef() def f():\n  yield\n  x = yield 1, 2\n  yield from (x)\n  return
          Function(f f False True) def f():\n  yield\n  x = yield 1, 2\n  yield from (x)\n  return
            ExprStmt() yield
              Yield(False) yield
            Assign() x = yield 1, 2
              Name(x) x
              Yield(False) yield 1, 2
                Display(tuple) 1, 2
                  Const(1) 1
                  Const(2) 2
            ExprStmt() yield from (x)
              Yield(True) yield from (x)
                Name(x) x
            Return() return""",
}


@pytest.mark.parametrize("source", STATEMENT_OUTLINES)
def test_statement(source: str) -> None:
    expected = "\n".join(STATEMENT_OUTLINES[source].split("\n        ")[1:])
    assert "\n".join(outline(lower(source).body, source)) == expected
