"""Classes, closures, decorators, recursion and patterns keep traced and static values apart: borne out by JAX."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from programs import check

PROLOGUE = """\
from __future__ import annotations

import abc
import collections
import contextlib
import dataclasses
import functools
import itertools
import operator
from collections import ChainMap, OrderedDict, UserDict, UserList, defaultdict, deque
from dataclasses import dataclass, field, InitVar, KW_ONLY
from functools import cached_property, partial, partialmethod, reduce, singledispatch, total_ordering
from typing import Any, Callable, Generic, NamedTuple, Optional, Protocol, TypeVar, cast, overload

import jax
import jax.numpy as jnp
import numpy as np

T = TypeVar("T")


class Stack(Generic[T]):
    def __init__(self):
        self._items: list[T] = []

    def push(self, item: T) -> Stack[T]:
        self._items.append(item)
        return self

    def pop(self) -> T:
        return self._items.pop()

    def __bool__(self):
        return bool(self._items)

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __reversed__(self):
        return reversed(self._items)


class Meta(type):
    registry = {}

    def __new__(mcs, name, bases, ns, **kw):
        cls = super().__new__(mcs, name, bases, ns)
        mcs.registry[name] = cls
        return cls

    @property
    def size(cls):
        return 3


class WithMeta(metaclass=Meta):
    pass


class Mixin:
    def scaled(self):
        return self.base() * self.factor


class Left(Mixin):
    factor = 2

    def base(self):
        return 1

    def who(self):
        return ["left"]


class Right(Mixin):
    factor = 3

    def base(self):
        return 2

    def who(self):
        return ["right"]


class Both(Left, Right):
    def who(self):
        return super().who() + ["both"]

    def base(self):
        return super().base() + self.value

    def __init__(self, value):
        self.value = value


@dataclass
class Init:
    raw: InitVar[Any]
    _: KW_ONLY
    scale: int = 2
    value: Any = field(init=False)
    cache: dict = field(default_factory=dict, repr=False)

    def __post_init__(self, raw):
        self.value = raw * self.scale
        self.kind = "init"


@dataclass(order=True)
class Ranked:
    rank: int
    payload: Any = field(compare=False)


class Setter:
    def __init__(self):
        self._v = 0

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, new):
        self._v = new * 2

    @cached_property
    def twice(self):
        return self._v * 2

    def add(self, n, k=1):
        return self._v + n * k

    add_two = partialmethod(add, 2)


class Lazy:
    def __init__(self, f):
        self.f = f
        self.name = None

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, owner=None):
        return self if obj is None else self.f(obj)


class UsesLazy:
    def __init__(self, a):
        self.a = a

    @Lazy
    def lazy(self):
        return self.a


class Ctx:
    def __init__(self, v):
        self.v = v
        self.closed = False

    def __enter__(self):
        return self.v

    def __exit__(self, *exc):
        self.closed = True
        return False


def retry(times=2, *, on=(ValueError,)):
    def deco(f):
        @functools.wraps(f)
        def inner(*a, **k):
            for _ in range(times):
                try:
                    return f(*a, **k)
                except on:
                    continue
            raise RuntimeError
        return inner
    return deco


@retry(3)
def kept(v, flag=True):
    return v if flag else 1


class Deco:
    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f = f
        self.calls = 0

    def __call__(self, *a, **k):
        return self.f(*a, **k)

    def __get__(self, obj, cls=None):
        return partial(self, obj)


@Deco
def decorated(v):
    return v


@singledispatch
def kind_of(v):
    return "other"


@kind_of.register
def _(v: int):
    return "int"


@kind_of.register(list)
def _(v):
    return kind_of(v[0])


def fib(n, a, b):
    return a if n == 0 else fib(n - 1, b, a + b)


def tree_sum(node):
    if isinstance(node, dict):
        return sum(tree_sum(v) for v in node.values())
    if isinstance(node, (list, tuple)):
        return sum(map(tree_sum, node))
    return node


