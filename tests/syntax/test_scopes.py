"""Which names a scope binds, and what its functions are."""

from __future__ import annotations

from jitlint import ir
from jitlint.syntax import lower


def function(source: str) -> ir.Function:
    (statement,) = lower(source).body
    assert isinstance(statement, ir.FunctionDef)
    return statement.function


def test_every_way_to_bind() -> None:
    source = """
def f(a, /, b, *c, d, **e):
    g = h, [i, *j] = 0
    for k, l in x: pass
    with x as m, x as (n, o.p): pass
    import q.r, s.t as u
    from v import w, y as z
    from v import *
    def aa(inner): also_inner = 1
    class bb: in_class = 1
    try: pass
    except E as cc: pass
    [dd := inner for inner in x if (ee := inner)]
    match x:
        case [ff, *gg, {"k": hh, **ii}, C(jj, key=kk)] as ll: pass
    del mm
    nn += 1
    oo: int
    pp.x: int
    type qq = int
    lambda inner: (also_inner := inner)
    o.attribute = o["item"] = 1
"""
    expected = "a b c d e g h i j k l m n q u w z aa bb cc dd ee ff gg hh ii jj kk ll mm nn oo qq"
    assert function(source).locals == set(expected.split())


def test_declared_names_are_not_local() -> None:
    outer = function("def f():\n  a = 1\n  def g():\n    global b, c\n    nonlocal a\n    a = b = d = 1\n  return g")
    definition = outer.body[1]
    assert isinstance(definition, ir.FunctionDef)
    inner = definition.function
    assert (inner.locals, inner.globals, inner.nonlocals) == ({"d"}, {"b", "c"}, {"a"})
    assert outer.locals == {"a", "g"}


def test_global_at_the_top_level_declares_nothing() -> None:
    assert lower("global x\nx = 1").locals == {"x"}


def test_defaults_and_decorators_belong_to_the_outer_scope() -> None:
    module = lower("@(a := g)\ndef f(x=(b := 1)): pass\nlambda y=(c := 2): 0")
    assert module.locals == {"a", "b", "c", "f"}


def test_qualified_names() -> None:
    source = "class A:\n  class B:\n    def f(self):\n      class C:\n        def g(self): return lambda: 0\n"
    names = []

    def collect(node: object) -> None:
        if isinstance(node, ir.Function | ir.ClassDef):
            names.append(node.qualname)
        if isinstance(node, tuple):
            for part in node:
                collect(part)

    collect(lower(source))
    assert names == [
        "A",
        "A.B",
        "A.B.f",
        "A.B.f.<locals>.C",
        "A.B.f.<locals>.C.g",
        "A.B.f.<locals>.C.g.<locals>.<lambda>",
    ]


def test_a_function_declared_global_is_qualified_as_one() -> None:
    (definition,) = function("def f():\n  global g\n  def g(): pass").body
    assert isinstance(definition, ir.FunctionDef)
    assert definition.function.qualname == "g"


def test_only_its_own_yield_makes_a_generator() -> None:
    outer = function("def f():\n  def g(): yield\n  return lambda: (yield)")
    definition, returned = outer.body
    assert isinstance(definition, ir.FunctionDef)
    assert isinstance(returned, ir.Return)
    assert isinstance(returned.value, ir.Lambda)
    assert [outer.is_generator, definition.function.is_generator, returned.value.function.is_generator] == [
        False,
        True,
        True,
    ]


def test_class_locals() -> None:
    (definition,) = lower("class A:\n  x = 1\n  def f(self): y = 2\n  z: int\n").body
    assert isinstance(definition, ir.ClassDef)
    assert definition.locals == {"x", "f", "z"}
