"""Each feature of the language keeps traced and static values apart: labels borne out by JAX, value by value."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from programs import check

PROLOGUE = """\
import collections
import contextlib
import dataclasses
import enum
import functools
import itertools
import operator
import types
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple, Any, Generic, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

Pair = namedtuple("Pair", ["left", "right"])


class Mode(enum.Enum):
    A = 1
    B = 2


@dataclass
class Box:
    value: Any
    name: str = "box"
    items: list = field(default_factory=list)

    @property
    def double(self):
        return self.value * 2

    @classmethod
    def of(cls, value, **kw):
        return cls(value, **kw)

    @staticmethod
    def static(a, b=3):
        return a if b else b


class Base:
    kind = "base"

    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value

    def both(self):
        return self.get(), self.kind


class Child(Base):
    kind = "child"

    def __init__(self, value, extra=1):
        super().__init__(value)
        self.extra = extra

    def get(self):
        return super().get() + self.extra

    def __call__(self, y):
        return y + self.value


def wrap(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner


@wrap
def wrapped(a, /, b, *, c=0):
    return a, b, c


def spread(*args, **kwargs):
    return args, kwargs


def gen(n, v):
    for k in range(n):
        yield k, v


@contextlib.contextmanager
def scope(v):
    yield v


@jax.jit
def step(x):
    y = 0
"""

BODIES = {
    "comprehension scope": """
v = 1
w = [v for v in (x, x)]
if v: y = 1
if w[0]: y = 1  # expect: JIT101
if len(w) == 2: y = 1
""",
    "walrus in comprehension": """
if any((last := k) > 5 for k in (1, 2, 3)): y = 1
if last: y = 1
z = [(t := x * k) for k in (1, 2)]
if t: y = 1  # expect: JIT101
if len(z) > 1: y = 1
""",
    "walrus in condition": """
if (n := len(x)) > 1: y = n
if (m := x.sum()) > 1: y = 1  # expect: JIT101
if n: y = 1
while (k := n - 10) > 0: n = k
""",
    "dict comprehension": """
d = {k: v for k, v in zip(("a", "b"), (1, x))}
if d["a"]: y = 1
if d["b"]: y = 1  # expect: JIT101
e = {v: k for k, v in {"a": 1}.items()}
if e[1] == "a": y = 1
""",
    "nested comprehension": """
rows = [[i * j for i in range(2)] for j in range(2)]
if rows[0][1]: y = 1
cells = [a + b for a in (1, 2) for b in (x, 2) if a > 1]
if cells[0]: y = 1  # expect: JIT101
""",
    "stars on both sides": """
args, kwargs = spread(1, x, *[2, x], k=3, **{"m": x})
if args[0] and args[2] and kwargs["k"]: y = 1
if args[1]: y = 1  # expect: JIT101
if args[3]: y = 1  # expect: JIT101
if kwargs["m"]: y = 1  # expect: JIT101
if len(args) == 4 and "m" in kwargs: y = 1
""",
    "positional-only and keyword-only": """
a, b, c = wrapped(1, b=x, c=2)
if a and c: y = 1
if b: y = 1  # expect: JIT101
a, b, c = wrapped(*(x, 1), **dict(c=0))
if b or c: y = 1
if a: y = 1  # expect: JIT101
""",
    "defaults are evaluated once": """
def inner(a, b=2, *, c=x):
    return a, b, c
a, b, c = inner(1)
if a and b: y = 1
if c: y = 1  # expect: JIT101
""",
    "properties and methods of a class": """
box = Box.of(x, name="n")
if box.name and not box.items: y = 1
if box.double: y = 1  # expect: JIT101
if Box.static(1): y = 1
if Box.static(x): y = 1  # expect: JIT101
if box.static(2, b=0): y = 1
""",
    "super and inheritance": """
child = Child(x, extra=2)
value, kind = child.both()
if kind == "child" and child.extra: y = 1
if value: y = 1  # expect: JIT101
if child(1): y = 1  # expect: JIT101
if Child(1)(2): y = 1
if Child(1).get() > 1: y = 1
""",
    "dataclass functions": """
box = dataclasses.replace(Box(1), value=x)
if box.name: y = 1
if box.value: y = 1  # expect: JIT101
d = dataclasses.asdict(Box(1, "a"))
if d["name"]: y = 1
names = [f.name for f in dataclasses.fields(box)]
if names and "value" in names: y = 1
v, n, i = dataclasses.astuple(Box(x))
if n: y = 1
if v: y = 1  # expect: JIT101
""",
    "asdict keeps arrays": """
d = dataclasses.asdict(Box(x, "a"))
if d["name"]: y = 1
if d["value"]: y = 1  # expect: JIT101
""",
    "named tuples": """
p = Pair(x, 1)
if p.right and len(p) == 2: y = 1
if p.left: y = 1  # expect: JIT101
q = p._replace(left=2)
if q.left and q.right: y = 1
a, b = p
if b: y = 1
if a: y = 1  # expect: JIT101
d = p._asdict()
if d["right"]: y = 1
if d["left"]: y = 1  # expect: JIT101
if Pair._fields == ("left", "right"): y = 1
if Pair(*[1, x]).right: y = 1  # expect: JIT101
if Pair._make([x, 1]).left: y = 1  # expect: JIT101
if Pair._make([x, 1]).right: y = 1
""",
    "enums": """
if Mode.A is Mode.A and Mode(1) == Mode.A: y = 1
if Mode["B"].value == 2: y = 1
table = {Mode.A: x, Mode.B: 1}
if table[Mode.B]: y = 1
if table[Mode.A]: y = 1  # expect: JIT101
for mode in Mode:
    if mode.name == "A": y = 1
""",
    "context managers": """
with scope(x) as v, scope(1) as w:
    if w: y = 1
    if v: y = 1  # expect: JIT101
with contextlib.suppress(KeyError):
    y = {}["a"]
with contextlib.ExitStack() as stack:
    u = stack.enter_context(scope(x))
    if u: y = 1  # expect: JIT101
with contextlib.nullcontext(x) as z:
    if z: y = 1  # expect: JIT101
""",
    "generators consumed in place": """
for k, v in gen(2, x):
    if k: y = 1
    if v: y = 1  # expect: JIT101
pairs = list(gen(2, 1))
if pairs and pairs[0][1]: y = 1
total = sum(v for _, v in gen(2, x))
if total: y = 1  # expect: JIT101
count = sum(1 for _ in gen(2, x))
if count: y = 1
first = next(gen(2, x))
if first[1]: y = 1  # expect: JIT101
if dict(gen(2, 3))[0] == 3: y = 1
""",
    "try and except": """
try:
    v = {"a": 1}["a"]
except KeyError as error:
    v = str(error)
else:
    v = x
finally:
    w = 1
if w: y = 1
if v: y = 1  # expect: JIT101
""",
    "match on structure and values": """
match (x, 1):
    case (a, 1):
        if a: y = 1  # expect: JIT101
match {"k": 1, "v": x}:
    case {"k": k, **rest}:
        if k: y = 1
        if rest["v"]: y = 1  # expect: JIT101
match Pair(1, x):
    case Pair(left=1, right=r):
        if r: y = 1  # expect: JIT101
match [1, x, 2]:
    case [first, *middle, last]:
        if first and last and len(middle) == 1: y = 1
        if middle[0]: y = 1  # expect: JIT101
match 3:
    case int() as n if n > 2:
        y = n
""",
    "nonlocal": """
count, value = 0, 1
def bump(v):
    nonlocal count, value
    count += 1
    value = v
bump(x)
if count: y = 1
if value: y = 1  # expect: JIT101
""",
    "star unpacking": """
first, *rest = 1, x, 2
if first and rest[1] and len(rest) == 2: y = 1
if rest[0]: y = 1  # expect: JIT101
*head, tail = [x, x, 3]
if tail: y = 1
(a, (b, *c)), d = (1, (x, 2, 3)), 4
if a and c[0] and d: y = 1
if b: y = 1  # expect: JIT101
""",
    "dict methods": """
d = {"a": 1}
d.update({"b": x}, c=2)
if d.get("a") and d["c"] and d.get("zz") is None: y = 1
if d.get("b"): y = 1  # expect: JIT101
v = d.setdefault("e", x)
if v: y = 1  # expect: JIT101
if d.setdefault("a", x) == 1: y = 1
if d.pop("c"): y = 1
if d.pop("b"): y = 1  # expect: JIT101
if "b" not in d and len(d) > 0: y = 1
for key, value in d.items():
    if key: y = 1
k, v = d.popitem()
if k: y = 1
e = dict.fromkeys("ab", 0)
if e["a"] == 0: y = 1
g = {**e, "z": x}
if g["a"]: y = 1
if g["z"]: y = 1  # expect: JIT101
h = e | {"b": x}
if h["a"]: y = 1
if h["b"]: y = 1  # expect: JIT101
d.clear()
if d: y = 1
""",
    "dict values and keys": """
d = {"a": 1, "b": 2}
if all(v > 0 for v in d.values()) and sum(d.values()) > 1: y = 1
if max(d, key=d.get) == "b" and sorted(d) == ["a", "b"]: y = 1
d["b"] = x
for v in d.values():
    if v is not None: y = 1
if list(d.values())[1]: y = 1  # expect: JIT101
if list(d.values())[0]: y = 1
if list(d.items())[1][1]: y = 1  # expect: JIT101
if next(iter(d.values())): y = 1
""",
    "set methods": """
s = {1, 2}
s.add(3)
s |= {4}
if 3 in s and s & {1} and s.issubset({1, 2, 3, 4}): y = 1
t = set("abc") - {"a"}
if t and sorted(t)[0] == "b": y = 1
if len(s.union(t)) > 2: y = 1
""",
    "list methods": """
items = [1]
items.append(x)
items.extend([2, x])
items.insert(0, 5)
if items[0] and items[1] and len(items) == 5: y = 1
if items[2]: y = 1  # expect: JIT101
if items.pop(): y = 1  # expect: JIT101
items.reverse()
if items.index(5): y = 1  # expect: JIT108
copy = items[:]
copy.clear()
if copy: y = 1
items[0] = 7
if items[0]: y = 1
del items[0]
items += [x]
if items[-1]: y = 1  # expect: JIT101
if [1, 2].index(2): y = 1
rows = [[]] * 2
rows[0].append(x)
if rows[1]: y = 1
""",
    "deque and defaultdict": """
q = deque([1, 2], maxlen=5)
q.append(x)
q.appendleft(0)
if len(q): y = 1
if q.pop(): y = 1  # expect: JIT101
g = defaultdict(list)
g["a"].append(1)
if g["a"][0]: y = 1
g["b"].append(x)
if g["b"][0]: y = 1  # expect: JIT101
if len(g["a"]) and "a" in g: y = 1
c = Counter("abca")
if c["a"] and c.most_common(1)[0][1] > 1: y = 1
h = defaultdict(lambda: x)
if h["z"]: y = 1  # expect: JIT101
""",
    "functools": """
total = functools.reduce(lambda a, b: a + b, [1, 2, 3])
if total: y = 1
total = functools.reduce(operator.add, [1, x])
if total: y = 1  # expect: JIT101
p = functools.partial(spread, 1, k=x)
a, k = p(2)
if a[0] and a[1]: y = 1
if k["k"]: y = 1  # expect: JIT101
if functools.reduce(max, (1, 2), 0): y = 1
if functools.reduce(operator.mul, x.shape, 1): y = 1
""",
    "map, filter, zip, enumerate": """
doubled = list(map(lambda v: v * 2, [1, x]))
if doubled[0]: y = 1
if doubled[1]: y = 1  # expect: JIT101
kept = list(filter(None, [0, 1]))
if kept: y = 1
names = list(filter(lambda n: n != "b", ["a", "b"]))
if names[0] == "a": y = 1
for i, (a, b) in enumerate(zip([1, 2], [x, x]), start=1):
    if i and a: y = 1
    if b: y = 1  # expect: JIT101
firsts, seconds = zip(*[(1, x), (2, x)])
if firsts[0] and len(seconds) == 2: y = 1
if seconds[0]: y = 1  # expect: JIT101
firsts, seconds = zip(*[(1, row) for row in x])
if firsts[0]: y = 1
if seconds[0].sum(): y = 1  # expect: JIT101
for first, *others in zip((1, 2), *[("a", row) for row in x]):
    if first == 1 and others[0] == "a": y = 1
for one, other in zip(*[iter([1, x, 2, x, 3])] * 2):
    if one: y = 1
    if other: y = 1  # expect: JIT101
once = iter(x)
for one, other in zip(once, once):
    if other.sum(): y = 1  # expect: JIT101
for a, b in zip(range(3), "abc"):
    if a and b: y = 1
a, b = map(int, "12")
if a and b: y = 1
""",
    "sorted with key": """
pairs = [(2, x), (1, x)]
ordered = sorted(pairs, key=lambda p: p[0])
if ordered[0][0]: y = 1
if ordered[0][1]: y = 1  # expect: JIT101
best = min(pairs, key=operator.itemgetter(0))
if best[0]: y = 1
if best[1]: y = 1  # expect: JIT101
names = sorted({"b": x, "a": 1}, reverse=True)
if names[0] == "b": y = 1
(k, v), *_ = sorted({"b": x, "a": 1}.items(), key=lambda kv: kv[0])
if k: y = 1
ranks = sorted([x, x], key=lambda v: v.ndim)
if ranks[0]: y = 1  # expect: JIT101
""",
    "operator": """
if operator.add(1, 2) and operator.itemgetter("a")({"a": 1}): y = 1
if operator.lt(x, 1): y = 1  # expect: JIT101
if operator.itemgetter(1)((1, x)): y = 1  # expect: JIT101
if operator.attrgetter("left.right")(Pair(Pair(1, x), 2)): y = 1  # expect: JIT101
if operator.attrgetter("name")(Box(x)): y = 1
if operator.methodcaller("sum")(x): y = 1  # expect: JIT101
if operator.getitem((1, x), 1): y = 1  # expect: JIT101
if operator.getitem((1, x), 0): y = 1
if operator.neg(x): y = 1  # expect: JIT101
if operator.contains([1, 2], 2): y = 1
if operator.not_(x): y = 1  # expect: JIT105
if operator.is_(x, None) or operator.is_not(x, x): y = 1
if operator.abs(x): y = 1  # expect: JIT101
if operator.iadd(1, 2) and operator.floordiv(4, 2): y = 1
if operator.invert(x > 0): y = 1  # expect: JIT101
""",
    "itertools": """
for a, b in itertools.product([1, 2], [x]):
    if a: y = 1
    if b: y = 1  # expect: JIT101
for v in itertools.chain([x], [x]):
    if v: y = 1  # expect: JIT101
for v in itertools.chain.from_iterable([[1], [2]]):
    if v: y = 1
for a, b in itertools.pairwise([1, 2, 3]):
    if a < b: y = 1
for k, group in itertools.groupby([(1, x), (1, x)], key=lambda p: p[0]):
    if k: y = 1
    for n, v in group:
        if n: y = 1
        if v: y = 1  # expect: JIT101
for total in itertools.accumulate([1, 2, 3]):
    if total: y = 1
for total in itertools.accumulate([x, x]):
    if total: y = 1  # expect: JIT101
for v in itertools.islice([1, 2, 3], 2):
    if v: y = 1
for a, b in itertools.zip_longest([1], [x, x]):
    if a: y = 1
    if b is not None: y = 1
for v in itertools.starmap(lambda a, b: a + b, [(1, x)]):
    if v: y = 1  # expect: JIT101
for a, b in itertools.combinations([1, 2, 3], 2):
    if a < b: y = 1
for v in itertools.repeat(x, 2):
    if v: y = 1  # expect: JIT101
for v in itertools.compress([1, 2], [True, False]):
    if v: y = 1
a, b = itertools.tee([1, 2])
if list(a) and list(b): y = 1
""",
    "string formatting": """
s = f"{x.shape} {x.ndim:>3} {len(x)!r:>4}" + "%d %s" % (x.ndim, "a") + "{:d}".format(x.size)
if s and s.startswith("(") and "a" in s: y = 1
parts = s.split(",")
if parts[0].strip().isdigit() or len(parts) > 1: y = 1
if ",".join(["a", "b"]) == "a,b": y = 1
name = "layer_{}".format(3)
if name.endswith("3") and name[6:].isdigit() and int(name[6:]) == 3: y = 1
if name.partition("_")[2] == "3" or name.replace("layer", "l")[0] == "l": y = 1
""",
    "narrowing by isinstance and None": """
def f(v=None, w=None):
    if v is None: return 1
    if isinstance(v, (int, float)): return 2
    if isinstance(v, (tuple, list)): return v[0]
    return v
if f(): y = 1
if f(3): y = 1
if f((x,)): y = 1  # expect: JIT101
if f(x): y = 1  # expect: JIT101
if hasattr(x, "shape") and callable(f) and not isinstance(x, str): y = 1
if isinstance(x, jax.Array) and not isinstance(x, np.ndarray): y = 1
z = x if isinstance(x, jax.Array) else 1
if z: y = 1  # expect: JIT101
u = 1 if isinstance(x, np.ndarray) else 2
if u: y = 1
""",
    "early return and dead branches": """
DEBUG = False
def g(v):
    if not DEBUG:
        return 1
    return v
if g(x): y = 1
if DEBUG and x: y = 1
if False: y = float(x)
def h(v, flag=True):
    if flag: return v
    raise ValueError
if h(x): y = 1  # expect: JIT101
if h(1): y = 1
assert True or x
""",
    "loops with else, break, continue": """
for k in range(3):
    if k == 1: continue
    if k == 2: break
else:
    k = x
if k: y = 1
n = 3
while n:
    n -= 1
if n: y = 1
v = 1
for k in range(3):
    v = v * x
if v: y = 1  # expect: JIT101
""",
    "closures and lambdas in containers": """
table = {"sq": lambda v: v * v, "one": lambda v: 1}
if table["one"](x): y = 1
if table["sq"](x): y = 1  # expect: JIT101
fs = [lambda v, k=k: v + k for k in (1, 2)]
if fs[0](1): y = 1
if fs[1](x): y = 1  # expect: JIT101
compose = lambda *fs: lambda v: functools.reduce(lambda a, f: f(a), fs, v)
if compose(table["one"], fs[0])(x): y = 1
if compose(table["sq"], fs[0])(x): y = 1  # expect: JIT101
""",
    "getattr, setattr, vars": """
box = Box(1)
setattr(box, "value", x)
if getattr(box, "name"): y = 1
if getattr(box, "value"): y = 1  # expect: JIT101
if getattr(box, "missing", 1): y = 1
ns = types.SimpleNamespace(a=1, b=x)
if ns.a: y = 1
if ns.b: y = 1  # expect: JIT101
ns.c = x
if ns.c: y = 1  # expect: JIT101
if vars(box)["name"]: y = 1
if vars(box)["value"]: y = 1  # expect: JIT101
if box.__dict__["value"]: y = 1  # expect: JIT101
""",
    "classes made in functions": """
class Local:
    scale = 2
    def __init__(self, v): self.v = v
    def __mul__(self, o): return Local(self.v * o)
    def __matmul__(self, o): return self.v + o
    def __getattr__(self, name): return 5
loc = Local(x) * 2
if loc.scale and loc.unknown: y = 1
if loc.v: y = 1  # expect: JIT101
if Local(1) @ x: y = 1  # expect: JIT101
if Local(1) @ 2: y = 1
""",
    "augmented and chained assignment": """
a = b = x
a += 1
if a: y = 1  # expect: JIT101
c = [1]; d = c
d.append(x)
if c[1]: y = 1  # expect: JIT101
e = [x, 1]
e[0], e[1] = e[1], e[0]
if e[0]: y = 1
if e[1]: y = 1  # expect: JIT101
n: int = 3
if n: y = 1
""",
    "slices of lists and tuples": """
t = (1, x, 2, x)
if t[::2][1]: y = 1
if t[1:3][0]: y = 1  # expect: JIT101
if t[-1]: y = 1  # expect: JIT101
if (t + (5,))[-1]: y = 1
if (t * 2)[4]: y = 1
if len(t[1:]) == 3 and t[:0] == (): y = 1
s = slice(0, 1)
if t[s][0]: y = 1
if list(reversed(t))[0]: y = 1  # expect: JIT101
if list(reversed(t))[1]: y = 1
if tuple(t)[0]: y = 1
""",
    "shapes as data": """
b, *dims = x.shape
if b and len(dims) == 0: y = 1
n = x.size // max(b, 1)
if n == 1 and x.shape == (b,) and x.shape[0] % 2: y = 1
if np.prod(x.shape) > 1 and int(np.ceil(b / 2)): y = 1
if x.reshape(-1, 1).shape[1] == 1: y = 1
if x.dtype == jnp.float32 and x.dtype.kind == "f" and jnp.issubdtype(x.dtype, jnp.floating): y = 1
if jnp.ndim(x) and jnp.shape(x) and jnp.result_type(x) == x.dtype: y = 1
if x.at[0].set(1).shape[0] and (x > 0).dtype == bool: y = 1
if jax.eval_shape(lambda v: v, x).shape: y = 1
if x[None].shape[0] == 1 and x.T.ndim: y = 1
""",
    "class attributes and class methods": """
class Reg:
    table = {}
    @classmethod
    def add(cls, k, v):
        cls.table[k] = v
        return cls
    def __class_getitem__(cls, k): return cls.table[k]
Reg.add("a", 1)
if Reg.table["a"]: y = 1
if Reg["a"]: y = 1
if Reg.__name__ == "Reg" and type(Reg()) is Reg: y = 1
""",
    "conditional expressions and bool ops give values": """
a = None or x
if a: y = 1  # expect: JIT101
b = 1 and x
if b: y = 1  # expect: JIT101
c = 0 or 2
if c: y = 1
d = x if x.ndim else 1
if d: y = 1  # expect: JIT101
e = (None if x is None else 5)
if e: y = 1
f = [] or {} or 3
if f: y = 1
""",
    "exceptions carry values": """
class Stop(Exception):
    def __init__(self, v): self.v = v
try:
    raise Stop(x)
except Stop as stop:
    if stop.v is None: y = 1
try:
    w = 1
    raise ValueError("a")
except (ValueError, TypeError):
    w = 2
if w: y = 1
""",
    "generator methods and send": """
def running():
    total = 0
    while True:
        total = total + (yield total)
g = running()
next(g)
it = iter([x, 1])
a = next(it); b = next(it)
if b: y = 1
if a: y = 1  # expect: JIT101
if next(iter([]), 3): y = 1
""",
    "type checks by type": """
if type(x) is int or type(x) == float: y = 1
if type(3) is int: y = 1
if isinstance((1, 2), tuple) and isinstance(Pair(1, 2), tuple) and not isinstance([1], tuple): y = 1
if isinstance({"a": 1}, dict) and isinstance("s", str): y = 1
if issubclass(Child, Base) and isinstance(Child(1), Base): y = 1
if isinstance(3, (float, int)) and not isinstance("a", (float, int)): y = 1
""",
    "tree functions": """
tree = {"a": x, "b": (x, 1)}
leaves, treedef = jax.tree.flatten(tree)
if len(leaves) == 3 and treedef.num_leaves == 3: y = 1
if leaves[0]: y = 1  # expect: JIT101
doubled = jax.tree.map(lambda v: v * 2, tree)
if doubled["a"]: y = 1  # expect: JIT101
shapes = jax.tree.map(lambda v: v.ndim if hasattr(v, "ndim") else 0, tree)
if shapes["a"]: y = 1
back = jax.tree.unflatten(treedef, leaves)
if jax.tree.structure(tree) == treedef: y = 1
paths = jax.tree_util.tree_leaves_with_path(tree)
for path, leaf in paths:
    if path: y = 1
if jax.tree.all(jax.tree.map(lambda v: True, tree)): y = 1
total = jax.tree.reduce(lambda a, b: a + b, tree)
if total: y = 1  # expect: JIT101
""",
}


@pytest.mark.parametrize("name", BODIES)
def test_stages_through_the_language(tmp_path: Path, name: str) -> None:
    body = indent(BODIES[name].lstrip("\n"), "    ")
    check(tmp_path, PROLOGUE + body + "    return x + y\n\n\nstep(jnp.ones(3))\n")