def even(n, v):
    return v if n == 0 else odd(n - 1, v)


def odd(n, v):
    return 1 if n == 0 else even(n - 1, v)


def pipeline(*fs):
    def run(v):
        for f in fs:
            v = f(v)
        return v
    return run


def make_counter():
    count = 0

    def inc(by=1):
        nonlocal count
        count += by
        return count

    def get():
        return count

    return inc, get


CONFIG = {"depth": 2, "name": "a"}
FUNCS = {"id": lambda v: v, "one": lambda v: 1}
LEVELS = [1, 2, 3]


@jax.jit
def step(x):
    y = 0
"""

BODIES = {
    "generic stack": """
s = Stack().push(1).push(x)
if s and len(s) == 2: y = 1
if s.pop(): y = 1  # expect: JIT101
if s.pop(): y = 1
if s: y = 1
for v in Stack().push(2):
    if v: y = 1
for v in reversed(Stack().push(x)):
    if v: y = 1  # expect: JIT101
""",
    "metaclass": """
if Meta.registry and "WithMeta" in Meta.registry: y = 1
if WithMeta.size == 3: y = 1
if isinstance(WithMeta(), WithMeta): y = 1
""",
    "mixins and the order of lookup": """
b = Both(x)
if b.who() == ["left", "both"] and b.factor == 2: y = 1
if b.scaled(): y = 1  # expect: JIT101
if Both(1).scaled(): y = 1
if Left().scaled() and Right().scaled(): y = 1
""",
    "InitVar and KW_ONLY": """
a = Init(x, scale=3)
if a.scale == 3 and a.kind: y = 1
if a.value: y = 1  # expect: JIT101
if Init(2).value: y = 1
if not a.cache: y = 1
""",
    "ordering of dataclasses": """
items = [Ranked(2, x), Ranked(1, x)]
first = min(items)
if first.rank == 1: y = 1
if first.payload: y = 1  # expect: JIT101
if sorted(items)[0].rank: y = 1
if Ranked(1, x) < Ranked(2, x): y = 1
if Ranked(1, x) == Ranked(1, x): y = 1
""",
    "setters and partial methods": """
s = Setter()
if s.v: y = 1
s.v = x
if s.v: y = 1  # expect: JIT101
if s.twice: y = 1  # expect: JIT101
if s.add_two(): y = 1  # expect: JIT101
if Setter().add_two(k=3): y = 1
""",
    "descriptors": """
u = UsesLazy(x)
if u.lazy: y = 1  # expect: JIT101
if UsesLazy(1).lazy: y = 1
if UsesLazy.lazy.name == "lazy": y = 1
""",
    "context manager classes": """
with Ctx(x) as v, Ctx(1) as w:
    if w: y = 1
    if v: y = 1  # expect: JIT101
c = Ctx(1)
with c:
    z = x
if c.closed: y = 1
if z: y = 1  # expect: JIT101
""",
    "decorators with arguments": """
if kept(x): y = 1  # expect: JIT101
if kept(1): y = 1
if kept(x, flag=False): y = 1
if kept.__name__ == "kept": y = 1
""",
    "decorator classes": """
if decorated(x): y = 1  # expect: JIT101
if decorated(1): y = 1
if decorated.calls == 0: y = 1
""",
    "singledispatch": """
if kind_of(3) == "int" and kind_of(x) == "other": y = 1
if kind_of([1]) == "int": y = 1
""",
    "recursion": """
if fib(5, 0, 1): y = 1
if fib(3, x, 1): y = 1  # expect: JIT101
if tree_sum({"a": [1, (2, 3)]}): y = 1
if tree_sum({"a": [1, (x, 3)]}): y = 1  # expect: JIT101
if even(2, x): y = 1  # expect: JIT101
if even(3, x): y = 1
""",
    "pipelines of functions": """
