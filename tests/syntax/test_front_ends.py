"""The two front ends give the same IR, each the check of the other."""

from __future__ import annotations

import ast
import os
import tokenize
import warnings
from collections.abc import Iterator
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import Any

import libcst
import pytest

from jitlint.syntax import SyntaxProblem, lower
from jitlint.syntax.from_ast import lowering as from_ast
from jitlint.syntax.from_ast.module import lower as lower_ast
from jitlint.syntax.from_ast.parsing import Refused
from jitlint.syntax.from_cst import lowering as from_cst
from jitlint.syntax.from_cst.module import lower as lower_cst
from jitlint.syntax.stack import with_large_stack
from tests.syntax.test_lowering import EXPRESSION_OUTLINES, STATEMENT_OUTLINES

GRAMMAR = '''\
"""Every kind of expression and statement."""
import a.b, c as d
from ..e import (f as g, h)
from i import *

@decorated(1, *args, key=2.5, **options)
class C(Base, metaclass=M):
    x: "list[int]" = []
    async def f(self, a, /, b: int = 1, *rest, c, d=2j, **others) -> None:
        global y; nonlocal z
        async with self as m, (n): await m
        async for o in p: yield o
        yield from q
        return (yield)
def g(*, only): pass
lambda r, *, s=1: r
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
[a for b in c if d async for e in f], {a for b in c}, {a: b for c in d}, (a for b in c)
[1, *b], {1, 2}, {a: b, **c}, (1,), x[1:2:3, ..., *y], "if" if a else b
'''

NEWER_GRAMMAR = """\
lazy import j
lazy from k import l
class C[T: int = str, *Ts = *tuple[int], **P]: pass
type U[V] = dict[V, ...]
t"{c}"
{**a for b in c}
"""

