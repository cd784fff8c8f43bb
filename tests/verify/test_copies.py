"""What a program passed to a function is kept as it was, whatever the program does with it later."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jitlint.verify.worker.inputs import copies
from jitlint.verify.worker.inputs.specs import describe_value


class Model:
    def __init__(self) -> None:
        self.table = jnp.ones((2, 3))
        self.parent = self


@dataclass(frozen=True)
class Config:
    sizes: list[int] = field(default_factory=lambda: [1, 2])


def is_own(cls: type) -> bool:
    return cls in (Model, Config)


def test_donated_arrays_are_kept() -> None:
    state = {"w": jnp.arange(3.0), "key": jax.random.key(0), "host": np.arange(2), "n": 3}
    stored = copies.stored(state, is_own, copies.Room())
    state["host"][0] = 7
    state["w"].delete()
    first, second = copies.fresh(stored, is_own), copies.fresh(stored, is_own)
    first["w"].delete()
    assert second["w"].tolist() == [0.0, 1.0, 2.0] and second["host"].tolist() == [0, 1] and second["n"] == 3
    assert describe_value(stored) == describe_value(second)


def test_what_is_gone_cannot_be_kept() -> None:
    array = jnp.ones(3)
    array.delete()
    with pytest.raises(copies.DonatedError):
        copies.stored([array], is_own, copies.Room())


def test_objects_are_copied_with_what_they_hold() -> None:
    model, config = Model(), Config()
    stored = copies.stored((model, config), is_own, copies.Room())
    model.table.delete()
    config.sizes.append(3)
    other, same = copies.fresh(stored, is_own)
    assert type(other) is Model and other.parent is other and other.table.shape == (2, 3)
    assert same == Config()


@jax.jit
def kept(x: Any, key: Any) -> Any:
    seen.append(copies.stored((x, key, 1.5), is_own, copies.Room()))
    return x


seen: list[Any] = []


def test_tracers_become_arrays_of_their_shape() -> None:
    kept(jnp.ones((2, 3), jnp.bfloat16), jax.random.key(0, impl="rbg"))
    x, key, number = copies.fresh(seen[-1], is_own)
    assert (x.shape, x.dtype, number) == ((2, 3), jnp.bfloat16, 1.5)
    assert str(jax.random.key_impl(key)) == "rbg"
    weak, _, _ = copies.fresh(_of_weak(), is_own)
    assert weak.weak_type


def _of_weak() -> Any:
    kept(1.0, jax.random.key(0))
    return seen[-1]


def test_containers_that_hold_themselves_end() -> None:
    cycle: list[Any] = [1]
    cycle += [cycle] * 50
    assert copies.fresh(copies.stored(cycle, is_own, copies.Room()), is_own)[0] == 1
    wide = list(range(2000))
    assert copies.stored(wide, is_own, copies.Room()) is wide


def test_where_there_is_no_room_left_arrays_are_kept_themselves() -> None:
    first, second = np.ones(100), np.ones(100)
    kept_first, kept_second = copies.stored([first, second], is_own, copies.Room(1000))
    assert kept_first is not first and kept_second is second