run = pipeline(lambda v: v + 1, jnp.sin, partial(operator.mul, 2))
if run(x): y = 1  # expect: JIT101
if pipeline(len, str)([1]): y = 1
if pipeline(jnp.shape, len)(x): y = 1
if pipeline(*[lambda v: v] * 2)(1): y = 1
""",
    "counters in closures": """
inc, get = make_counter()
inc(); inc(by=2)
if get(): y = 1
inc(x)
if get(): y = 1  # expect: JIT101
""",
    "late binding of loop variables": """
fs = []
for k in (1, 2):
    fs.append(lambda: k)
if fs[0]() == 2: y = 1
v = 1
late = lambda: v
v = x
if late(): y = 1  # expect: JIT101
""",
    "defaults that are mutable": """
def acc(v, into=[]):
    into.append(v)
    return into
first = acc(1)
second = acc(2)
if len(second) == 2 and first is second: y = 1
""",
    "star arguments forwarded": """
def inner(a, b=2, *rest, c, **more):
    return a, b, rest, c, more
def outer(*args, **kwargs):
    return inner(*args, **kwargs)
a, b, rest, c, more = outer(1, x, 3, x, c=4, d=x)
if a and c and rest[0]: y = 1
if b: y = 1  # expect: JIT101
if rest[1]: y = 1  # expect: JIT101
if more["d"]: y = 1  # expect: JIT101
if len(rest) == 2 and "d" in more: y = 1
def swap(first, /, second, *, third): return third, second, first
p, q, r = swap(*[x, 1], **{"third": 2})
if p and q: y = 1
if r: y = 1  # expect: JIT101
""",
    "comprehension conditions and nesting": """
table = {"a": [1, x], "b": [x, 2]}
firsts = {k: v[0] for k, v in table.items()}
if firsts["a"]: y = 1
if firsts["b"]: y = 1  # expect: JIT101
flat = [v for row in table.values() for v in row]
if flat[0]: y = 1
if flat[1]: y = 1  # expect: JIT101
kept = [v for k, v in firsts.items() if k != "b"]
if kept[0]: y = 1
pos = {i: v for i, v in enumerate(flat) if i % 2 == 0}
if pos[0]: y = 1
if pos[2]: y = 1  # expect: JIT101
grid = [[(i, j) for j in range(2)] for i in range(2)]
if grid[1][0][0]: y = 1
transposed = list(zip(*[[1, x], [2, x]]))
if transposed[0][1]: y = 1
if transposed[1][0]: y = 1  # expect: JIT101
""",
    "while loops with static conditions": """
n, v = 3, 1
while n > 0:
    n -= 1
    v = v + x
if n == 0: y = 1
if v: y = 1  # expect: JIT101
stack = [x, 2]
out = []
while stack:
    out.append(stack.pop())
if out[0]: y = 1
if out[1]: y = 1  # expect: JIT101
while True:
    w = x
    break
if w: y = 1  # expect: JIT101
""",
    "try, finally and returns": """
def f(v):
    try:
        return v
    finally:
        v = 1
if f(x): y = 1  # expect: JIT101
def g(d, k):
    try:
        return d[k]
    except KeyError:
        return 0
if g({"a": x}, "a"): y = 1  # expect: JIT101
if g({"a": 1}, "a"): y = 1
def h(v):
    try:
        v.missing
    except AttributeError:
        return 2
    return v
if h(1): y = 1
""",
    "match statements": """
def f(v):
    match v:
        case None: return 0
        case {"kind": "a", "v": inner}: return inner
        case {"kind": kind}: return kind
        case [single]: return single
        case (first, *rest) if len(rest) > 1: return rest[0]
        case Both(value=value): return value
        case int(n) | float(n): return n
        case str(): return 5
        case _: return v
if f(None) or f(3) or f("s"): y = 1
if f({"kind": "a", "v": x}): y = 1  # expect: JIT101
if f({"kind": "b"}): y = 1
if f([x]): y = 1  # expect: JIT101
if f((1, 2, x)): y = 1
if f((1, x, 2)): y = 1  # expect: JIT101
if f(Both(x)): y = 1  # expect: JIT101
if f(Both(1)): y = 1
if f(x): y = 1  # expect: JIT101
""",
    "global containers are read": """
