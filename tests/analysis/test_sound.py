"""The sound mode leaves nothing out, and says what it rests on."""

from __future__ import annotations

from pathlib import Path

from programs import write

from jitlint.analysis.api import analyze
from jitlint.events.assumption import Confidence
from jitlint.project.cache import Cache
from jitlint.project.modules import Project

PROGRAM = """\
import jax
import jax.numpy as jnp
from elsewhere import load, settings

def plain(x):
    if load(x):
        return x

@jax.jit
def step(x):
    y = load(x)
    if y > 0:
        x = x + 1
    if settings.deep:
        x = x - 1
    z = jnp.where(y > 0, x, 0) + y
    if z[0]:
        x = -x
    if jnp.sin(x) + y > 1:
        x = 2 * x
    return jnp.zeros(load(3)), int(x), [v for v in range(settings.count)]
"""


def test_the_unknown_is_silent_unless_everything_is_wanted(tmp_path: Path) -> None:
    sources = write(tmp_path, PROGRAM)
    precise = analyze(Project(sources, Cache(None))).events
    sound = analyze(Project(sources, Cache(None)), sound=True).events
    assert [event.place.line for event in precise] == [17, 19, 21]
    assert all(event.confidence is not Confidence.POSSIBLE for event in precise)
    assert {(event.place.line, assumption.text) for event in sound for assumption in event.assumptions} == {
        (12, "`load(x)` is traced"),
        (14, "`settings.deep` is traced"),
        (14, "`settings.deep` is an array"),
        (21, "`load(3)` is traced"),
        (21, "`settings.count` is traced"),
    }
    assert {(e.place, e.kind) for e in precise} <= {(e.place, e.kind) for e in sound}


def test_what_is_certain_stays_certain(tmp_path: Path) -> None:
    sources = write(tmp_path, PROGRAM)
    precise = {(e.place, e.kind): e.confidence for e in analyze(Project(sources, Cache(None))).events}
    sound = {(e.place, e.kind): e.confidence for e in analyze(Project(sources, Cache(None)), sound=True).events}
    assert {key: sound[key] for key in precise} == precise
