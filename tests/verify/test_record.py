"""`jitlint record` runs a program as it is, and stores what its transformed functions were called with."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from jitlint.verify.recorder import store

MODEL = """\
import dataclasses
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    weights: jax.Array
    step: int


@dataclasses.dataclass(frozen=True)
class Config:
    mode: str = "plain"
    layers: tuple = (1, 2)


@partial(jax.jit, static_argnames=("config",))
def update(state, batch, config):
    if config.mode == "pruned" and config.layers == (3, 7, 11) and batch["x"].shape == (5, 7, 2):
        if batch["x"].sum() > 0:
            return state.weights
    return state.weights * 2


def make(gain, activation):
    @jax.jit
    def run(x):
        return activation(x) * gain
    return run


class Net:
    def __init__(self, gain):
        self.gain = gain

    @partial(jax.jit, static_argnums=0)
    def call(self, x):
        return x * self.gain
"""

TESTS = """\
import jax
import jax.numpy as jnp
import pytest
from pkg.model import Config, Net, State, make, update


def test_update():
    state = State(jnp.ones((3,)), 2)
    assert update(state, {"x": jnp.ones((4,))}, Config()).shape == (3,)
    assert update._cache_size() == 1 and update.lower(state, {"x": jnp.ones(4)}, config=Config())
    with pytest.raises(jax.errors.TracerBoolConversionError):
        update(state, {"x": jnp.ones((5, 7, 2))}, Config("pruned", (3, 7, 11)))


def test_others():
    assert make(2.5, jax.nn.relu)(1.0) == 2.5
    jax.jit(jax.vmap(make(1, jnp.sin)))(jnp.ones((2, 2)))
    assert jax.jit(Net(4).call)(2.0) == 8
    for _ in range(3):
        jax.jit(plain)(jax.random.key(1))
    assert traces == [1]


traces = []


def plain(key):
    traces.append(1)
    return jax.random.normal(key)
"""


def project(folder: Path, **files: str) -> Path:
    (folder / "pyproject.toml").write_text("[tool.jitlint]\n")
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def record(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jitlint", "record", *command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def signatures(folder: Path) -> dict[str, list[dict[str, Any]]]:
    functions = store.read(folder / store.FILE)
    return {name: entry["signatures"] for name, entry in functions.items()}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = project(tmp_path_factory.mktemp("sample"), pkg__model=MODEL, tests__test_model=TESTS)
    (folder / "pkg" / "__init__.py").touch()
    done = record(folder, "--", sys.executable, "-m", "pytest", "-q")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == "jitlint recorded 7 new signatures; there are 7 of 4 functions\n"
    return folder


def test_shapes_dtypes_static_values_and_structure_are_recorded(recorded: Path) -> None:
    _, pruned = signatures(recorded)["pkg.model:update"]
    assert pruned["transform"] == "jax.jit"
    assert pruned["arguments"] == {
        "state": {
            "call": "pkg.model:State",
            "arguments": [],
            "fields": {
                "weights": {"array": "float32", "shape": [3]},
                "step": {"array": "int32", "shape": [], "weak": True},
            },
        },
        "batch": {"dict": [[{"value": "x"}, {"array": "float32", "shape": [5, 7, 2]}]]},
        "config": {
            "call": "pkg.model:Config",
            "arguments": [],
            "fields": {"mode": {"value": "pruned"}, "layers": {"tuple": [{"value": 3}, {"value": 7}, {"value": 11}]}},
        },
    }


def test_methods_keys_mapped_functions_and_those_made_by_others_are_recorded(recorded: Path) -> None:
    found = signatures(recorded)
    (call,) = found["pkg.model:Net.call"]
    assert call["arguments"]["self"] == {"instance": "pkg.model:Net", "fields": {"gain": {"value": 4}}}
    (plain,) = found["test_model:plain"]
    assert plain["arguments"] == {"key": {"key": "threefry2x32", "shape": []}}
    made, mapped, _ = found["pkg.model:make.<locals>.run"]
    assert made["function"]["cells"] == [{"name": "jax._src.nn.functions:relu"}, {"value": 2.5}]
    assert (made["mapped"], mapped["mapped"]) == (0, 1)
    assert mapped["arguments"] == {"x": {"array": "float32", "shape": [2, 2]}}


def verdicts(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "jitlint", "--verify", "--format", "json", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    return [finding["verdict"] for finding in json.loads(done.stdout)["findings"]]


def test_what_no_guess_would_reach_is_confirmed_with_what_was_recorded(recorded: Path, tmp_path: Path) -> None:
    """No guess has this mode, these layers and this shape; without the recording nothing can be said."""
    (verdict,) = verdicts(recorded, "pkg")
    assert verdict["status"] == "confirmed"
    assert verdict["evidence"]["inputs_from"] == "recorded"
    assert verdict["reason"].endswith(", with recorded inputs")
    assert verdict["inputs"] == [
        "state=State(weights=f32[3], step=i32[])",
        "batch={'x': f32[5,7,2]}",
        "config=Config(mode='pruned', layers=(3, 7, 11,))",
    ]
    shutil.copytree(recorded, tmp_path / "sample", ignore=shutil.ignore_patterns(".jitlint_cache"))
    (verdict,) = verdicts(tmp_path / "sample", "pkg")
    assert verdict["status"] == "inconclusive"


def test_a_recording_of_a_function_that_changed_is_left(recorded: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    shutil.copytree(recorded, folder)
    (folder / "pkg" / "model.py").write_text(MODEL.replace("batch", "data"))
    (verdict,) = verdicts(folder, "pkg")
    assert verdict["status"] == "inconclusive"


INNER = """\
import jax