if isinstance(CONFIG["depth"], int) and CONFIG["depth"] > 1: y = 1
if FUNCS["id"](x): y = 1  # expect: JIT101
if FUNCS["one"](x): y = 1
for name, f in FUNCS.items():
    if name: y = 1
if LEVELS[-1] > 1 and max(LEVELS) == 3: y = 1
""",
    "chain maps and user dicts": """
c = ChainMap({"a": x}, {"b": 1})
if "a" in c: y = 1
if c["a"]: y = 1  # expect: JIT101
if c["b"]: y = 1
d = OrderedDict([("a", x), ("b", 1)])
if d["b"]: y = 1
if d["a"]: y = 1  # expect: JIT101
d.move_to_end("a")
if next(iter(d)): y = 1
u = UserDict(a=x)
if u["a"]: y = 1  # expect: JIT101
class D(dict):
    def total(self): return self["a"]
    def __missing__(self, k): return 0
e = D(a=x, b=1)
class L(list):
    def first(self): return self[0]
l = L([x, 1])
if l[1]: y = 1
if len(l) == 2: y = 1
""",
    "string and numeric builtins": """
if round(2.5) and abs(-3) and divmod(7, 2)[1] and pow(2, 3) and int("3") and float("1.5"): y = 1
if ord("a") == 97 and chr(97) == "a" and bin(3) == "0b11" and hex(3): y = 1
if abs(x): y = 1  # expect: JIT101
q, r = divmod(x, 2)
if q: y = 1  # expect: JIT101
if pow(x, 2): y = 1  # expect: JIT101
if round(x): y = 1  # expect: JIT101
if sum([1, 2], start=1) and min(1, 2) and max([1, 2], default=0): y = 1
if sum([x, x]): y = 1  # expect: JIT101
if all([]) and not any([]): y = 1
if isinstance(len([x]), int) and bool([x]) and bool("a"): y = 1
if x.sum().astype(int): y = 1  # expect: JIT101
if (lambda *a: a[0])(1, x): y = 1
if sum(len(s) for s in ("a", "bc")): y = 1
if "a" < "b" <= "c" and (1, 2) < (1, 3): y = 1
""",
    "cast and overload": """
v = cast(int, x)
if v: y = 1  # expect: JIT101
w: Optional[int] = None
if w is None: w = 3
if w: y = 1
""",
    "types made at run time": """
Point = NamedTuple("Point", [("a", Any), ("b", int)])
p = Point(x, b=2)
if p.b: y = 1
if p.a: y = 1  # expect: JIT101
Rec = dataclasses.make_dataclass("Rec", ["a", ("b", int)])
r = Rec(x, 2)
Cls = type("Cls", (), {"k": 3, "get": lambda self: self.k})
if Cls().get() == 3: y = 1
""",
    "partial and keywords": """
def f(a, b, *, c=1): return a, b, c
g = partial(f, 1, c=x)
a, b, c = g(2)
if a and b: y = 1
if c: y = 1  # expect: JIT101
a, b, c = g(x, c=3)
if a and c: y = 1
if b: y = 1  # expect: JIT101
if g.keywords and g.args[0] == 1 and g.func is f: y = 1
h = partial(partial(f, 1), b=x)
if h()[1]: y = 1  # expect: JIT101
if h(c=2)[2]: y = 1
""",
    "inner jit and vmap": """
