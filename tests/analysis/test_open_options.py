"""Options that callers in view leave at their defaults: the other ways run, too, and what they lead to is likely."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from programs import check, events, findings, labels, write

from jitlint.analysis.machine.limits import UNITS_AT_FULL_COST, shares
from jitlint.analysis.machine.parts import TopChoice
from jitlint.analysis.program.other_ways import unlike_choices
from jitlint.analysis.values import UNKNOWN, Const, Option
from jitlint.analysis.values.args import Args
from jitlint.events.event import Confidence, EventKind
from jitlint.project.modules import Module
from jitlint.source.places import Span

FIXTURES = Path(__file__).parents[2] / "fixtures" / "rules"


def without_driver(name: str, rule: str = "JIT101_traced_branch") -> str:
    return (FIXTURES / rule / name).read_text().partition("if __name__")[0]


@pytest.mark.parametrize(
    "name", ["bad_offered_choices.py", "good_offered_choices.py", "bad_chosen_objects.py", "good_chosen_objects.py"]
)
def test_what_a_default_leaves_out_is_found_though_nothing_in_view_chooses_it(tmp_path: Path, name: str) -> None:
    check(tmp_path, without_driver(name))


def test_a_finding_on_another_way_names_the_option(tmp_path: Path) -> None:
    found = findings(write(tmp_path, without_driver("bad_offered_choices.py")))
    events = {finding.event.subject: finding.event for finding in found}
    assert "`rescale`" in events["peak > rescale"].assumptions[0].text
    assert events["step > 50"].assumptions[0].text == "`cool(config.temperature, count)` calls `stepwise_cooling`"
    assert {event.confidence for event in events.values()} == {Confidence.LIKELY}


def test_a_closure_or_an_object_that_may_be_called_is_as_likely_as_a_function_and_is_named(tmp_path: Path) -> None:
    found = findings(write(tmp_path, without_driver("bad_chosen_objects.py")))
    events = {finding.event.subject: finding.event for finding in found}
    closure, instance = events["height > settings.margin"], events["signal.mean() < self.level"]
    assert closure.assumptions[0].text == "`self.roof(height)` calls `stepped.roof`"
    assert instance.assumptions[0].text == "`part(signal)` calls a `Gate`"
    assert {closure.confidence, instance.confidence} == {Confidence.LIKELY}


@pytest.mark.parametrize("name", ["bad_chosen_update.py", "good_chosen_update.py"])
def test_one_of_the_values_that_a_body_may_return_does_not_fit(tmp_path: Path, name: str) -> None:
    program = without_driver(name, "JIT702_carry_changes")
    found = [event for event in events(tmp_path, program) if event.kind is EventKind.CARRY]
    expected = [line for _, line, _ in labels(write(tmp_path, program))]
    assert sorted(event.place.line for event in found) == expected
    texts = {
        "follow": "`move(track, push)` calls `slide`",
        "settle": "one of the values that the body may return",
    }
    for event in found:
        assert event.assumptions[0].text == texts[event.symbol.rpartition(".")[2]]


CALLED_FROM_TOP = """\
import jax
import jax.numpy as jnp


def smooth(x, kind="mean", width=3):
    if kind == "mean":
        return jnp.convolve(x, jnp.ones(width) / width)
    return float(x.max()) * x  # expect: JIT301


def run(x, kind="mean"):
    return jax.jit(lambda x: smooth(x, kind))(x)


run(jnp.ones(8))
"""


def test_what_a_module_calls_at_its_top_is_called_again(tmp_path: Path) -> None:
    check(tmp_path, CALLED_FROM_TOP)


SETTLED = """\
import jax
import jax.numpy as jnp


def scale(x, by=None):
    if by is None:
        return x
    if by > 1:
        return x / by
    return x * by


@jax.jit
def both(x):
    return scale(x) + scale(x, by=2.0)


def total(x):
    return both(x).sum()
"""


def test_an_option_is_not_taken_for_a_tracer(tmp_path: Path) -> None:
    check(tmp_path, SETTLED)


def test_sizes_are_no_options(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax
        import jax.numpy as jnp

        def grid(x, count=4):
            if count == 4:
                return x
            return float(x)

        @jax.jit
        def f(x):
            return grid(x)
        """,
    )


def test_each_entry_of_a_table_is_called(tmp_path: Path) -> None:
    entries = ", ".join(f'"smooth{number}": lambda x: x * {number}.0' for number in range(9))
    check(
        tmp_path,
        f"""\
        import jax

        def cubic(x):
            return x ** int(x[0])  # expect: JIT301

        KERNELS = {{{entries}, "cubic": cubic}}

        def build(kernel="smooth0"):
            return jax.jit(KERNELS[kernel])
        """,
    )


WHO_COMPUTES = """\
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np


def slopes(x, use_jax=True, clip=False):
    if use_jax:
        found = jnp.diff(x)
    else:
        found = np.diff(np.abs(x))
    if clip:
        return np.clip(found, 0, 1)  # expect: JIT303
    return found


@partial(jax.jit, static_argnames="clip")
def steepest(x, clip=False):
    return slopes(x, clip=clip).max()
"""


def test_an_option_that_says_whether_jax_computes_stays_as_it_is(tmp_path: Path) -> None:
    check(tmp_path, WHO_COMPUTES)


DONATED_LATER = """\
import jax
import jax.numpy as jnp

advance = jax.jit(lambda state, step: state + step, donate_argnums=0)


class Record:
    def __init__(self, state, title=None):
        self.shape = state.shape
        if title is not None:
            self.first = (title, state + 0)


state = jnp.ones(3)
record = Record(state)
for step in range(3):
    state = advance(state, float(step))
"""


