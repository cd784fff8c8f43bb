"""What calls get that was kept for another value: such values are told apart by what is in them."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy
import pytest

from jitlint.verify.worker.watching.kept import KeptCall, mistaken


class Settings:
    def __init__(self, rate: float) -> None:
        self.rate = rate


class Incomparable:
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise TypeError("cannot be compared")

    __hash__ = None  # type: ignore[assignment]


def donated() -> jax.Array:
    """An array whose buffer is gone."""
    array = jnp.ones(3)
    array.delete()
    return array


def scaled(rate: float) -> Any:
    def scale(x: Any) -> Any:
        return rate * x if rate else again(x)

    again = scale
    return scale


def unbound() -> Any:
    """A function that reads a variable which has no value yet."""

    def read() -> Any:
        return later

    unbound_yet = read
    if unbound_yet is None:
        later = 1
    return unbound_yet


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        (Settings(1.0), Settings(2.0), True),
        (Settings(1.0), Settings(1.0), False),
        (jax.random.key(0), jax.random.key(1), True),
        (jax.random.key(0), jax.random.key(0), False),
        (jnp.ones(3), numpy.ones(3), True),
        (jnp.ones(3), jnp.zeros(3), True),
        (numpy.ones(3), numpy.ones(3), False),
        (donated(), jnp.ones(3), False),
        (Incomparable(), Incomparable(), False),
        (partial(max, 1), partial(max, 2), True),
        (Settings(1.0).__init__, Settings(2.0).__init__, True),
        (scaled(1.0), scaled(2.0), True),
        (scaled(1.0), scaled(1.0), False),
        (unbound(), unbound(), False),
        ({"a": [1]}, {"a": [2]}, True),
        ((1, 2), (1, 2, 3), True),
    ],
)
def test_what_the_key_leaves_out_is_compared_by_content(one: object, other: object, differ: bool) -> None:
    program = object()
    calls = [KeptCall(program, one), KeptCall(program, other)]

    assert mistaken(calls) == ((calls[0], calls[1]) if differ else None)


def test_another_program_for_another_value_is_right() -> None:
    assert mistaken([KeptCall(object(), 1), KeptCall(object(), 2)]) is None


def test_what_could_not_be_read_says_nothing() -> None:
    program = object()

    assert mistaken([KeptCall(program, ...), KeptCall(program, 2)]) is None