class Trainer:
    def __init__(self, settings):
        self.settings = settings

    def build(self, schedule):
        if self.settings["optimizer"]["name"] != "lion":
            raise ValueError("unknown optimizer")

        @jax.jit
        def step(x):
            if x.sum() > schedule(self.settings["limit"]):
                return x
            return -x

        return step
"""

TRAIN = """\
import jax.numpy as jnp
from inner import Trainer

step = Trainer({"optimizer": {"name": "lion"}, "limit": 3}).build(lambda limit: 2 * limit)
try:
    step(jnp.ones((2, 3)))
except Exception as error:
    print(type(error).__name__)
"""


def test_a_function_made_by_another_is_made_again_as_it_was(tmp_path: Path) -> None:
    project(tmp_path, inner=INNER, train=TRAIN)
    done = record(tmp_path, "--", sys.executable, "train.py")
    assert done.stdout == "TracerBoolConversionError\n"
    (verdict,) = verdicts(tmp_path, "inner.py")
    assert verdict["status"] == "confirmed"
    assert verdict["evidence"]["inputs_from"] == "recorded"
    assert verdict["inputs"] == ["x=f32[2,3]"]


def test_what_one_device_saw_of_a_pmapped_function_gets_its_axis_back(tmp_path: Path) -> None:
    project(
        tmp_path,
        mod="import jax\n\n@jax.pmap\ndef scaled(x):\n"
        "    if x.shape == (5, 7) and x.sum() > 3:\n        return x\n    return -x\n",
        use="import jax.numpy as jnp\nfrom mod import scaled\n"
        "try:\n    scaled(jnp.ones((1, 5, 7)))\nexcept Exception:\n    pass\n",
    )
    assert record(tmp_path, "--", sys.executable, "use.py").returncode == 0
    (one,) = signatures(tmp_path)["mod:scaled"]
    assert one["arguments"] == {"x": {"array": "float32", "shape": [5, 7]}}
    (verdict,) = verdicts(tmp_path, "mod.py")
    assert (verdict["status"], verdict["inputs"]) == ("confirmed", ["x=f32[1,5,7]"])
    assert verdict["evidence"]["inputs_from"] == "recorded"


def test_harmless_with_recorded_inputs_is_refuted_without_a_search(tmp_path: Path) -> None:
    """`scale` is always a Python number, which Equinox keeps static: no guess at an array may say otherwise."""
    text = (
        "import equinox as eqx\nimport jax.numpy as jnp\n\n"
        "@eqx.filter_jit\ndef scaled(x, options):\n"
        "    if options['scale'] > 1:\n        return x * 2\n    return x\n"
    )
    project(
        tmp_path, mod=text, use="import jax.numpy as jnp\nfrom mod import scaled\nscaled(jnp.ones(3), {'scale': 2})\n"
    )
    assert record(tmp_path, "--", sys.executable, "use.py").returncode == 0
    (verdict,) = verdicts(tmp_path, "mod.py", "--sound")
    assert verdict["status"] == "refuted"
    assert verdict["inputs"] == ["x=f32[3]", "options={'scale': 2}"]
    assert verdict["evidence"]["inputs_from"] == "recorded"


def test_a_foreign_file_in_the_cache_is_said_and_nothing_crashes(tmp_path: Path) -> None:
    project(tmp_path, mod="import jax\n\n@jax.jit\ndef step(x):\n    return 1 if x > 0 else 2\n")
    (tmp_path / ".jitlint_cache").mkdir()
    (tmp_path / store.FILE).write_text("[]")
    command = [sys.executable, "-m", "jitlint", "--verify", "mod.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert ".jitlint_cache/signatures.json: JIT003 is no record of signatures; delete it" in done.stderr
    assert "   confirmed: " in done.stdout


SCRIPT = """\
import sys
import jax

