"""What is written by hand about arrays and transforms, against what JAX answered."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("jax")

from jitlint.models.generated import generated
from jitlint.models.loading import models, own_files
from jitlint.models.rules import result_kind
from tools.ask_jax import files, surface
from tools.ask_jax.attributes import ask_attributes
from tools.ask_jax.transforms import ask_transform
from tools.ask_jax.uses import NO_USE, USES

ARRAY: dict[str, Any] = own_files()["jax.toml"]["array"]
ATTRIBUTES: dict[str, dict[str, str]] = files.stored("jax.Array")[1]["attributes"]["jax.Array"]  # type: ignore[assignment]
FAILS = frozenset(name for name, row in ATTRIBUTES.items() if row["traced"].endswith("Error"))
WORKS = frozenset(name for name, row in ATTRIBUTES.items() if not row["array"].endswith("Error"))
NOT_JAX = frozenset({
    "ω",  # of equinox.internal
    "flat",  # NumPy's; JAX has it only to refuse
    "fill", "itemset", "partition", "resize",  # NumPy's
    "device_buffer",  # of an older JAX
})  # fmt: skip
ELSEWHERE = frozenset({
    "nonzero",  # its own row says so
    "__array__", "__index__",  # NumPy's functions and subscripts have events of their own
    "clone", "device", "format", "platform",  # other objects have them too; `missing` tells hasattr() and getattr()
})  # fmt: skip
TRANSFORMS = sorted(
    name for name in own_files()["jax.toml"]["transforms"] if files.stored(files.package_of(name.rpartition(".")[0]))[0]
)
FUNCTION = re.compile(r"f|fn|fun|func|function|pyfunc|\w+_fun|\w+_fn|callback|kernel")
WHERE = (*surface.MODULES[2:], *(module for module in USES if module not in surface.MODULES))


def _row(name: str) -> dict[str, str]:
    for module, rows in ((module, files.stored(files.package_of(module))[1]["transforms"][module]) for module in USES):
        last = name.removeprefix(f"{module}.")
        if last in rows:
            return rows[last]  # type: ignore[return-value]
    raise KeyError(name)


def _arguments(calls: str) -> list[str]:
    return calls.partition("(")[2].rstrip(")").split(", ")


# --- arrays -----------------------------------------------------------------------------------------------------------


def test_jax_still_answers_so_of_attributes() -> None:
    assert ask_attributes() == ATTRIBUTES


@pytest.mark.parametrize("name", sorted({*ARRAY["attributes"]} - NOT_JAX))
def test_attributes_are_what_jax_gives(name: str) -> None:
    word = ARRAY["attributes"][name].replace("static-rank", "static-int")  # JAX's answer shows no more than its type
    assert ATTRIBUTES[name]["traced"] == (word if word.startswith("static-") else "array")
    assert ATTRIBUTES[name]["concrete"] == ATTRIBUTES[name]["traced"]


def test_what_a_tracer_cannot_give_is_known() -> None:
    host = {*ARRAY["host"]["methods"], *ARRAY["host"]["attributes"]} - NOT_JAX
    convert = {*ARRAY["convert"]["methods"]}
    assert host | convert <= FAILS & WORKS
    assert host | convert == FAILS & WORKS - ELSEWHERE


def test_what_a_tracer_lacks_is_known() -> None:
    assert {*ARRAY["host"]["missing"]} == {n for n in WORKS if ATTRIBUTES[n]["traced"] == "AttributeError"}


@pytest.mark.parametrize("name", sorted({*ARRAY["methods"], *ARRAY["same"]["methods"]} - NOT_JAX))
def test_methods_give_arrays(name: str) -> None:
    place = generated(f"jax.Array.at.{name}")
    model = generated(f"jax.Array.{name}") or place
    if name == "to_device":
        assert ATTRIBUTES[name]["traced"] == "method"
        return
    assert model is not None and model.structure.base in ("array", "arrays")
    word = ARRAY["methods"].get(name)
    if word not in (None, "astype"):
        assert {result_kind(model.dtypes[0].base, {"self": kind, "v": kind}.get) for kind in ("int", "float")} == {word}


def test_updates_are_known() -> None:
    assert {*surface.asked(surface.AT)} <= {*ARRAY["same"]["methods"]}


# --- transforms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [f"{module}.{name}" for module, uses in USES.items() for name in uses])
def test_jax_still_answers_so_of_transforms(name: str) -> None:
    use = next(u for module, uses in USES.items() for last, u in uses.items() if f"{module}.{last}" == name)
    assert _row(name) == ask_transform(use)


@pytest.mark.parametrize("module", WHERE)
def test_every_public_transform_is_used(module: str) -> None:
    left = {name for names in NO_USE.get(module, {}).values() for name in names}
    known = {*USES.get(module, {})}
    assert not left & known
    taking = {name for name, function in surface.public(module).items() if _takes_function(function)}
    assert taking <= left | known
    assert left <= taking | {"remat"}


def _takes_function(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return False
    return any(FUNCTION.fullmatch(p.name) or "Callable" in str(p.annotation) for p in parameters)


def test_no_transform_is_left_out() -> None:
    assert len(TRANSFORMS) >= 15
    for name in TRANSFORMS:
        _row(name)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_do_what_jax_does(name: str) -> None:
    said, row = models().transforms[name], _row(name)
    assert said.function == row["calls"].partition("(")[0]
    words = _arguments(row["calls"])
    assert said.staging == (row["constants"] == "staged")
    assert said.concrete == ("concrete" in words)
    tracers = {"traced", "concrete"}
    if said.traces in ("all", "excluded"):
        assert {*words} <= tracers
    elif said.traces == "argnums":
        assert [word in tracers for word in words] == [True, False, False]
        assert [word in tracers for word in _arguments(row["argnums"])] == [False, True, False]
    elif said.traces in ("in_axes", "in_specs"):
        assert {*words} <= tracers
        by_option = _arguments(row[said.traces])
        kept = said.traces == "in_specs" or not said.staging
        assert (by_option[0], by_option[-1]) == ("traced", "passed" if kept else "traced")
    elif said.traces == "refs":
        assert {*words} == {"ref"}
    else:
        assert not {*words} & tracers
    for option in filter(None, (said.static_nums, said.static_names)):
        assert _arguments(row[option])[-1].removeprefix("c=") == "passed"
    options = {option for option in row if option.startswith("static_")}
    assert options == {said.static_nums, said.static_names} - {""}
