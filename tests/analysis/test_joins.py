"""Joins, widening and keys of abstract values."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check

from jitlint.analysis.values import (
    FALSE,
    FLOAT,
    INT,
    NEVER,
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    Dict,
    External,
    HostArray,
    JaxArray,
    List,
    Sequence,
    Static,
    Traced,
    Tuple,
    Union,
    Value,
)
from jitlint.analysis.values.call_keys import CallKeys
from jitlint.analysis.values.flow import source
from jitlint.analysis.values.joins import (
    MAX_ALTERNATIVES,
    alternatives,
    join,
    join_all,
    join_if_told_apart,
    widen,
)
from jitlint.analysis.values.keys import may_be_text
from jitlint.project.modules import Module
from jitlint.source.places import Span
from jitlint.source.text import SourceFile

MODULE = Module(SourceFile(Path("a.py"), "a.py", "x"), "a", Path(), given=True)
KEYS = CallKeys()
ARRAY, HOST = JaxArray("float", 1), HostArray("float", 1)


def traced(depth: int = 1, **facts: object) -> Traced:
    return Traced(source(MODULE, Span(0, 1), "argument", "argument"), depth, **facts)  # type: ignore[arg-type]


VALUES: list[Value] = [
    NONE, TRUE, Const(1), Const("a"), INT, FLOAT, traced(), ARRAY, HOST, Tuple((Const(1), TRUE)),
    Sequence("tuple", INT), External("jax.numpy"), List("list", Tuple((NONE,)), 0, (), None),
    Dict({"a": TRUE}, NEVER, 0, (), None),
]  # fmt: skip


def _numbered(value: Value) -> str:
    """A name that is the same in every process: objects with identity show their address."""
    return f"{type(value).__name__}-{VALUES.index(value)}"


@pytest.mark.parametrize("value", VALUES, ids=_numbered)
def test_never_is_neutral_and_unknown_absorbs(value: Value) -> None:
    assert join(value, NEVER) is value
    assert join(NEVER, value) is value
    assert join(value, value) is value
    assert join(value, UNKNOWN) is UNKNOWN
    assert join(UNKNOWN, value) is UNKNOWN


@pytest.mark.parametrize("a", VALUES, ids=_numbered)
@pytest.mark.parametrize("b", VALUES, ids=_numbered)
def test_joins_do_not_depend_on_the_order(a: Value, b: Value) -> None:
    ab, ba = join(a, b), join(b, a)
    assert {KEYS.of(part) for part in alternatives(ab)} == {KEYS.of(part) for part in alternatives(ba)}
    assert KEYS.of(join(ab, a)) == KEYS.of(ab)
    assert KEYS.of(join(ab, b)) == KEYS.of(ab)


def test_equal_constants_stay_others_become_their_type() -> None:
    assert KEYS.of(join(Const(2), Const(2))) == KEYS.of(Const(2))
    assert KEYS.of(join(Const(2), Const(3))) == KEYS.of(INT)
    assert {part.value for part in alternatives(join(TRUE, FALSE)) if isinstance(part, Const)} == {True, False}
    assert len(alternatives(join(Const("a"), Const("b")))) == 2


def test_tuples_join_element_by_element() -> None:
    joined = join(Tuple((Const(1), NONE)), Tuple((Const(1), traced())))
    assert isinstance(joined, Tuple)
    assert KEYS.of(joined.elements[0]) == KEYS.of(Const(1))
    assert len(alternatives(joined.elements[1])) == 2


def test_tuples_of_different_lengths_become_sequences() -> None:
    joined = join(Tuple((Const(1),)), Tuple((Const(1), Const(2))))
    assert isinstance(joined, Sequence)
    assert KEYS.of(joined.element) == KEYS.of(INT)


def test_sequences_keep_the_length_that_all_have_at_least() -> None:
    long = join(Tuple((INT, INT, INT)), Sequence("tuple", INT, 2))
    assert isinstance(long, Sequence) and long.least == 2
    shorter = join(long, Tuple((INT,)))
    assert isinstance(shorter, Sequence) and shorter.least == 1
    assert KEYS.of(long) != KEYS.of(shorter)


def test_traced_facts_are_kept_where_they_agree() -> None:
    joined = join(traced(dtype="float", rank=1, param="x"), traced(dtype="float", rank=2, param="y"))
    assert isinstance(joined, Traced)
    assert (joined.dtype, joined.rank, joined.param) == ("float", None, "")
    mixed = join(traced(concrete=True, from_shape=True), traced(tree=True))
    assert isinstance(mixed, Traced)
    assert (mixed.concrete, mixed.tree, mixed.from_shape) == (False, True, False)


def test_the_deeper_tracer_wins() -> None:
    joined = join(traced(1), traced(2))
    assert isinstance(joined, Traced)
    assert joined.depth == 2


def test_too_many_alternatives_are_unknown_unless_one_is_traced() -> None:
    many = [Const(letter) for letter in "abcdefghij"[: MAX_ALTERNATIVES + 1]]
    assert join_all(many) is UNKNOWN
    assert isinstance(join_all([*many[:-1], traced()]), Traced)


def test_widening_forgets_constants() -> None:
    assert KEYS.of(widen(Const(3))) == KEYS.of(INT)
    assert widen(TRUE) is TRUE
    assert widen(NONE) is NONE
    widened = widen(Tuple((Const(3), Const(2.0))))
    assert KEYS.of(widened) == KEYS.of(Tuple((INT, FLOAT)))
    united = widen(Union((Const(1), NONE)))
    assert {KEYS.of(part) for part in alternatives(united)} == {KEYS.of(INT), KEYS.of(NONE)}


def test_keys_tell_apart_what_decides_a_call() -> None:
    different = [
        NONE, TRUE, FALSE, Const(0), Const(0.0), Const("0"), INT, FLOAT, Static("str"), ARRAY, HOST, JaxArray("int", 1),
        traced(), traced(2), traced(concrete=True), traced(tree=True), traced(rank=1), Tuple(()), Tuple((NONE,)),
        Sequence("tuple", NONE), List("list", Tuple((NONE,)), 0, (), None), List("set", Tuple((NONE,)), 0, (), None),
        Dict({"a": NONE}, NEVER, 0, (), None), Dict({"b": NONE}, NEVER, 0, (), None), External("jax"), UNKNOWN,
    ]  # fmt: skip
    keys = [KEYS.of(value) for value in different]
    assert len(set(keys)) == len(keys)


def test_keys_are_of_content_not_of_identity() -> None:
    one = List("list", Tuple((Const(1), NONE)), 0, (), None)
    other = List("list", Tuple((Const(1), NONE)), 0, (), None)
    assert KEYS.of(one) == KEYS.of(other)


def test_keys_of_deep_values_end() -> None:
    """Although the tree of their parts has more nodes than could ever be visited."""
    one: Value = NONE
    other: Value = TRUE
    for _ in range(60):
        one, other = Tuple((one, one)), Tuple((other, other))
    assert hash(KEYS.of(one)) == hash(KEYS.of(Tuple(one.elements)))
    assert KEYS.of(other) is not None


def test_numbers_and_arrays_that_a_test_tells_apart_are_unknown() -> None:
    assert join_if_told_apart(FLOAT, ARRAY) is UNKNOWN
    assert join_if_told_apart(Const(3), ARRAY) is UNKNOWN
    pair = join_if_told_apart(Tuple((INT, NONE)), Tuple((ARRAY, NONE)))
    assert isinstance(pair, Tuple) and pair.elements == (UNKNOWN, NONE)
    assert alternatives(join_if_told_apart(NONE, ARRAY)) == (NONE, ARRAY)
    assert alternatives(join_if_told_apart(FLOAT, HOST)) == (FLOAT, HOST)
    assert join_if_told_apart(INT, Const(3)) is INT


def test_what_may_be_text() -> None:
    assert may_be_text(Const("a"))
    assert may_be_text(Static("str"))
    assert may_be_text(join(Const("a"), INT))
    assert not may_be_text(Const(b"a"))
    assert not may_be_text(UNKNOWN)
    assert not may_be_text(ARRAY)


def test_a_list_of_many_layers_stays_known(tmp_path: Path) -> None:
    """A network has more kinds of layers than a value has alternatives otherwise."""
    names = ["Dense", "Norm", "Relu", "Pool", "Mean", "Drop", "Gate", "Head"]
    classes = "".join(f"\nclass {name}:\n    def apply(self, x):\n        return x\n" for name in names[:-1])
    program = f"""\
import jax
{classes}
class Head:
    def apply(self, x):
        if x > 0:  # expect: JIT101
            return x
        return -x

class Net:
    def __init__(self):
        layers = []
        layers += [{", ".join(f"{name}()" for name in names)}, Relu()]
        self.layers = layers

    def apply(self, x):
        for layer in self.layers:
            x = layer.apply(x)
        return x

net = Net()
jax.jit(net.apply)(1.0)
"""
    check(tmp_path, program)
