"""Values are written as JSON and made again from it, alike but for their data."""

from __future__ import annotations

import collections
import enum
import fractions
import functools
import json
import pathlib
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx
from flax.core import FrozenDict
from flax.training.train_state import TrainState

from jitlint.verify.recorder.forms import form, is_whole
from jitlint.verify.worker.inputs.forms import FormError, spec
from jitlint.verify.worker.inputs.specs import build, describe


class Point(NamedTuple):
    x: Any
    y: Any = 2


@dataclass(frozen=True)
class Config:
    mode: str
    sizes: tuple[int, ...] = (1, 2)
    area: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "area", self.sizes[0] * self.sizes[1])


class Color(enum.Enum):
    RED = 1


class Slotted:
    __slots__ = ("gain",)

    def __init__(self, gain: float, more: int) -> None:
        self.gain = gain * more

    def scaled(self, x: Any) -> Any:
        return x * self.gain


def scaled_by(gain: float, *, power: int = 2) -> Any:
    def inner(x: Any, times: int = 3, *, shift: float = 0.5) -> Any:
        return gain * x**power * times + shift

    return inner


def again(value: Any) -> Any:
    written = json.loads(json.dumps(form(value)))
    assert is_whole(written)
    return build(spec(written, lambda name: None))


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        2.5,
        1j,
        "text",
        (),
        [1, (2, None)],
        {"a": 1, "b": {}},
        {3: 1, 4: 2},
        slice(1, None),
        range(9),
        Color.RED,
        Config("a", (3, 4)),
        jnp.float32,
        np.dtype("int8"),
        jax.nn.relu,
        jax.lax.Precision.HIGHEST,
        len,
        np.linalg,
        frozenset({1, 2}),
        collections.OrderedDict(b=1, a=2),
        np.float32(2.5),
        fractions.Fraction(1, 3),
        jax.ShapeDtypeStruct((2, 3), jnp.float32),
        pathlib.PurePosixPath("a/b"),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),  # no addresses: the same in every process
)
def test_static_values_come_back_equal(value: Any) -> None:
    made = again(value)
    assert made == value
    assert type(made) is type(value)


def test_arrays_come_back_with_dtype_shape_and_weakness_and_small_constants_with_their_values() -> None:
    for value in (
        jnp.ones((20, 3), jnp.bfloat16),
        jnp.asarray(2.0),
        np.zeros((2, 20), np.int32),
        jnp.arange(5, dtype=jnp.uint8),
    ):
        made = again(value)
        assert (made.dtype, made.shape, type(made)) == (value.dtype, value.shape, type(value))
        assert getattr(made, "weak_type", False) == getattr(value, "weak_type", False)
    np.testing.assert_array_equal(again(jnp.array([3, 1, 2])), [3, 1, 2])
    assert again(jax.random.split(jax.random.key(1, impl="rbg"), 4)).dtype == jax.random.key(0, impl="rbg").dtype


def test_what_is_traced_is_an_array_whatever_was_passed() -> None:
    seen: list[Any] = []
    jax.jit(lambda x, y: seen.extend([form(x), form(y)]))(2, jnp.ones(3))
    assert seen == [{"array": "int32", "shape": [], "weak": True}, {"array": "float32", "shape": [3]}]


def test_structures_keep_their_classes() -> None:
    values = [
        Point(jnp.ones(3), {"w": jnp.ones((2, 2))}),
        FrozenDict(a=jnp.ones(2)),
        jax.tree_util.Partial(jnp.sum, axis=0),
        eqx.nn.MLP(2, 3, 4, 1, key=jax.random.key(0)),
        optax.adam(1e-3).init({"w": jnp.ones(3)}),
        nnx.Linear(2, 3, rngs=nnx.Rngs(0)),
    ]
    for value in values:
        made = again(value)
        assert jax.tree.structure(made) == jax.tree.structure(value), value
        shapes = [[getattr(leaf, "shape", None) for leaf in jax.tree.leaves(one)] for one in (made, value)]
        assert shapes[0] == shapes[1]
    assert describe(spec(form(values[1]), lambda name: None)) == "FrozenDict(f32[2])"


def test_functions_come_back_with_what_they_close_over() -> None:
    value = scaled_by(1.5, power=3)
    assert again(value)(2.0) == value(2.0) == 1.5 * 8 * 3 + 0.5
    assert again(functools.partial(value, shift=1.0))(2.0) == 37.0
    assert again(Slotted(2.0, 3).scaled)(2.0) == 12.0


def test_a_training_state_can_be_used() -> None:
    model = nn.Dense(3)
    params = model.init(jax.random.key(0), jnp.ones((2, 4)))
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adamw(optax.cosine_decay_schedule(0.1, 10)))
    made = again(state)
    assert made.apply_fn(made.params, jnp.ones((2, 4))).shape == (2, 3)
    assert made.apply_gradients(grads=made.params).step == 1


def test_what_cannot_be_written_is_said() -> None:
    circle: list[Any] = [1]
    circle.append(circle)

    class Local:
        pass

    for value, words in (
        (circle, "list that holds itself"),
        (Local(), "a class inside a function"),
        (iter([1]), "instance of list_iterator"),
        (jax.sharding.PartitionSpec("x"), "instance of P"),
        ("x" * 5000, "instance of str"),
    ):
        written = form({"value": value})
        assert not is_whole(written)
        with pytest.raises(FormError, match=words):
            spec(written, lambda name: None)


def test_doubles_are_not_made_singles() -> None:
    with pytest.raises(FormError, match="needs jax_enable_x64"):
        spec({"array": "float64", "shape": [3]}, lambda name: None)
    assert build(spec({"array": "float64", "shape": [3], "host": True}, lambda name: None)).dtype == np.float64


@pytest.mark.parametrize(
    "written",
    [
        {},
        {"what": 1},
        {"array": "f99", "shape": "x"},
        {"call": "os:system", "arguments": [{"value": "true"}]},
        {"name": "no_such_module:f"},
        {"name": "math:nothing"},
        {"tuple": 3},
        {"function": "json:dumps", "line": 1, "cells": []},
    ],
    ids=json.dumps,
)
def test_what_was_not_written_by_us_is_an_error_and_runs_nothing(written: dict[str, Any]) -> None:
    with pytest.raises(FormError):
        spec(written, lambda name: None)