@jax.jit
def double(x):
    return 2 * x

print(double(3.0), sys.argv[1:], [entry for entry in sys.path if "recorder" in entry], getattr(sys, "greeting", None))
kept = []

@jax.jit
def keep(x):
    kept.append(x)
    return x

keep(1.0)
if len(sys.argv) > 2:
    print(kept[0] + 1)
double("text") if len(sys.argv) > 1 else sys.exit(7)
"""

ADDRESS = re.compile("0x[0-9a-f]+")


def test_a_program_says_and_does_what_it_does_without(tmp_path: Path) -> None:
    project(tmp_path, script=SCRIPT, own__sitecustomize="import sys\nsys.greeting = 'hello'\n")
    path = {"PYTHONPATH": os.pathsep.join([str(tmp_path / "own"), os.environ.get("PYTHONPATH", "")])}
    for arguments in (["script.py", "-q"], ["-m", "script", "--output", "x"]):
        command = [sys.executable, *arguments]
        plain = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, **path}, capture_output=True, text=True, check=False
        )
        done = record(tmp_path, "--", *command, **path)
        assert "hello" in plain.stdout
        assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
        told, _, own_line = done.stderr.rstrip("\n").rpartition("\n")
        assert own_line.startswith("jitlint recorded ")
        assert ADDRESS.sub("", told) == ADDRESS.sub("", plain.stderr.rstrip("\n"))
    assert [one["arguments"] for one in signatures(tmp_path)["script:double"]] == [
        {"x": {"array": "float32", "shape": [], "weak": True}}
    ]


def test_nothing_is_recorded_in_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / ".jitlint_cache").touch()
    assert store.read(tmp_path / store.FILE) == {}


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "signatures.json"

    def write(at: int) -> None:
        entry = {"file": "a.py", "line": 1, "signatures": [{"arguments": {"x": {"value": at}}}]}
        store.merge(file, {f"a:f{at}": entry, "a:f": entry})

    threads = [threading.Thread(target=write, args=(at,)) for at in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    functions = store.read(file)
    assert len(functions) == 21
    assert len(functions["a:f"]["signatures"]) == store.LIMIT


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is no record of signatures"),
        ("[1]", "is no record of signatures"),
        (json.dumps({"version": 1, "functions": {"a:f": {"file": 1}}}), "is no record of signatures"),
        (json.dumps({"version": 2, "functions": {}}), "was recorded in format 2, not 1; delete it and record again"),
    ],
)
def test_a_file_that_is_something_else_is_left_alone(tmp_path: Path, text: str, words: str) -> None:
    project(tmp_path)
    (tmp_path / "other.json").write_text(text)
    done = record(tmp_path, "--output", "other.json", "--", sys.executable, "-c", "print('ran')")
    assert done.returncode == 2
    assert f"other.json {words}" in done.stderr
    assert done.stdout == ""
    assert (tmp_path / "other.json").read_text() == text


def test_a_program_that_does_not_start_is_said(tmp_path: Path) -> None:
    done = record(tmp_path, "--", "no-such-program")
    assert done.returncode == 2
    assert "no-such-program cannot be started" in done.stderr
    assert not (tmp_path / ".jitlint_cache").exists()
