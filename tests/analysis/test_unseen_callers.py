"""Programs whose callers are not in view: what they hand over is what the code asks of it, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check

FIXTURES = Path(__file__).parents[2] / "fixtures" / "rules"


@pytest.mark.parametrize(
    "fixture",
    [
        "JIT101_traced_branch/bad_only_class_that_fits.py",
        "JIT501_stale_state/bad_changed_between_calls.py",
        "JIT503_leaked_tracer/bad_observers.py",
        "JIT101_traced_branch/bad_options_passed_on.py",
        "JIT403_unhashable_static/bad_settings_unseen.py",
        "JIT406_loop_variable_static/bad_filter_jit_step.py",
        "JIT604_invalid_argument/bad_settings_objects.py",
        "JIT604_invalid_argument/good_objects_that_fit.py",
        "JIT604_invalid_argument/bad_modules_of_functions.py",
        "JIT604_invalid_argument/good_modules_of_arrays.py",
        "JIT501_stale_state/bad_mask_in_place.py",
        "JIT501_stale_state/bad_changed_before_each_call.py",
        "JIT501_stale_state/bad_schedule_of_attribute.py",
        "JIT702_carry_changes/bad_struct_fields.py",
        "JIT702_carry_changes/good_struct_fields.py",
        "JIT703_branches_differ/bad_values_as_branches.py",
        "JIT801_use_after_donation/bad_donated_states.py",
        "JIT801_use_after_donation/good_donated_states.py",
        "JIT801_use_after_donation/bad_best_of_a_loop.py",
        "JIT801_use_after_donation/bad_methods_of_states.py",
        "JIT101_traced_branch/bad_template_method.py",
        "JIT102_traced_while/bad_parts_of_dataclasses.py",
        "JIT105_traced_boolean_operator/bad_overriding_method.py",
        "JIT106_traced_comparison_chain/bad_parts_of_scenes.py",
        "JIT203_boolean_mask_index/bad_entries_of_tables.py",
        "JIT305_sequence_indexed_by_traced/bad_declared_containers.py",
        "JIT306_traced_hash/bad_declared_dict.py",
        "JIT306_traced_hash/bad_default_table.py",
        "JIT307_traced_format/bad_optional_log.py",
        "JIT403_unhashable_static/bad_declared_list.py",
        "JIT503_leaked_tracer/bad_kept_on_one_way.py",
        "JIT503_leaked_tracer/bad_kept_factorization.py",
        "JIT506_host_rng_while_tracing/bad_one_of_two_samplers.py",
        "JIT602_outer_iterator/bad_iterator_from_elsewhere.py",
        "JIT604_invalid_argument/bad_declared_texts.py",
        "JIT604_invalid_argument/good_declared_texts.py",
        "JIT702_carry_changes/good_overriding_observations.py",
        "JIT703_branches_differ/bad_registered_branch.py",
        "JIT705_scan_lengths/bad_axis_by_option.py",
        "JIT709_open_loop/bad_chosen_objective.py",
    ],
)
def test_fixtures_are_found_without_their_drivers(tmp_path: Path, fixture: str) -> None:
    check(tmp_path, (FIXTURES / fixture).read_text().partition("if __name__")[0])


def test_each_of_two_classes_of_one_module_fits(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax

        class Host:
            def potential(self, x):
                return float(x)  # expect: JIT301

        class Device:
            def potential(self, x):
                return x

        def run(model, x):
            return jax.jit(lambda x: model.potential(x))(x)
        """,
    )


def test_classes_of_several_modules_that_fit_tell_nothing(tmp_path: Path) -> None:
    check(
        tmp_path,
        {
            "host.py": """\
                class Host:
                    def potential(self, x):
                        return float(x)
            """,
            "device.py": """\
                class Device:
                    def potential(self, x):
                        return x
            """,
            "run.py": """\
                import jax
                from device import Device
                from host import Host

                def run(model, x):
                    return jax.jit(lambda x: model.potential(x))(x)
            """,
        },
    )


