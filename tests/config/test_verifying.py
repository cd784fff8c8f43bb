"""From settings to what verifying takes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from jitlint.config import Settings, VerifySettings
from jitlint.config.verifying import VerifySetupError, chosen_devices, verify_setup
from jitlint.source.text import SourceFile
from jitlint.verify.devices import CPU


def test_the_cpu_is_verified_for_unless_the_settings_name_devices() -> None:
    assert [device.name for device in chosen_devices(VerifySettings())] == ["cpu"]
    named = chosen_devices(VerifySettings(device=("cpu", "tpu:v5e", "cpu"), memory="1GiB"), "2x4")
    assert [device.name for device in named] == ["cpu", "tpu:v5e"]
    assert {device.memory for device in named} == {1 << 30}


@pytest.mark.parametrize(
    ("settings", "mesh"),
    [(VerifySettings(device=("tpu:v99",)), None), (VerifySettings(memory="much"), None), (VerifySettings(), "2xx")],
)
def test_what_there_is_not_is_named(settings: VerifySettings, mesh: str | None) -> None:
    with pytest.raises(VerifySetupError, match=r"^--device, --memory or --mesh: .*\.$"):
        chosen_devices(settings, mesh)


@pytest.mark.parametrize(
    ("source", "named"), [("--python", "^--python: "), ("pyproject.toml", "^`python` in pyproject.toml: ")]
)
def test_an_interpreter_that_cannot_verify_is_blamed_on_what_named_it(tmp_path: Path, source: str, named: str) -> None:
    settings = Settings(verify=VerifySettings(python="no-such-python"), sources={"verify.python": source})
    with pytest.raises(VerifySetupError, match=named):
        verify_setup(settings, tmp_path, (), (CPU,))


def test_settings_become_options(tmp_path: Path) -> None:
    text = (
        "import jax\n\n\n@jax.jit\ndef step(x):  # jitlint: inputs(x=f32[3])\n    return x\n\n\n# jitlint: inputs()\n"
    )
    source = SourceFile(tmp_path / "a.py", "a.py", text)
    verify = VerifySettings(
        python=sys.executable,
        import_="full",
        sandbox="off",
        environment=("DATA_FOLDER",),
        budget="thorough",
        probe_timeout=0.5,
        process_memory="2GiB",
    )
    setup = verify_setup(
        Settings(verify=verify), tmp_path, (source,), (CPU,), run=True, dump=str(tmp_path / "out"), cached=False, jobs=3
    )
    options = setup.options
    assert (options.python, options.full_import, options.sandbox) == (sys.executable, True, "off")
    assert (options.probe_timeout, options.memory_mb, options.jobs, options.run) == (3.0, 2048, 3, True)
    assert options.variables == ("DATA_FOLDER",)
    assert options.cache is None and options.dump == tmp_path / "out" and (tmp_path / "out").is_dir()
    assert [known["qualname"] for known in options.inputs] == ["step"]
    assert [error.line for error in setup.errors] == [9]
    assert setup.passed_over == ()