LAYOUTS = [
    # compound statements on one line
    "if a: b ;c ; # d",
    "if a: b \\\n ; \nelse: c;",
    "def f(): pass ;\nclass A: x = 1;  y = 2 \\\n  ;",
    "for a in b: c;\nwhile a: b;\nwith a: b;\ntry: a;\nexcept B: c;\nfinally: d;",
    "if a:\n  if b: c;\n\n# d\nelif e: f",
    "match a:\n case b: c ;\n # d\n case (e): f;",
    # names that are looked for
    "async  def \\\n f  ( ) : pass\nclass \\\n  A  : pass\nasync \\\n def g(): pass",
    "(a # b\n . c) . d; (a.\n b)\\\n .\\\n c",
    # parameters
    "def f(a = (1), b : (int) = ((2)), * # c, *d\n args : (x), e = (3) , ** \\\n k): pass",
    "def f(a, # /\n / , # )\n): pass\ndef g(a, /, * b): pass\ndef h(a, /, ** b, ): pass\ndef i(* \n, b): pass",
    "def f ( # )\n ) -> (( a )) : pass\nasync def f(a = ')', ) -> 'b' : pass",
    "lambda a, / : 0, lambda a, /, * \\\n b: 0, lambda ** k: 0, lambda *, a=(1), **k : 0, lambda: 0",
    # functions in others
    "def f():\n  global g, C\n  def g(): pass\n  class C:\n    def h(): pass\nclass D:\n  def f(): pass",
    # arguments
    "f(a, k = (b), *c, ** (d), ); f(*(a), b); f(k=1, *a, l=2); f((a), (b for b in c))",
    "f( # (\n (a) for b in (c) # )\n ); f(((a for b in c))); f((a) for b in c if (d) )",
    "class A(B, *c, k=(d), **e): pass\nclass F(*g): pass",
    # operands
    "a and b and c; (a) and (b # )\n) and ((c)) and d or (e or f) or g; a or (b) or(c)",
    "not (a) in (b) is not(c); ((a) + (b)) * c; -(a); (a)(b)(c); (a)[(b)]",
    # displays, subscripts and targets
    "a[b:c, ::(d), (e), ...]; a[(b, c)]; a[(b), c,]; a[*b, c]; a[:]; a[ : # :\n : ]",
    "x, = (y), ; (x), *y = z; (a, b), = c; [a, *b] = (((c, d))); a = b = yield",
    "del (a, b); del [a]; del (a); del a, (b, c); del (a, b),; del ()",
    "for x, in y: pass\nfor (a), b in c, d: pass\nfor (a, b) in (c): pass",
    "{**a, (b): (c), **(d)}; {(a), *b}; (); ((),); ((a)), ",
    # comprehensions
    "[(a) # for\n for (b) in (c) if (d) if (e) for f, in (g)]; {((a)): ((b)) for c in d}",
    "async def f(): return [a async \\\n for b in (c) if (await d) async for e in f]",
    "{(a) for (b, c) in (d, e) }; ((a) for b in ((c)) if (d)); [((a, b)) for c in ((d, e))]",
    # with
    "with (a): b\nwith ((a)): b\nwith (a) as b: c\nwith (a as b): c\nwith ((a) as (b)): c\nwith (a), (b): c",
    "with (a, b): c\nwith (a, b) as c: d\nwith ((a, b)): c\nwith (a, b,): c\nwith (a,): c\nwith ((a), (b)): c",
    "with (yield): a\nwith ((yield)): a\nwith (a := b): c\nwith (*a, b): c\nwith (a for b in c): d\nwith (a)(b): c",
    "with (a).b, c as (d, e) : f\nwith ( # (\n a as b, # )\n (c) as d): e\nwith (await a): b\nwith (lambda: 0): b",
    "async \\\n with a as (b), (c) as d: e",
    # try
    "try: a\nexcept (A, B) as c : d\nexcept(E): f\nelse: g\nfinally: h",
    # match
    "match (a): # case b:\n\n  # c\n  case (b): pass\n  case (c | (d)) as e if (f): pass\n  case (-1 - 2j): pass",
    "match a, :\n  case b, : pass\n  case (c,): pass\n  case (): pass\n  case []: pass\n  case *d, e: pass",
    "match *a, b:\n  case {'a' 'b': c, -1: d, **e}: pass\n  case A(b, c = (d), ): pass\n  case A.B | None: pass",
    # imports and declarations
    "import a . b, c.d as e; from . import (a, # b\n c as d,); from .. . import e; from ... f . g import h",
    "global a; from a import *\ntry: pass\nexcept A as b: global c",
    # annotations in strings
    "a: 'b.c'; d: ' list[int] '; e: 'not this'; f: ''; g: '*h'; i: 'a; b'; j: 'a\\n  b'; k: '(yield)'; l: 'lambda: 0'",
    "def f(a: 'b | \"c\"', *d: 'e') -> 'f[g]': pass\nx: f'a'; y: 'a' 'b'; z: b'c'",
    # characters of more than one byte
    "é = 'à' + ü.ö(ß, k='é', *ñ) if 'ç' else [ø for ø in å]; x.y",
    "def ﬁeld(ﬂow, *ﬀ): return self . ﬃ.x\nclass ﬁeld(ﬁeld): pass\nimport ﬁeld.ﬁeld as ﬁ",
    "x = '''é\nü''' . y; z = ('é' # ü\n 'ö'); \U0001d431 = \U0001d432.\U0001d433",
    # f-strings
    "f'' f'{a}' 'b' rf'\\{c}' u'd' F\"{e}\"; f'{{}}' '{x}'; f'a\\n{{{b}}}\\N{EM DASH}{c}\\{d}\\\\{e}'; fr'\\N{x}'",
    "f'{a!r}{b!s:>3}{c:{d}.{e!a}}{f:}{g:%H:%M}{h:{i}{j}}{k!r:}'; f'{a:=5}{b != c}{d == e}{f <= g}{h >= i}{(j:=k)}'",
    "f'{a=}{b = }{ c  =  }{d = !s}{e=:3}{f==g=}{h.i(j=1)=}'; f'{a[1:2]}{b[\"c:d\"]}{(lambda x: x)(y)}{ {e: f} }'",
    'f\'{a, }{b, c}{*d, e}{(f, g)}{ (h) }{yield}{yield i}{[j for k in l]}{m if n else o}{"p" "q"}{not r}\'',
    "f'''{a\n +\nb} {c:\n} ' '' \"{d[\"e\"]}'''; (f'{a}' # ')\n   \"{b}\"\n   f'é{ü.ö}ä{ß + ç:é}')",
    "f'{f\"{a}\" + f\"{b:{c}}\"}{d}'; f\"{'{' + '}' + ':'}{'!=' != a}\"; f'{a!=b!r}'",
    # newer than some Pythons
    "def f [ # (\n T : (int) = (str), *Ts, **P, # ]\n ] ( a ) : pass\nclass A [T] (B): pass\ntype X [T] = (T)",
    "f'{'a' + f'{b['c']:{d}}'}' f'{a # '}\n}' f'{a\n  . b!r }'; f'{ {'a': \"b\"}['a']:{f'{c}'}>3}'",
    "t'{a!r:>{b}}{c = }{{'; t'{f'{a}'}{d}'",
]