def test_a_common_name_tells_the_class_within_its_module_only(tmp_path: Path) -> None:
    check(
        tmp_path,
        {
            "filters.py": """\
                import jax

                class Filter:
                    def advance(self, x):
                        return x * 2

                    def step(self, x):
                        return jax.jit(self.advance)(x)  # expect: JIT402

                def track(tracker, xs):
                    return [tracker.step(x) for x in xs]
            """,
            "other.py": """\
                import jax
                import filters

                class Solver:
                    def run(self, x):
                        return jax.jit(lambda y: y + x)(x)

                def drive(environment, xs):
                    for x in xs:
                        environment.reset(x)
                    return filters.track
            """,
        },
    )


SETTINGS = """\
import dataclasses
import jax
import jax.numpy as jnp
{imports}

{decorator}
class Settings:
    steps: int = 10
    axis: int = 2
    width: int = 3

    @property
    def doubled(self):
        return 2 * self.width

@jax.jit
def shift(window{annotation}, x):
    if window.axis > 0:{label}
        return x
    return x + window.{other}
"""


@pytest.mark.parametrize("other", ["width", "doubled"])
@pytest.mark.parametrize("annotation", ["", ": Settings", ": Any"])
def test_a_class_that_has_all_that_is_asked_is_guessed(tmp_path: Path, other: str, annotation: str) -> None:
    imports, decorator = "from typing import Any", "@jax.tree_util.register_dataclass\n@dataclasses.dataclass"
    label = "  # expect: JIT101"
    check(tmp_path, SETTINGS.format_map(locals()))


@pytest.mark.parametrize(
    ("decorator", "annotation", "other"),
    [
        pytest.param("@dataclasses.dataclass", "", "width", id="no pytree"),
        pytest.param("@jax.tree_util.register_dataclass\n@dataclasses.dataclass", "", "starts", id="another attribute"),
        pytest.param(
            "@jax.tree_util.register_dataclass\n@dataclasses.dataclass", ": Window", "width", id="another annotation"
        ),
    ],
)
def test_a_class_that_does_not_fit_is_not_guessed(tmp_path: Path, decorator: str, annotation: str, other: str) -> None:
    imports, label = "from elsewhere import Window", ""
    check(tmp_path, SETTINGS.format_map(locals()))


DECLARED = {
    "an unknown argument": """
        def fitted(path, x):
            return apply(load(path), x)
        """,
    "one of two objects, of which one fits": """
        class Shift:
            def __call__(self, x):
                return x

        def fitted(flag, x):
            return apply(Limit(2.0) if flag else Shift(), x)
        """,
    "a forward reference": """
        def fitted(path, x):
            return later(load(path), x)
        """,
}


@pytest.mark.parametrize("how", DECLARED)
def test_an_annotation_tells_what_the_call_leaves_open(tmp_path: Path, how: str) -> None:
    program = """
        import jax
        from storage import load

        class Limit:
            def __init__(self, most: float):
                self.most = most

            def clip(self, x):
                if x > self.most:  # expect: JIT101
                    return self.most
                return x

        def apply(limit: Limit, x):
            return jax.jit(limit.clip)(x)

        def later(limit: "Limit", x):
            return jax.jit(lambda y: limit.clip(y))(x)
        {}
        """
    check(tmp_path, program.format(DECLARED[how]))


def test_what_lacks_an_attribute_is_not_what_it_is_read_from(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax

        class Ball:
            def __init__(self):
                self.spin = 2.0

        class Cube:
            def __init__(self):
                self.edge = 1

        def pick(kind):
            return {"ball": Ball, "cube": Cube}[kind]()

        @jax.jit
        def turned(x, kind=None):
            return x

        def run(kind, x):
            body = pick(kind)
            @jax.jit
            def spun(x):
                if body.spin * x > 3:  # expect: JIT101
                    return x
                return -x
            return spun(x)
        """,
    )
