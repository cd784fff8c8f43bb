"""Programs that compile here and not there: compiled for real for devices that are described, and for this CPU.

The compilers come from the package's own extras, installed into an environment beside this one.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from jitlint.verify.devices import names

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "fixtures/devices"
DEVICES = ("cpu", "tpu:v5e", "cuda:h100")
CODES = {"lower": "JIT902", "compile": "JIT903", "fit": "JIT904"}
LABEL = re.compile(r"#\s*fails:\s*(.*)")
SMALL = """import jax


@jax.jit
def scaled(values):  # jitlint: inputs(values=f32[16,4])
    return values * values.sum()
"""


@pytest.fixture(scope="session")
def equipped(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter that has what this one has, and the compilers of the extras `tpu` and `cuda12`."""
    home = tmp_path_factory.mktemp("equipped")
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    python = str(home / "bin" / "python")
    (site,) = home.glob("lib/python*/site-packages")
    (site / "also.pth").write_text(sysconfig.get_path("purelib"))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    wanted = [each for extra in ("tpu", "cuda12") for each in extras[extra] if not each.startswith("jitlint")]
    subprocess.run([python, "-m", "pip", "install", "-q", *wanted], check=True)
    return python


def verified(path: Path, python: str, devices: Sequence[str], *options: str) -> dict[str, Any]:
    """What `jitlint --verify=all` reports of a file or folder."""
    chosen = [part for device in devices for part in ("--device", device)]
    command = [sys.executable, "-m", "jitlint", "--verify=all", "--no-cache", "--format", "json", "--python", python]
    done = subprocess.run([*command, *chosen, *options, str(path)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode < 2, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def statuses(finding: Mapping[str, Any]) -> dict[str, str]:
    """What a finding's verdicts are, by device."""
    return {verdict["device"]: verdict["status"] for verdict in finding.get("verdicts") or [finding["verdict"]]}


def builds(report: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What became of the only entry point, by device."""
    (entry,) = report["entries"]
    return {build["device"]: build for build in entry["devices"]}


@pytest.fixture(scope="session")
def report(equipped: str) -> dict[str, Any]:
    """What became of the programs that are fixtures, on each device."""
    return verified(PROGRAMS, equipped, DEVICES)


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.py")), ids=lambda path: path.stem)
def test_programs_fail_on_the_devices_and_lines_of_their_labels(path: Path, report: dict[str, Any]) -> None:
    expected = set()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for label in match[1].split(",") if (match := LABEL.search(line)) else ():
            device, stage = label.split()
            expected.add((number, CODES[stage], device))
    failed = {
        (finding["line"], finding["code"], device)
        for finding in report["findings"]
        if Path(finding["path"]).name == path.name
        for device, status in statuses(finding).items()
        if status == "confirmed"
    }
    assert failed == expected


def test_what_does_not_fail_compiles(report: dict[str, Any]) -> None:
    left_open = {
        (Path(entry["path"]).stem, build["device"]): build["code"]
        for entry in report["entries"]
        for build in entry["devices"]
        if build["status"] == "not-built"
    }
    assert left_open == {("eigenvalues", "cuda:h100"): "no-compiler"}  # cuSOLVER is not among the compilers


def test_every_described_device_has_a_compiler_and_figures(equipped: str, tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(SMALL)
    described = [name for name in names() if ":" in name]
    made = builds(verified(tmp_path / "small.py", equipped, described))
    assert {name: build["status"] for name, build in made.items()} == dict.fromkeys(described, "compiled")
    for name, build in made.items():
        assert build["memory"]["argument"] >= 16 * 4 * 4
        assert (build["flops"] is None) == name.startswith("cuda:")  # CUDA's compiler doesn't tell


def test_inputs_are_split_over_the_mesh(equipped: str, tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(SMALL)
    alone = builds(verified(tmp_path / "small.py", equipped, DEVICES))
    split = builds(verified(tmp_path / "small.py", equipped, DEVICES, "--mesh", "data=8"))
    for name in ("cpu", "cuda:h100"):
        assert split[name]["memory"]["argument"] * 8 == alone[name]["memory"]["argument"]
    assert split["tpu:v5e"]["memory"]["argument"] < alone["tpu:v5e"]["memory"]["argument"]


def test_the_memory_can_be_said(equipped: str, tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(SMALL)
    made = builds(verified(tmp_path / "small.py", equipped, DEVICES, "--memory", "100B"))
    assert {name: (build["status"], build["code"]) for name, build in made.items()} == dict.fromkeys(
        DEVICES, ("failed", "does-not-fit")
    )


def test_programs_are_written_where_they_are_wanted(equipped: str, tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(SMALL)
    verified(tmp_path / "small.py", equipped, DEVICES, "--dump", str(tmp_path / "programs"))
    texts = {path.name: path.read_text() for path in (tmp_path / "programs").iterdir()}
    assert len(texts) == 2 * len(DEVICES)
    assert all(text.startswith("HloModule" if ".hlo." in name else "{ lambda") for name, text in texts.items()), texts


def test_without_a_compiler_lowering_is_checked_and_nothing_else_is_claimed() -> None:
    devices = ("tpu:v5e", "cuda:h100", "cuda", "rocm", "tpu")
    seen = verified(PROGRAMS, sys.executable, devices)
    lowered = {
        (Path(finding["path"]).stem, finding["code"], device)
        for finding in seen["findings"]
        for device, status in statuses(finding).items()
        if status == "confirmed"
    }
    assert lowered == {
        *(("eigenvalues", "JIT902", device) for device in ("tpu:v5e", "tpu")),
        *(("schur", "JIT902", device) for device in devices),
        ("kernel", "JIT902", "rocm"),  # kernels for AMD's devices need parameters of their own
    }
    reasons = {
        build["device"]: build["code"]
        for entry in seen["entries"]
        if Path(entry["path"]).stem == "attention"
        for build in entry["devices"]
    }
    assert reasons == {
        "tpu:v5e": "only-lowered",
        "cuda:h100": "only-lowered",
        **dict.fromkeys(("cuda", "rocm", "tpu"), "no-device"),
    }


SHARDED = """import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P


@jax.jit
def around(values):  # jitlint: inputs(values=f32[16,4])
    return jax.shard_map(lambda shard: jax.lax.psum(shard, "x"), in_specs=P("x"), out_specs=P())(values)


@jax.jit
def own(values):  # jitlint: inputs(values=f32[16,4])
    mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    rows = jax.lax.with_sharding_constraint(values, NamedSharding(mesh, P("data")))
    return jax.shard_map(lambda shard: jax.lax.psum(shard, "data"), mesh=mesh, in_specs=P("data"), out_specs=P())(rows)
"""


def test_programs_keep_their_own_shardings(equipped: str, tmp_path: Path) -> None:
    (tmp_path / "sharded.py").write_text(SHARDED)
    options = ("--mesh", "8", "--dump", str(tmp_path / "programs"))
    seen = verified(tmp_path / "sharded.py", equipped, DEVICES, *options)
    jitted = [entry for entry in seen["entries"] if entry["transform"] == "jax.jit"]
    assert [[build["status"] for build in entry["devices"]] for entry in jitted] == [["compiled"] * 3] * 2, seen
    programs = [path.read_text() for path in (tmp_path / "programs").glob("*.hlo.txt")]
    assert len(programs) == 6 and all("all-reduce" in program for program in programs)


LACKING = """import jax


@jax.jit  # jitlint: inputs(queries=bf16[1,128,2,64])
def attended(queries):
    return jax.nn.dot_product_attention(queries, queries, queries, implementation="cudnn")
"""


def test_a_library_that_is_missing_while_tracing_is_not_the_programs_fault(tmp_path: Path) -> None:
    (tmp_path / "lacking.py").write_text(LACKING)
    seen = verified(tmp_path / "lacking.py", sys.executable, ["cpu"])
    assert [(entry["status"], entry["code"]) for entry in seen["entries"]] == [("not-reached", "environment")]
    assert seen["findings"] == []


def test_a_device_that_is_not_here_is_noted() -> None:
    """Tracing does without it, so that nothing else would say it."""
    seeds = ROOT / "fixtures/seeds/rebound_global.py"
    assert "notes" not in verified(seeds, sys.executable, ["cpu"])["summary"]
    (note,) = verified(seeds, sys.executable, ["rocm"])["summary"]["notes"]
    assert note.startswith("code ran on the CPU, since JAX finds no rocm")


def test_what_could_not_even_be_lowered_is_said() -> None:
    seen = builds(verified(PROGRAMS / "callback.py", sys.executable, ["tpu:v5e"]))["tpu:v5e"]
    assert (seen["code"], "lower" in seen["seconds"]) == ("only-lowered", False)
    assert seen["reason"].startswith("not even lowering could be checked")
