"""What `reveal_stage` and the watch on a line show."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import write

from jitlint import reveal_stage
from jitlint.analysis.api import analyze, reveal
from jitlint.analysis.machine.reveal import NoStatementError
from jitlint.analysis.values import Const, DictView, Tuple
from jitlint.analysis.values.descriptions import describe, summarize
from jitlint.events.revealed import Revealed
from jitlint.project.cache import Cache
from jitlint.project.modules import Project

PROGRAM = """
    import jax

    scale = 2.0


    @jax.jit
    def step(x, n=3):
        y = x * n  # bound here
        if n > 2:
            y = helper(y)
        return y


    def helper(
        v,
        times=2,
    ):
        total = 0
        for i in range(times):

            total = total + i
        return [w * scale for w in (v, total)]


    step(1.0)
    helper(4)
    """


def at(folder: Path, text: str, name: str = "", program: str = PROGRAM) -> dict[tuple[str, str], str]:
    """What is revealed on the line that holds a text: by name and context."""
    (source,) = write(folder, program)
    line = next(number for number, found in enumerate(source.text.splitlines(), 1) if text in found)
    found = reveal([source], source, line, name).revealed
    assert all(each.place.line <= line for each in found)
    return {(each.expression, each.context): each.text for each in found}


def revealed(folder: Path, program: str) -> list[Revealed]:
    return list(analyze(Project(write(folder, program), Cache(None))).revealed)


JITTED = "under jax.jit of `step`"


def test_names_bound_on_the_line_are_shown_as_bound_others_as_they_come(tmp_path: Path) -> None:
    assert at(tmp_path, "# bound here") == {
        ("x", JITTED): "Traced float[] weak ← argument `x` of `step`",
        ("n", JITTED): "Static int 3",
        ("y", JITTED): "Traced float[] weak ← argument `x` of `step`",
    }


def test_each_context_has_its_own_answer(tmp_path: Path) -> None:
    assert at(tmp_path, "total = total + i", "total") == {
        ("total", JITTED): "Static int",
        ("total", "not traced"): "Static int",
    }
    assert at(tmp_path, "total = total + i", "v") == {
        ("v", JITTED): "Traced float[] weak ← argument `x` of `step`",
        ("v", "not traced"): "Static int 4",
    }


@pytest.mark.parametrize("line", ["def helper(", "    v,", "    times=2,"])
def test_a_definition_shows_its_parameters(tmp_path: Path, line: str) -> None:
    found = at(tmp_path, line)
    assert found["v", "not traced"] == "Static int 4"
    assert found["times", "not traced"] == "Static int 2"
    assert ("scale", "not traced") not in found


def test_a_comprehension_shows_its_own_variables(tmp_path: Path) -> None:
    found = at(tmp_path, "for w in (v, total)")
    assert found["w", "not traced"] == "Static int"
    assert found["w", JITTED] == "Traced float[] weak ← argument `x` of `step` | Static int 1"


def test_outer_names_are_shown_when_asked_for(tmp_path: Path) -> None:
    assert at(tmp_path, "return [w", "scale") == {
        ("scale", JITTED): "Static float 2.0",
        ("scale", "not traced"): "Static float 2.0",
    }


def test_a_line_without_a_statement_names_the_nearest(tmp_path: Path) -> None:
    (source,) = write(tmp_path, PROGRAM)
    lines = source.text.splitlines()
    for line, nearest in ((999, (len(lines),)), (lines.index("") + 3, (2, 4)), (1, (2,))):
        with pytest.raises(NoStatementError) as caught:
            reveal([source], source, line)
        assert caught.value.nearest == nearest


def test_what_nothing_runs_shows_nothing(tmp_path: Path) -> None:
    program = """
        def never(x):
            if False:
                y = x
            return x
        """
    assert at(tmp_path, "y = x", program=program) == {}
    assert at(tmp_path, "return x", program=program) == {("x", "not traced"): "Unknown"}


def test_the_program_is_left_as_it_was(tmp_path: Path) -> None:
    found = revealed(
        tmp_path,
        """
        import jax
        from jitlint import reveal_stage

        @jax.jit
        def step(x):
            if reveal_stage(x) > 0:
                return x
            return reveal_stage(x=x, ) + reveal_stage()
        """,
    )
    assert [(each.expression, each.stage) for each in found] == [("x", "traced"), ("x", "traced")]
    assert reveal_stage(found) is found


def test_later_changes_do_not_show(tmp_path: Path) -> None:
    found = revealed(
        tmp_path,
        """
        import jax

        def fill(n):
            items = []
            reveal_stage(items)
            items.append(n)
            reveal_stage(items)
            for i in range(100):
                items.append(i)
            reveal_stage(items)
            table = {"a": 1}
            reveal_stage(table)
            table["a"] = n

        fill(2.5)
        """,
    )
    assert [each.text for each in found][:3] == [
        "Static list []",
        "Static list [float 2.5]",
        "Static list [number, …]",
    ]
    assert found[3].text == "Static dict {'a': int 1}"


def test_contexts_name_all_transformations(tmp_path: Path) -> None:
    found = revealed(
        tmp_path,
        """
        import jax

        def body(carry, x):
            reveal_stage(carry)
            return carry + x, x

        @jax.jit
        def step(xs):
            return jax.vmap(lambda row: jax.lax.scan(body, 0.0, row))(xs)

        body(1, 2)
        jax.grad(lambda v: body(v, v)[0])(2.0)
        """,
    )
    assert {each.context: each.stage for each in found} == {
        "not traced": "static",
        "under jax.grad": "traced",
        "under jax.jit of `step` > jax.vmap > jax.lax.scan": "traced",
    }


def test_stages_that_depend_on_the_path_are_mixed(tmp_path: Path) -> None:
    (found,) = revealed(
        tmp_path,
        """
        import jax

        @jax.jit
        def step(x, flags):
            y = x if len(flags) > 2 else None
            return reveal_stage(y)
        """,
    )
    assert (found.stage, found.symbol) == ("mixed", "program.step")
    assert found.text == "Traced pytree ← argument `x` of `step` | Static None"


def test_containers_that_are_nested_too_deeply_are_named_without_their_parts() -> None:
    one = Const(1)
    assert describe(summarize(Tuple((one,)), 0)) == "Static tuple (…)"
    assert describe(summarize(DictView((one,)), 0)) == "Static view (…)"