if jax.jit(lambda v: v * 2)(x): y = 1  # expect: JIT101
a, b = jax.jit(lambda v: (v, {"k": v}))(x)
if b["k"]: y = 1  # expect: JIT101
if len(jax.vmap(lambda v: (v, v))(x)) == 2: y = 1
if jax.vmap(lambda v: v, in_axes=0)(x).shape[0]: y = 1
v, g = jax.value_and_grad(lambda w: w.sum())(x)
if v: y = 1  # expect: JIT101
if g.ndim: y = 1
(l, aux), g = jax.value_and_grad(lambda w: (w.sum(), {"n": 3, "m": w}), has_aux=True)(x)
if aux["m"]: y = 1  # expect: JIT101
c, ys = jax.lax.scan(lambda c, v: (c + v, {"a": v}), 0.0, x)
if c: y = 1  # expect: JIT101
if ys["a"]: y = 1  # expect: JIT101
if jax.lax.cond(True, lambda: 1, lambda: 2): y = 1  # expect: JIT101
if jax.eval_shape(lambda v: {"a": v}, x)["a"].shape[0] == 3: y = 1
""",
}


@pytest.mark.parametrize("name", BODIES)
def test_stages_through_objects_and_functions(tmp_path: Path, name: str) -> None:
    body = indent(BODIES[name].lstrip("\n"), "    ")
    check(tmp_path, PROLOGUE + body + "    return x + y\n\n\nstep(jnp.ones(3))\n")


def test_attributes_that_are_set_plainly(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import dataclasses
        import jax
        import jax.numpy as jnp

        class Kernel:
            def __init__(self, data):
                self._set("weight", jnp.sum(data))

            def _set(self, name, value):
                object.__setattr__(self, name, value)

        @dataclasses.dataclass(frozen=True)
        class Frozen:
            data: jax.Array

            def __post_init__(self):
                object.__setattr__(self, "total", jnp.sum(self.data))
                super().__setattr__("count", self.data.shape[0])
                self.__dict__["mean"] = self.total / self.count

        @jax.jit
        def f(x):
            if Kernel(x).weight > 0:  # expect: JIT101
                x = -x
            frozen = Frozen(x)
            if frozen.total > 0:  # expect: JIT101
                x = -x
            if frozen.count > 0:
                x = -x
            if frozen.mean > 0:  # expect: JIT101
                x = -x
            return x
        """,
    )


def test_what_freezes_a_class_is_an_option_that_is_known(tmp_path: Path) -> None:
    """An option that is not in view, or that each branch of a wrapper gives differently, freezes nothing."""
    check(
        tmp_path,
        """
        import dataclasses
        import os
        from flax import struct
        from elsewhere import options, is_open

        @dataclasses.dataclass(frozen=True)
        class Frozen:
            low: float

        @dataclasses.dataclass(**options)
        class Open:
            low: float

        @struct.dataclass(frozen=is_open)
        class Perhaps:
            low: float

        class Node(struct.PyTreeNode, **options):
            low: float

        class Refusing(struct.PyTreeNode):
            low: float

        def either(cls):
            if os.environ["OPEN"]:
                return struct.dataclass(cls, frozen=False)
            return struct.dataclass(cls)

        @either
        class Either:
            low: float

        class Named(Frozen):
            pass

        def f():
            Frozen(1.0).low = 2.0  # expect: JIT508
            Open(1.0).low = 2.0
            Perhaps(1.0).low = 2.0
            Node(1.0).low = 2.0
            Refusing(1.0).low = 2.0  # expect: JIT508
            Refusing(1.0).high = 2.0  # expect: JIT508
            Either(1.0).low = 2.0
            Named(1.0).low = 2.0  # expect: JIT508
            Named(1.0).name = "n"
        """,
    )


def test_what_a_library_unfreezes_can_be_assigned_to(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax_dataclasses
        from jax_dataclasses._copy_and_mutate import _mark_mutable, _Mutability


        @jax_dataclasses.pytree_dataclass
        class Link:
            mass: float

            def opened(self):
                _mark_mutable(self, mutable=_Mutability.MUTABLE, visited=set())
                return self

        @jax_dataclasses.pytree_dataclass
        class Joint:
            angle: float

        def f(links: list[Link]):
            for link in links:
                link.opened().mass = 2.0
            Joint(1.0).angle = 2.0  # expect: JIT508
        """,
    )
