"""Which keys of random numbers are used twice: through remembered calls, branches, and variables that change."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import events, labels, write

from jitlint.events.assumption import Confidence
from jitlint.events.event import EventKind

SET_UP = """
import jax

def draw(key, size):
    return jax.random.normal(key, (size, size))

def maker(seed):
    return jax.random.key(seed)
"""

PROGRAMS = {
    "a call that is remembered uses its key up, too": """
def twice(seed):
    key = jax.random.key(seed)
    return draw(key, 3) + draw(key, 3)  # expect: JIT851

twice(0)
""",
    "an element of a list is the variable that was put there": """
def listed(seed):
    first, second = maker(seed), jax.random.key(1)
    drawn = draw(second, 2)
    for key in (first, second):
        drawn += draw(key, 2)  # expect: JIT851
    return drawn

listed(0)
""",
    "each call of a remembered function gives another key": """
def pair(one, other):
    first = maker(one)
    second = maker(other)
    return draw(first, 3) + draw(second, 3)

pair(0, 1)
""",
    "each element is another key": """
def rows(keys):
    first, second = keys[0], keys[1]
    drawn = [draw(key, 2) for key in keys]
    for name, key in {"a": first, "b": second}.items():
        drawn.append(draw(key, 3))
    return drawn

rows(jax.random.split(jax.random.key(0), 2))
""",
    "what only one path uses up is possible": """
def perhaps(key, noisy):
    if noisy:
        draw(key, 2)
    return draw(key, 3)

perhaps(jax.random.key(0), bool(input()))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_uses_of_a_key(tmp_path: Path, name: str) -> None:
    program = SET_UP + PROGRAMS[name]
    found = [event for event in events(tmp_path, program) if event.kind is EventKind.KEY_REUSED]
    shown = [event.place.line for event in found if event.confidence is not Confidence.POSSIBLE]
    assert shown == [line for _, line, _ in labels(write(tmp_path, program))]
