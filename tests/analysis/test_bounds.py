"""Values that hold themselves, that double, or that would be huge: the analysis ends, and still tells what follows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from programs import check, write

from jitlint.analysis.api import analyze
from jitlint.analysis.machine.limits import TOO_LARGE, TOO_MUCH_MEMORY
from jitlint.analysis.machine.store import Store
from jitlint.analysis.values import (
    MAX_NESTING,
    MAX_SIZE,
    NEVER,
    NONE,
    UNKNOWN,
    Const,
    Dict,
    External,
    ExternalInstance,
    List,
    Partial,
    Sequence,
    Static,
    TooLargeError,
    Tuple,
    Union,
    Value,
)
from jitlint.analysis.values.call_keys import CallKeys
from jitlint.analysis.values.folding import MAX_BITS, MAX_TEXT, constant, fold, fold_operator
from jitlint.analysis.values.joins import join, tuple_of
from jitlint.project.cache import Cache
from jitlint.project.modules import Project

HEAD = """\
import dataclasses
import functools
import itertools

import jax
import jax.numpy as jnp

"""

TAIL = """

@jax.jit
def told(x):
    return 1 if x > 0 else 2  # expect: JIT104
"""

CIRCLES = {
    "a list in itself, returned": """
        @jax.jit
        def f(x):
            items = [x]
            items.append(items)
            return items
        f(1.0)
    """,
    "a dict in itself, described": """
        def f(x):
            tree = {"x": x}
            tree["self"] = tree
            return tree
        jax.eval_shape(f, 1.0)
    """,
    "a dict in itself, as an argument": """
        tree = {"a": 1.0}
        tree["d"] = tree
        jax.jit(lambda t: t["a"])(tree)
        jax.tree.leaves(tree)
        jax.tree.map(jnp.sum, tree)
    """,
    "two lists in each other": """
        a, b = [1.0], [2.0]
        a.append(b)
        b.append((a, {"a": a}))
        jax.jit(lambda t: t)(a)
        jax.tree.leaves(b)
        jax.lax.scan(lambda c, y: (c, y), a, b)
    """,
    "two lists in each other, on two paths": """
        a, b = [1.0], [2.0]
        if unknown():
            a.append(b)
        else:
            b.append(a)
        jax.jit(lambda t: t)(a)
        jax.tree.map(lambda y: y, (a, b))
    """,
    "an iterator over what holds it": """
        items = [1.0]
        items.append(iter(items))
        items.append(map(jnp.sum, items))
        jax.jit(lambda t: t)(items)
        float(sum(items))
    """,
    "parents and children": """
        @jax.tree_util.register_pytree_node_class
        class Node:
            def __init__(self, x):
                self.x, self.kids, self.parent = x, {}, None
            def add(self, other):
                other.parent = self
                self.kids["k"] = other
            def tree_flatten(self):
                return (self.x, self.kids, self.parent), ()
            @classmethod
            def tree_unflatten(cls, aux, children):
                return cls(children[0])
        node = Node(jnp.ones(3))
        node.add(Node(jnp.ones(3)))
        jax.jit(lambda n: n.x)(node)
        jax.tree.map(jnp.sum, node)
        print(jax.tree.leaves(node))
        jax.vmap(lambda n: n)(node)
        jax.grad(lambda n: n.x.sum())(node)
        jax.lax.cond(True, lambda n: n, lambda n: n, node)
    """,
    "a class whose fields have the class itself": """
        @jax.tree_util.register_dataclass
        @dataclasses.dataclass
        class Tree:
            left: "Tree"
            right: "Tree"
            x: jax.Array
        @jax.jit
        def f(tree: Tree):
            return tree.left
    """,
    "a frozen dataclass that is its own field, as a static argument": """
        @dataclasses.dataclass(frozen=True)
        class Config:
            me: object = None
        config = Config()
        object.__setattr__(config, "me", config)
        jax.jit(lambda x, c: x, static_argnums=1)(1.0, config)
    """,
    "a class that calls itself": """
        class Caller:
            pass
        Caller.__call__ = Caller()
        jax.jit(Caller())(1.0)
    """,
    "a method that its object holds": """
        class Model:
            def __init__(self):
                self.call = jax.jit(self.run)
                self.again = functools.partial(self.call, self)
            def run(self, x):
                return x
        model = Model()
        model.call(1.0)
        jax.jit(model.again)()
    """,
}

DOUBLING = {
    "a list that is added to itself": "s = [1]\n" + "s += s\n" * 30,
    "a tuple that is added to itself": "t = (1,)\n" + "t = t + t\n" * 40,
    "a tuple that is unpacked twice": "t = (1,)\n" + "t = (*t, *t)\n" * 40,
    "lists in lists": "s = [1]\n" + "s = [s, s]\n" * 40 + "jax.jit(lambda t: t)(s)\njax.tree.leaves(s)\n",
    "lists that get lists later": "".join(f"l{n} = []\n" for n in range(40))
    + "".join(f"l{n}.append(l{n + 1})\nl{n}.append(l{n + 1})\n" for n in range(39))
    + "jax.jit(lambda t: t)(l0)\njax.tree.map(jnp.sum, l0)\n",
    "dicts that get dicts later": "".join(f"d{n} = {{}}\n" for n in range(40))
    + "".join(f"d{n}['a'] = d{n}['b'] = d{n + 1}\n" for n in range(39))
    + "jax.jit(lambda t: t)(d0)\njax.tree.leaves(d0)\njax.lax.scan(lambda c, y: (c, y), d0, d0)\n",
    "instances that get instances later": "class P: pass\n"
    + "".join(f"p{n} = P()\n" for n in range(40))
    + "".join(f"p{n}.a = p{n}.b = p{n + 1}\n" for n in range(39))
    + "def use(p): return p\nuse(p0)\njax.jit(use)(p0)\n",
    "repetition": "t = (0,) * 64 * 64 * 64 * 64 * 64\ns = [0] * 64 * 64 * 64 * 64\njax.jit(lambda t: t)(t)\n",
    "a partial of itself": "f = print\n" + "f = functools.partial(f, f)\n" * 40 + "jax.jit(f)(1)\n",
    "transforms of transforms": "f = jnp.sin\n" + "f = jax.jit(jax.vmap(f))\n" * 200 + "f(1.0)\n",
    "arguments": "def g(*a, **k): return g(*a, *a, **k, z=a)\ng(1)\n",
    "an iterator after itself": "x = [1]\n" + "x = list(itertools.chain(x, x))\n" * 40,
    "comprehensions in comprehensions": "s = [0 " + " ".join(f"for a{n} in range(8)" for n in range(12)) + "]\n",
    "products": "p = list(itertools.product(" + ", ".join(["range(60)"] * 20) + "))\n",
    "unions of dicts": "d = {'a': 1}\n" + "d = {'b': d, 'c': d} | {'d': d, 'e': d}\n" * 40 + "jax.jit(len)(d)\n",
    "a diamond of classes": "class A0: pass\nclass B0: pass\n"
    + "".join(f"class A{n}(A{n - 1}, B{n - 1}): pass\nclass B{n}(A{n - 1}, B{n - 1}): pass\n" for n in range(1, 60))
    + "A59().x\n",
}

HUGE = {
    "numbers": "a = 10 ** 10 ** 10\nb = 1 << 10 ** 12\nc = str(10 ** 5000)\nd = abs(-10 ** 5000)\n"
    "e = 2 ** 4000 * 2 ** 4000\n"
    "f = 0x" + "f" * 10_000 + "\nprint(f'{f}', f)\ng = jax.jit(max, static_argnums=10 ** 5000)\n",
    "text": "a = 'a' * 10 ** 12\nb = '%999999999d' % 7\nc = '%*d' % (10 ** 9, 7)\n"
    + "d = 'a'\n"
    + "d = d.replace('a', 'a' * 1000)\n" * 10
    + "e = 'a'\n"
    + "e = e + e\n" * 60
    + "h = '{:999999999}'.format(1)\ni = '{99999999999999999999}'.format(1)\nj = f'{1:999999999}'\n"
    "k = 'x'.zfill(10 ** 12).center(10 ** 12)\nl = bytes(10 ** 12)\nm = b'a' * 10 ** 12\n",
    "shapes": "a = jnp.zeros((10 ** 400, 10 ** 400))\nb = jnp.arange(10 ** 400)\nc = jnp.arange(float('inf'))\n"
    "d = jnp.arange(float('nan'))\ne = a[10 ** 400 :, : -(10 ** 400)]\nf = jnp.arange(4)['a':]\n"
    "g = jnp.arange(4)[1.5:]\n",
    "a table": "t = {" + ", ".join(f"{n}: ({n}, {n})" for n in range(9_000)) + "}\nl = [" + "(1, 2), " * 9_000 + "]\n"
    "jax.jit(lambda t: t)(l)\nt[1]\n",
}


def _whole(program: str) -> str:
    lines = program.splitlines()
    indented = lines and not lines[0]
    return HEAD + "\n".join(line[8:] if indented else line for line in lines) + TAIL


@pytest.mark.parametrize("kind", ["circle", "doubling", "huge"])
def test_all_kinds_have_programs(kind: str) -> None:
    assert {"circle": CIRCLES, "doubling": DOUBLING, "huge": HUGE}[kind]


@pytest.mark.parametrize(
    "program", [*CIRCLES.values(), *DOUBLING.values(), *HUGE.values()], ids=[*CIRCLES, *DOUBLING, *HUGE]
)
def test_the_analysis_ends_and_tells_what_follows(tmp_path: Path, program: str) -> None:
    (source,) = write(tmp_path, _whole(program))
    analysis = analyze(Project([source], Cache(None)))
    assert not analysis.errors and not analysis.defects
    expected = 1 + source.text[: source.text.index("# expect")].count("\n")
    assert expected in {event.place.line for event in analysis.events}


# --- the values themselves --------------------------------------------------------------------------------------------


def filled(count: int) -> Value:
    return Tuple((NONE,) * count)


def test_what_is_too_large_is_unknown_or_of_unknown_length() -> None:
    assert isinstance(tuple_of([NONE] * MAX_SIZE), Sequence)
    assert isinstance(tuple_of([NONE] * (MAX_SIZE - 1)), Tuple)
    half = filled(MAX_SIZE // 2)
    pair = Tuple((half, half))
    assert pair.elements == (UNKNOWN, UNKNOWN) and pair.size == 3
    assert Partial(half, (half,), {}, (), None).function is UNKNOWN
    assert ExternalInstance("optax.adam", (half, half)).arguments == (UNKNOWN, UNKNOWN)
    assert join(half, Sequence("range", half)) is UNKNOWN
    assert set(Dict({"a": half, "b": half}, NEVER, 0, (), None).entries.values()) == {UNKNOWN}
    with pytest.raises(TooLargeError):
        filled(MAX_SIZE)
    with pytest.raises(TooLargeError):
        Union((half, Sequence("range", half)))


@pytest.mark.parametrize(
    "around",
    [
        lambda value: Tuple((value, value)),
        lambda value: Sequence("tuple", value),
        lambda value: List("list", Tuple((value, value)), 0, (), None),
        lambda value: Dict({"a": value, "b": value}, NEVER, 0, (), None),
        lambda value: Tuple((List("list", Sequence("tuple", Union((value, NONE))), 0, (), None),)),
    ],
)
def test_containers_nest_only_so_deep(around: Callable[[Value], Value]) -> None:
    value: Value = Const(1)
    for _ in range(5 * MAX_NESTING):
        value = around(value)
        assert value.nesting() <= depth(value) <= MAX_NESTING + 1


def depth(value: Value) -> int:
    """How many containers are around the innermost value that is first in each."""
    if isinstance(value, Tuple):
        return 1 + depth(value.elements[0])
    if isinstance(value, Sequence):
        return 1 + depth(value.element)
    if isinstance(value, List):
        return 1 + depth(value.content)
    if isinstance(value, Dict):
        return 1 + depth(value.entries["a"])
    return depth(value.alternatives[0]) if isinstance(value, Union) else 0


def test_a_list_or_dict_never_holds_itself() -> None:
    store = Store()
    items, table = List("list", Tuple(()), 0, (), None), Dict({}, NEVER, 0, (), None)
    store.set(items, "content", Tuple((NONE, table, Tuple((items,)))))
    assert items.content.elements == (NONE, table, UNKNOWN)  # type: ignore[attr-defined]
    store.set(table, "entries", {"a": items, "b": NONE})
    assert table.entries == {"a": UNKNOWN, "b": NONE}
    store.set(table, "rest", Sequence("tuple", items))
    assert table.rest is UNKNOWN


def test_keys_of_what_is_shared_are_short() -> None:
    keys = CallKeys()
    value: Value = List("list", Tuple(()), 0, (), None)
    for _ in range(200):
        value = List("list", Tuple((value, value)), 0, (), None)
    other = List("list", Tuple((value, External("jax"))), 0, (), None)
    assert isinstance(keys.of(value), int) and isinstance(keys.of(other), int)
    assert keys.of(value) != keys.of(other)


def test_folding_has_limits() -> None:
    assert constant(1 << (MAX_BITS - 1)).__class__ is Const and constant(1 << MAX_BITS).__class__ is Static
    assert fold(str.upper, "a" * (MAX_TEXT + 1)) is None
    assert fold(str.replace, "a" * 100, "a", "b" * 100).__class__ is Static
    assert fold(int, "x") is None
    for op, left, right in (("<<", 1, 10**12), ("**", 10, 10**10), ("*", "a", 10**12), ("%", b"%9999d", 1)):
        assert fold_operator(op, lambda a, b: pytest.fail("computed"), left, right).__class__ is Static


def test_a_root_that_needs_too_much_memory_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("LEAST_LIMIT", "ALLOWANCE"):
        monkeypatch.setattr(f"jitlint.analysis.machine.memory.{limit}", 0)
    text = HEAD + "@jax.jit\ndef long(x):\n" + "    y = x\n" * 3_000 + TAIL
    analysis = analyze(Project(write(tmp_path, text), Cache(None)))
    assert [each.reason for each in analysis.incomplete] == [TOO_MUCH_MEMORY]
    assert [event.construct for event in analysis.events] == ["ternary"]


def test_what_became_too_large_is_said(tmp_path: Path) -> None:
    analysis = analyze(Project(write(tmp_path, HEAD + DOUBLING["lists that get lists later"]), Cache(None)))
    assert [each.reason for each in analysis.incomplete] == [TOO_LARGE]


def test_labels_are_what_is_shown(tmp_path: Path) -> None:
    check(tmp_path, _whole(DOUBLING["arguments"]))
