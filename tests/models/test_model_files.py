"""The tool's own model files: well-formed, and true to the libraries that are installed."""

from __future__ import annotations

import pkgutil
from typing import Any

import jsonschema
import pytest

from jitlint.analysis import api  # noqa: F401  every mechanism registers itself
from jitlint.analysis.libraries.tables import BASE_METHODS, HANDLERS
from jitlint.models.checks import ModelError, check
from jitlint.models.loading import models, own_files
from jitlint.models.schema import model_schema

FILES = own_files()


@pytest.mark.parametrize("name", sorted(FILES))
def test_files_say_only_what_is_understood(name: str) -> None:
    check(FILES[name])


@pytest.mark.parametrize("name", sorted(FILES))
def test_files_satisfy_the_published_schema(name: str) -> None:
    jsonschema.Draft202012Validator(model_schema()).validate(FILES[name])


def test_each_handler_that_files_name_has_a_mechanism() -> None:
    functions = {
        word for data in FILES.values() for m in data.get("modules", {}).values() for word in m.get("handlers", {})
    }
    classes = {c["handler"] for data in FILES.values() for c in data.get("classes", {}).values() if "handler" in c}
    assert functions == set(HANDLERS)
    assert classes == set(BASE_METHODS)


@pytest.mark.parametrize(
    "data",
    [
        {"transform": {}},
        {"roots": "lib"},
        {"roles": {"datclass": ["a.b"]}},
        {"transforms": {"a.b": {"traces": "some"}}},
        {"calls": {"a.b": {}}},
        {"classes": {"a.B": {"holds": "f@0"}}},
        {"modules": {"a": {"constants": {"float": ["pi"]}}}},
    ],
    ids=repr,
)
def test_the_schema_refuses_what_the_reader_refuses(data: dict[str, Any]) -> None:
    schema = model_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(data))
    with pytest.raises(ModelError):
        check(data)


def test_no_installed_package_brings_a_bad_file() -> None:
    assert models().errors == ()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"transform": {}}, "transform: there is no such key; did you mean transforms?"),
        ({"roots": "lib"}, "roots: 'lib' is no list of names"),
        ({"transforms": {"a.b": {"traces": "some"}}}, "transforms.\"a.b\".traces: 'some' is no such word; use one of"),
        ({"calls": {"a.b": {}}}, 'calls."a.b": `of` is missing'),
        ({"calls": {"a.b": {"of": ["f@x"]}}}, "calls.\"a.b\".of: 'f@x' is no parameter"),
        ({"calls": {"a.b": {"of": ["self"], "arguments": ["*x"]}}}, "arguments: '*x' is no parameter"),
        ({"calls": {"a.b": {"of": ["self"], "arguments": ["flaot"]}}}, "arguments: 'flaot' is no new value; write"),
        ({"calls": {"a.b": {"of": ["self"], "cast": ["x@0"]}}}, "cast: 'x@0' is no argument; name one of `arguments`"),
        ({"classes": {"a.B": {"methods": {"f": "lik x@0"}}}}, "'lik x@0' is no parameter"),
        ({"classes": {"a.B": {"holds": "f@0"}}}, "classes.\"a.B\".holds: 'f@0' is no list of names"),
        ({"roles": {"datclass": ["a.b"]}}, "roles.datclass: there is no such key; did you mean dataclass?"),
        (
            {"modules": {"a": {"constants": {"float": ["pi"]}}}},
            "constants.float: there is no such key; use false, none, static-float",
        ),
        ({"modules": {"a": {"results": ["f"]}}}, "modules.\"a\".results: ['f'] is no table"),
    ],
)
def test_what_is_wrong_is_told_with_its_key(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError) as error:
        check(data)
    assert message in str(error.value)


LIBRARIES = ("blackjax", "chex", "distrax", "equinox", "flax", "haiku", "jaxopt", "numpyro", "optax")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("library", LIBRARIES)
def test_functions_that_models_name_exist(library: str) -> None:
    """What the newest library lacks is what an older one had: a model may name a little of that."""
    names = [name for name in models().functions if name.partition(".")[0] == library]
    missing = [name for name in names if not _exists(name)]
    assert names and len(missing) <= len(names) // 10, missing


def _exists(name: str) -> bool:
    module, _, attribute = name.rpartition(".")
    homes = [module, *(alias for alias, target in models().aliases.items() if target == module)]
    return any(hasattr(_found(home), attribute) for home in homes)


def _found(name: str) -> object | None:
    try:
        return pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return None