def is_known(text: str) -> bool:
    """Whether this Python's parser takes a text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except SyntaxError:
            return False
    return True


def classes(tree: Any) -> set[str]:
    """The names of the classes of all nodes of a tree."""
    children = ast.iter_child_nodes if isinstance(tree, ast.AST) else attrgetter("children")
    seen = set()
    pending = [tree]
    while pending:
        node = pending.pop()
        seen.add(type(node).__name__)
        pending += children(node)
    return seen


def test_the_texts_hold_the_whole_grammar() -> None:
    concrete = classes(libcst.parse_module(GRAMMAR)) | classes(libcst.parse_module(NEWER_GRAMMAR))
    assert {node.__name__ for node in (*from_cst.EXPRESSIONS, *from_cst.STATEMENTS)} <= concrete
    newer = {"TypeAlias", "TemplateStr"}
    abstract = classes(ast.parse(GRAMMAR)) | newer
    assert {node.__name__ for node in (*from_ast.EXPRESSIONS, *from_ast.STATEMENTS)} <= abstract


@pytest.mark.parametrize("text", [GRAMMAR, *LAYOUTS, *EXPRESSION_OUTLINES, *STATEMENT_OUTLINES])
def test_same(text: str) -> None:
    if is_known(text):
        assert lower_ast(text) == lower_cst(text)
    else:
        with pytest.raises(Refused):
            lower_ast(text)
        assert lower(text) == lower_cst(text)


def test_what_libcst_alone_refuses() -> None:
    text = "class A(metaclass=M, *b): pass\n"
    with pytest.raises(SyntaxProblem, match=r"LibCST cannot parse this: .* \(line 2, column 1\)"):
        lower_cst(text)
    assert len(lower(text).body) == 1


def files(root: Path) -> Iterator[Path]:
    """Files of the project, and some of the standard library."""
    yield from sorted((root / "jitlint").rglob("*.py"))[::6]
    yield from sorted((root / "fixtures").rglob("*.py"))[::5]
    library = Path(os.__file__).parent
    parts = (path.relative_to(library).parts[0] for path in library.rglob("*.py"))
    names = sorted({part for part in parts if part not in ("site-packages", "lib2to3")})
    for name in names[::4]:
        yield from [library / name] if name.endswith(".py") else sorted((library / name).rglob("*.py"))[::9]


@pytest.mark.once
def test_same_of_real_code(root: Path) -> None:
    different = []
    compared = 0
    for path in files(root):
        with suppress(SyntaxError, UnicodeDecodeError), tokenize.open(path) as file:
            text = file.read()
            if is_known(text):
                with suppress(SyntaxProblem):  # LibCST does not know all of the grammar
                    expected = with_large_stack(lower_cst, text)
                    compared += 1
                    if with_large_stack(lower_ast, text) != expected:
                        different.append(path)
    assert not different
    assert compared > 200
