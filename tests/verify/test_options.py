"""Options are changed where a program has them: in texts that it reads, in objects, in what results lead to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from making import source

from jitlint.pipeline import find
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions
from jitlint.verify.worker.search import settings_texts

PROGRAM = """\
import dataclasses
import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass(frozen=True)
class Filter:
    kind: str = "mean"
    place: str = "host"


@dataclasses.dataclass(frozen=True)
class Config:
    filter: Filter = Filter()
    rounds: int = 3


def mean(x):
    return x / x.shape[0]


def cut(x):
    if x.shape != (16, 5):
        raise ValueError("not the shape of the program")
    y = x.copy()
    y[0] = 0.0  # by a field of an object, where another says that it is traced
    return y


FILTERS = {"mean": mean, "cut": cut}


def get_filter(kind):
    return FILTERS[kind]


def plain(x, low):
    return jnp.maximum(x, low)


def checked(x, low):
    return x if x.sum() > low else -x  # by a word in a text


LIMITS = {"plain": plain, "checked": checked}


class Store:
    def __init__(self, size):
        self.rows = jnp.zeros((16, 5))
        self.count = jnp.int32(0)
        self.size = size

    def add(self, row):
        self.rows, self.count = added(self.rows, self.count, row)

    def ready(self):
        return int(self.count) >= self.size


@jax.jit
def added(rows, count, row):
    return rows.at[count].set(row), count + 1


def make_step(config, limit):
    on_device = config.filter.place == "device"
    filtered = get_filter(config.filter.kind) if on_device else None

    @jax.jit
    def step(x):
        if x.shape != (16, 5):
            raise ValueError("not the shape of the program")
        return limit(x if filtered is None else filtered(x), 0.0)

    return step, None if on_device else get_filter(config.filter.kind)


@jax.jit
def summary(rows):
    if rows.shape != (16, 5):
        raise ValueError("not the shape of the program")
    return float(rows.sum())  # once there is enough


def main():
    options = json.loads(pathlib.Path(__file__).with_name("options.json").read_text())
    step, before = make_step(Config(), LIMITS[options["limit"]])
    store = Store(options["size"])
    for round in range(6):
        store.add(np.ones(5, np.float32) * round)
        step(store.rows if before is None else before(np.asarray(store.rows)))
        if store.ready():
            summary(store.rows)


if __name__ == "__main__":
    main()
"""


@pytest.mark.slow
def test_options_are_changed_where_the_program_has_them(tmp_path: Path) -> None:
    (tmp_path / "options.json").write_text('{"limit": "plain", "size": 3}')
    files = [source(tmp_path / "program.py", PROGRAM)]
    lines = {at for at, text in enumerate(PROGRAM.splitlines(), 1) if "  # " in text}
    found = verify(list(find(files).findings), files, VerifyOptions())
    verdicts = {each.event.place.line: each.verdict for each in found}
    assert verdicts.keys() == lines
    assert {verdict.status for verdict in verdicts.values() if verdict} == {"confirmed"}, verdicts
    assert {verdict.evidence["inputs_from"] for verdict in verdicts.values() if verdict} == {"program"}, verdicts


def test_settings_in_texts_are_noted_and_changed() -> None:
    text = '{"solver": {"name": "euler", "steps": 4}, "grid": {"name": "uniform"}, "rows": [[1, 2]], "any name": 1}'
    noted = {}
    with settings_texts.noted(lambda name, value, choices: noted.setdefault(name, value), {"name": "heun"}):
        changed = json.loads(text)
    assert noted == {"name": "euler", "steps": 4}
    assert changed["solver"] == {"name": "heun", "steps": 4} and changed["grid"] == {"name": "uniform"}
    assert json.loads(text)["solver"]["name"] == "euler"


def test_data_is_no_setting() -> None:
    text, noted = json.dumps([{"value": at} for at in range(1000)]), []
    with settings_texts.noted(lambda name, value, choices: noted.append(name), {"value": -1}):
        assert json.loads(text)[3] == {"value": 3}
    assert not noted
