"""What may be called: functions that the code offers in one place, and those that only meet in one object."""

from __future__ import annotations

from pathlib import Path

import pytest

from jitlint.events.assumption import AssumptionKind, Confidence
from tests.analysis.programs import check, events

FUNCTIONS = """\
import jax
import jax.numpy as jnp


def smooth(x):
    return jnp.tanh(x)


def hard(x):
    if x.sum() > 0:
        return x
    return -x


def soft(x):
    return jax.nn.softplus(x)
"""

OFFERS = {
    "a table": """
TABLE = {"smooth": smooth, "hard": hard}

def chosen(kind):
    return TABLE[kind]
""",
    "a table that may lack it": """
TABLE = {"smooth": smooth, "hard": hard}

def chosen(kind):
    return TABLE.get(kind, smooth)
""",
    "an expression": """
def chosen(kind):
    return hard if kind == "hard" else smooth
""",
    "returns": """
def chosen(kind):
    if kind == "hard":
        return hard
    elif kind == "soft":
        return soft
    return smooth
""",
    "assignments": """
def chosen(kind):
    if kind == "hard":
        found = hard
    else:
        found = smooth
    return found
""",
    "match": """
def chosen(kind):
    match kind:
        case "hard":
            found = hard
        case _:
            found = smooth
    return found
""",
}

USE = """
def run(kind, x):
    activation = chosen(kind)
    return jax.jit(lambda x: activation(x))(x)
"""


@pytest.mark.parametrize("offer", OFFERS.values(), ids=OFFERS)
def test_each_of_what_the_code_offers_is_likely_called(tmp_path: Path, offer: str) -> None:
    (event,) = events(tmp_path, FUNCTIONS + offer + USE)
    assert [each.kind for each in event.assumptions] == [AssumptionKind.OFFERED_FUNCTION]
    assert event.confidence is Confidence.LIKELY


MET = """
class Box:
    pass


box = Box()
box.function = smooth


def change(count):
    if count > 3:
        box.function = hard


def main(x, count):
    change(count)
    return jax.jit(lambda x: box.function(x))(x)
"""


def test_what_only_meets_in_an_object_is_called_at_most_possibly(tmp_path: Path) -> None:
    (event,) = events(tmp_path, FUNCTIONS + MET)
    assert AssumptionKind.ONE_OF_FUNCTIONS in [each.kind for each in event.assumptions]
    assert event.confidence is Confidence.POSSIBLE


LAYERS = """\
import jax


class Same:
    def __call__(self, x):
        return x


class Gate:
    def __call__(self, x):
        if x > 0:  # expect: JIT101
            return x
        return -x


layers = [Same(), Gate(), *[Same() for _ in range(30)]]


@jax.jit
def run(x):
    for layer in layers:
        x = layer(x)
    return x


run(1.0)
"""


def test_a_loop_calls_each_of_the_objects_that_it_goes_over(tmp_path: Path) -> None:
    check(tmp_path, LAYERS)


BACKENDS = {
    "settings.py": """\
        import os

        name = os.environ.get("BACKEND", "jax")
        """,
    "on_jax.py": """\
        import jax.numpy as jnp

        def total(x):
            return jnp.sum(x)
        """,
    "on_host.py": """\
        import numpy as np

        def total(x):
            return np.asarray(x).sum()
        """,
    "backend.py": """\
        import settings

        if settings.name == "jax":
            from on_jax import *
        elif settings.name == "host":
            from on_host import *
        else:
            raise ValueError(settings.name)
        """,
    "program.py": """\
        import jax

        import backend

        @jax.jit
        def step(x):
            return x - backend.total(x)

        step(1.0)
        """,
}

CHOSEN_LATER = """\
    import jax

    def chosen(name):
        if name == "jax":
            from on_jax import total
        else:
            from on_host import total
        return total

    def main(name):
        total = chosen(name)
        return jax.jit(lambda x: x - total(x))(1.0)
    """


def test_the_backend_that_a_module_imports_is_not_one_of_all_on_offer(tmp_path: Path) -> None:
    (event,) = events(tmp_path, BACKENDS)
    assert event.place.path == "on_host.py"
    assert event.confidence is Confidence.POSSIBLE
    function_level = {**BACKENDS, "program.py": CHOSEN_LATER}
    assert [each.confidence for each in events(tmp_path, function_level)] == [Confidence.LIKELY]