def test_a_call_that_runs_again_comes_before_what_was_donated_since(tmp_path: Path) -> None:
    check(tmp_path, DONATED_LATER)


def test_names_in_a_list_are_a_choice(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import dataclasses
        from typing import Tuple

        import jax
        import jax.numpy as jnp

        class Clip:
            def apply(self, grads):
                return jnp.clip(grads, -1, 1)

        class Skip:
            def apply(self, grads):
                if jnp.isnan(grads).any():  # expect: JIT101
                    return jnp.zeros_like(grads)
                return grads

        FILTERS = {"clip": Clip, "skip": Skip}
        SEEN = []

        @dataclasses.dataclass
        class Settings:
            filters: Tuple[str, ...] = ("clip",)
            shown: list = dataclasses.field(default_factory=lambda: ["loss"])

        def make(settings):
            chain = [FILTERS[name]() for name in settings.filters]
            keep = "norm" in settings.shown

            @jax.jit
            def update(weights, grads):
                for part in chain:
                    grads = part.apply(grads)
                if keep:
                    norm = jnp.linalg.norm(grads)
                    SEEN.append(norm)  # expect: JIT503
                return weights - grads

            return update

        def main():
            make(Settings())(jnp.ones(3), jnp.ones(3))
            return SEEN[-1] + 1
        """,
    )


def test_a_number_of_one_turns_something_off_and_a_tracer_is_shown_to_nobody(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax
        import jax.numpy as jnp

        def train(batches, parts=1, size=64, verbose=False):
            def gradient(weights, batch):
                return jax.grad(lambda w: jnp.sum((batch @ w) ** 2))(weights)

            @jax.jit
            def update(weights, batch):
                if parts > 1:
                    grads = sum(gradient(weights, part) for part in jnp.split(batch, parts))
                    if jnp.isnan(grads).any():  # expect: JIT101
                        grads = jnp.zeros_like(weights)
                else:
                    grads = gradient(weights, batch)
                if size > 128:
                    assert grads.sum() < size
                if verbose:
                    print("tracing with", parts)
                    print(f"norm {jnp.linalg.norm(grads)}")  # expect: JIT504
                return weights - grads

            weights = jnp.ones(3)
            for batch in batches:
                weights = update(weights, batch)
            return weights

        def main():
            return train([jnp.ones((4, 3))])
        """,
    )


def test_what_an_option_changes_after_the_first_call_is_stale(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import dataclasses
        from functools import partial

        import jax
        import jax.numpy as jnp

        class Wave:
            def __init__(self, height):
                self.height = height

            @partial(jax.jit, static_argnums=0)
            def lift(self, water, time):
                return water + self.height * jnp.sin(time)  # expect: JIT501

        class Tide:
            def __init__(self, height):
                self.height = height

            @partial(jax.jit, static_argnums=0)
            def lift(self, water, time):
                return water + self.height * jnp.cos(time)

        def sail(stormy=False, spring=False):
            water = jnp.zeros(3)
            wave = Wave(1.0) if stormy else None
            tide = Tide(2.0)
            for hour in range(10):
                if wave is not None:
                    wave.height = 0.1 * hour
                    water = wave.lift(water, hour)
                if spring:
                    tide = Tide(3.0)
                water = tide.lift(water, hour)
            return water

        def main():
            return sail()
        """,
    )


def test_what_a_table_offers_keeps_its_level_through_a_transform(tmp_path: Path) -> None:
    sources = write(
        tmp_path,
        """
        import dataclasses

        import jax
        import jax.numpy as jnp
        import equinox as eqx

        @dataclasses.dataclass(frozen=True)
        class Fixed:
            size: float

            def adapt(self, step, error):
                return step

        @dataclasses.dataclass(frozen=True)
        class Capped:
            size: float

            def adapt(self, step, error):
                return min(step, self.size)

        def controller(name):
            return {"fixed": lambda: Fixed(0.1), "capped": lambda: Capped(0.1)}[name]()

        @eqx.filter_jit
        def integrate(y, control):
            def body(carry, _):
                y, step = carry
                return (y + step * y, control.adapt(step, jnp.abs(y).max())), None

            return jax.lax.scan(body, (y, jnp.float32(0.1)), None, length=3)[0]

        def main(name):
            return integrate(jnp.ones(3), controller(name))
        """,
    )
    [found] = findings(sources)
    assert found.code == "JIT110"
    assert [each.kind.value for each in found.event.assumptions] == ["offered-function"]


def test_classes_are_offered_that_modules_register_which_a_package_imports(tmp_path: Path) -> None:
    package = FIXTURES.parent / "projects" / "registries" / "gates"
    (found,) = findings(write(tmp_path, {f"gates/{file.name}": file.read_text() for file in package.glob("*.py")}))
    assert found.event.place.path.endswith("steep.py")
    assert found.event.assumptions[0].text == "`gate(signal)` calls a `Steep`"


def test_of_calls_that_leave_out_the_same_ways_two_are_made_again() -> None:
    """Examples of one library call it with the same options: two of them stand for all."""

    def choice(place: int, default: object) -> TopChoice:
        option = Option("checked", "run", names=False, declared=False)
        way = ((cast(Module, None), Span(place, place + 1)), True, False, frozenset[object]())
        return TopChoice(way[0][0], UNKNOWN, Args([]), Span(0, 1), {way: option}, 0, [(option, Const(default))], {})

    first, other, third = choice(4, True), choice(9, True), choice(4, 1)
    assert unlike_choices([first, first, other, first, third]) == [first, first, other, third]


def test_the_units_of_large_components_share_what_runs_again() -> None:
    assert [shares(units) for units in (1, UNITS_AT_FULL_COST, UNITS_AT_FULL_COST + 1)] == [1, 1, 2]
    assert shares(5 * UNITS_AT_FULL_COST) == 5
