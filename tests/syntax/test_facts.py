"""What lowering notes of functions, classes and modules, so that nobody has to look for it in their text."""

from __future__ import annotations

from jitlint import ir
from jitlint.syntax import lower


def function(source: str) -> ir.Function:
    (statement,) = lower(source).body
    assert isinstance(statement, ir.FunctionDef)
    return statement.function


def class_(source: str) -> ir.ClassDef:
    (statement,) = lower(source).body
    assert isinstance(statement, ir.ClassDef)
    return statement


def attributes(code: ir.Function) -> dict[str, frozenset[str]]:
    return {parameter.name: parameter.attributes for parameter in code.parameters}


def test_the_attributes_that_a_body_asks_of_a_parameter() -> None:
    code = function("def f(a, b, *c, d=1):\n  a.x.y = b.z(a.w)[c.v]\n  del a.u\n  return other.t, a, b().s")
    assert attributes(code) == {"a": {"x", "w", "u"}, "b": {"z"}, "c": {"v"}, "d": set()}


def test_private_attributes_are_no_sign_of_a_class() -> None:
    assert attributes(function("def f(a): return a._x, a.__class__, a.y")) == {"a": {"y"}}


def test_comments_strings_and_headings_ask_nothing() -> None:
    code = function('@a.g\ndef f(a, b: a.x = a.y) -> a.z:\n  """a.t"""\n  # a.u\n  c: "a.v" = "a.w"')
    assert attributes(code) == {"a": set(), "b": set()}


def test_a_format_string_asks() -> None:
    assert attributes(function("def f(a): return f'{a.x:{a.y}} a.z'")) == {"a": {"x", "y"}}


def test_inner_functions_ask_of_outer_parameters() -> None:
    inner = "  def g(b, d=c.w):\n    return a.x, b.y, lambda c: (a.z, c.v)\n  class D:\n    def h(self): return a.u\n"
    code = function(f"def f(a, b, c):\n{inner}")
    assert attributes(code) == {"a": {"x", "z", "u"}, "b": set(), "c": {"w"}}
    assert isinstance(code.body[0], ir.FunctionDef)
    assert attributes(code.body[0].function) == {"b": {"y"}, "d": set()}


def test_variables_of_inner_functions_are_not_the_parameter() -> None:
    code = function("def f(a, b):\n  def g():\n    a = 1\n    return a.x\n  def h():\n    global b\n    return b.x")
    assert attributes(code) == {"a": set(), "b": set()}


def test_a_lambda_asks() -> None:
    (statement,) = lower("lambda a, b: a.x").body
    assert isinstance(statement, ir.ExprStmt)
    assert isinstance(statement.value, ir.Lambda)
    assert attributes(statement.value.function) == {"a": {"x"}, "b": set()}


def test_the_attributes_that_a_function_assigns_more_than_once() -> None:
    code = function(
        "def f(self, a):\n  old, self.x = self.x, 1\n  self.y = a.x = a.b[0].c = 2\n  a . b = a.b = 3\n"
        "  if a: self.x = old\n  self.z += 1; self.z += 1\n  a.b[0].c: int = 4\n  self.v: int\n  self.v: int"
    )
    assert code.reassigned == {"self.x", "a.b[0].c"}


def test_comments_strings_comparisons_and_arguments_assign_nothing() -> None:
    code = function("def f(self):\n  self.x = 1\n  # self.x = 2\n  'self.x = 3'\n  self.x == 4\n  self.y.x = 5")
    assert code.reassigned == set()
    assert function("def f(a):\n  g(a.x, y=a.z)\n  g(a.x, y=a.z)").reassigned == set()


def test_inner_functions_assign_for_the_outer() -> None:
    code = function("def f(a):\n  a.x = 1\n  def g(): a.x = 2\n  class C: a.y = a.y = 1")
    assert code.reassigned == {"a.x", "a.y"}


def test_the_attributes_that_a_class_sets() -> None:
    cls = class_(
        "class A:\n  x = 0\n  def __init__(self):\n    self.a = self.b = 1\n    (self.c, [*self.d]), e = 2\n"
        "    self.f: int = 3\n    self.g: int\n    self.h += 1\n    self.i[0] = self.j.k = other.l = 4\n"
        "    # self.m = 5\n    'self.n = 6'\n    g(self.o, p=1)\n    if self.q: r = 1\n    del self.s\n"
        "    for self.t in u:\n      with v as self.w: pass\n    def inner(): self.y = 7\n"
        "  class B:\n    def f(self): self.z = 8\n"
    )
    assert cls.assigned == set("abcdftwyz")
    assert cls.augmented == {"h"}
    (inner,) = [statement for statement in cls.body if isinstance(statement, ir.ClassDef)]
    assert inner.assigned == {"z"}


def test_classes_in_functions_keep_their_own_attributes() -> None:
    code = function("def f(self):\n  class A:\n    def g(self): self.x = 1\n  class B: pass\n  self.y = 2")
    assert [s.assigned for s in code.body if isinstance(s, ir.ClassDef)] == [{"x"}, set()]


def test_names_that_functions_and_classes_rebind() -> None:
    module = lower("def f():\n  if a: global b, c\n  class D: global e\n# global g\nglobal h\n'''\nglobal i\n'''")
    assert module.rebound == {"b", "c", "e"}


def test_names_of_which_a_module_asks_a_pop() -> None:
    module = lower("def f(self):\n  a.pop()\n  self.b.pop(0)\n  g()[0].pop()\n  # c.pop()\n  'd.pop()'\ne.popleft()\n")
    assert module.popped == {"a", "b"}


def test_what_is_known_of_outermost_functions_without_running_them() -> None:
    source = (
        "def f():\n  def g(): yield\nclass A:\n  def h(self):\n    self.x = yield\n    self.y |= 1\n"
        "  class B:\n    async def i(self): self.z = lambda: (yield)\n"
    )
    suites = lower(source).suites
    assert [source[suite.start : suite.end].count("\n") for suite in suites] == [1, 2, 0]
    assert [suite[2:] for suite in suites] == [
        (False, frozenset(), frozenset()),
        (True, {"x"}, {"y"}),
        (False, {"z"}, frozenset()),
    ]
