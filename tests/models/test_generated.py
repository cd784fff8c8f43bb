"""The generated models: complete, as JAX answers now, and not repeated by hand."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path

import pytest

jax = pytest.importorskip("jax")

from jitlint.models.generated import generated  # noqa: E402
from jitlint.models.loading import models  # noqa: E402
from tools.ask_jax import files, surface  # noqa: E402
from tools.ask_jax.answers import ask, row  # noqa: E402
from tools.ask_jax.uses import USES  # noqa: E402

PACKAGES = sorted({files.package_of(module) for module in (*surface.MODULES, *USES)})

SAMPLE = (
    "jax.numpy.sum", "jax.numpy.zeros", "jax.numpy.reshape", "jax.numpy.repeat", "jax.numpy.nonzero",
    "jax.numpy.split", "jax.numpy.add", "jax.numpy.moveaxis", "jax.numpy.linspace", "jax.numpy.histogram",
    "jax.numpy.shape", "jax.numpy.linalg.svd", "jax.numpy.fft.fft", "jax.lax.add", "jax.lax.top_k",
    "jax.lax.dynamic_slice", "jax.lax.psum", "jax.nn.one_hot", "jax.nn.softmax", "jax.random.normal",
    "jax.random.split", "jax.scipy.special.logsumexp", "jax.scipy.stats.norm.logpdf", "jax.ops.segment_sum",
    "jax.image.resize", "jax.tree.leaves",
)  # fmt: skip


def _asked(name: str) -> files.Row:
    module, _, last = name.rpartition(".")
    function = surface.asked(module)[last]
    return row(ask(name, function, surface.parameters(function)))


@pytest.mark.parametrize("package", PACKAGES)
def test_the_file_is_of_the_installed_jax(package: str) -> None:
    version = files.stored(package)[0]
    message = f"{package} is a model of JAX {version}, {jax.__version__} is installed: run `python -m tools.ask_jax`"
    assert version == jax.__version__, message


@pytest.mark.parametrize("module", surface.MODULES)
def test_every_public_function_is_listed(module: str) -> None:
    tables = files.stored(files.package_of(module))[1]
    listed, left = set(tables["functions"][module]), set(tables.get("not_asked", {}).get(module, {}))
    assert not listed & left
    assert listed | left == set(surface.public(module))


def test_what_a_class_makes_is_no_array() -> None:
    """The default of a module is what its functions give; classes of other objects must be named."""
    classes = {f"{module}.{name}" for module in surface.MODULES for name in surface.classes(module)}
    known = {name: models().function(models().canonical(name)) for name in classes}
    assert not {name for name, model in known.items() if model is not None and model.result == "array"}


def test_the_large_modules_are_asked() -> None:
    tables = files.stored("jax.numpy")[1], files.stored("jax.lax")[1]
    for module, (asked, left) in {
        module: (table["functions"][module], table["not_asked"][module])
        for module, table in zip(("jax.numpy", "jax.lax"), tables, strict=True)
    }.items():
        assert len(left) < len(asked) / 5, module
        assert all(isinstance(reason, str) and reason for reason in left.values())


@pytest.mark.parametrize("name", SAMPLE)
def test_jax_still_answers_so(name: str) -> None:
    module, _, last = name.rpartition(".")
    assert files.stored(files.package_of(module))[1]["functions"][module][last] == _asked(name)


def test_a_difference_is_told() -> None:
    new = {"functions": {"jax.numpy": {"sum": {"rank": "0"}, "ones": {"rank": "len(shape)"}}}}
    assert list(files.differences(new, new)) == []
    wrong = {"functions": {"jax.numpy": {"sum": {"rank": "1"}, "ones": {"rank": "len(shape)"}, "gone": {"rank": "2"}}}}
    told = list(files.differences(wrong, new))
    assert [text.split()[0] for text in told] == ["jax.numpy.gone", "jax.numpy.sum"]
    assert "rank = '1'" in told[1] and "rank = '0'" in told[1]
    old = {"transforms": {"jax": {"jit": {"calls": "fun(traced)"}}}, "not_asked": {"jax.gone": {"f": "reads files"}}}
    assert [text.split("\n")[0] for text in files.differences(old, {})] == [
        "jax.gone.f (not_asked)",
        "jax.jit (transforms)",
    ]


def test_files_are_written_as_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version, tables = files.stored("jax.numpy")
    monkeypatch.setattr(files, "FOLDER", tmp_path)
    files.path_of("jax.numpy").write_text(files.written("jax.numpy", version, tables), encoding="utf-8")
    assert files.stored("jax.numpy") == (version, tables)


def test_nothing_is_said_twice() -> None:
    repeated = []
    for entry in resources.files("jitlint.models.data").iterdir():
        if entry.name.endswith(".toml"):
            data = tomllib.loads(entry.read_text(encoding="utf-8"))
            for module, spec in data.get("modules", {}).items():
                names = [name for results in spec.get("results", {}).values() for name in results]
                names += spec.get("concrete", {})
                answers = {name: generated(f"{module}.{name}") for name in names}
                repeated += [
                    f"{module}.{name}" for name, asked in answers.items() if asked and asked.result != "unknown"
                ]
    assert repeated == []


def test_every_row_can_be_used() -> None:
    for package in PACKAGES:
        for module, rows in files.stored(package)[1].get("functions", {}).items():
            for name in rows:
                model = generated(f"{module}.{name}")
                assert model is not None and model.structure.base
                named = {parameter.name for parameter in model.parameters}
                for demand in (*model.concrete, *model.data_shape):
                    assert demand.name in named and (not demand.unless or demand.unless in named)


def test_mechanisms_and_facts_come_together() -> None:
    scan = models().function("jax.lax.scan")
    assert scan is not None and scan.handler == "scan"
    assert "length" in {demand.name for demand in scan.concrete}
