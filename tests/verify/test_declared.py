"""Inputs declared in comments and in the configuration are read, checked against the function, and used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from making import finding, source

from jitlint.events.event import EventKind as Kind
from jitlint.findings.finding import Verdict
from jitlint.verify.api import verify
from jitlint.verify.declared import DeclarationError, arguments
from jitlint.verify.known import declared
from jitlint.verify.options import VerifyOptions

F32 = {"array": "float32", "shape": [8, 128]}


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("f32[8,128]", F32),
        ("float32[8, 128]", F32),
        ("i32[]", {"array": "int32", "shape": []}),
        ("bf16", {"array": "bfloat16", "shape": []}),
        ("key", {"key": "", "shape": []}),
        ("key[4]", {"key": "", "shape": [4]}),
        ("3", {"value": 3}),
        ("-0.5", {"value": -0.5}),
        ("None", {"value": None}),
        ("'relu'", {"value": "relu"}),
        ("2j", {"complex": [0.0, 2.0]}),
        ("[f32[8,128], (1, True)]", {"list": [F32, {"tuple": [{"value": 1}, {"value": True}]}]}),
        ("{'w': f32[8,128], 2: None}", {"dict": [[{"value": "w"}, F32], [{"value": 2}, {"value": None}]]}),
        ("jax.nn.relu", {"name": "jax.nn.relu"}),
        ("State(f32[8,128], n=1)", {"call": "State", "arguments": [F32], "fields": {"n": {"value": 1}}}),
    ],
)
def test_inputs_as_text(text: str, form: object) -> None:
    assert arguments(f"x={text}, other=1") == {"x": form, "other": {"value": 1}}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "does not name each input; write inputs as in x=f32[8,128], n=3, key=key"),
        ("f32[3]", "does not name each input"),
        ("**options", "does not name each input"),
        ("x=f32[3", "cannot be read"),
        ("x=f33[3]", "there is no dtype `f33`; did you mean `f32`?"),
        ("x=f32[n]", "the sides of an array are whole numbers"),
        ("x=f32[-1]", "the sides of an array are whole numbers"),
        ("x=1 + n", "`1 + n` is no input; write arrays as f32[8,128]"),
        ("x=lambda: 1", "is no input"),
        ("x={**y}", "is no input"),
    ],
)
def test_what_is_no_input_is_said(text: str, words: str) -> None:
    with pytest.raises(DeclarationError) as error:
        arguments(text)
    assert words in str(error.value)


FUNCTIONS = """\
from functools import partial
import jax

# jitlint: inputs(x=f32[3])
# jitlint: inputs(x=f32[5])
# A remark between.
@partial(jax.jit, static_argnums=1)  # jitlint: inputs(x=f32[7], n=2)
def step(
    x,  # jitlint: inputs(x=f32[9])
    n=1,
):
    '''# jitlint: inputs(x=f32[1])'''
    def inner(y):  # jitlint: inputs(y=f32[2])
        return y
    return inner(x)


class Model:
    def call(self, x):  # jitlint: inputs(self=Model(), x=step)
        return x
"""


def test_comments_belong_to_the_function_in_whose_header_or_above_which_they_stand(tmp_path: Path) -> None:
    found = declared([source(tmp_path / "mod.py", FUNCTIONS)], {}, "pyproject.toml")
    assert found.errors == ()
    shapes = [(one["qualname"], next(iter(one["arguments"].values())).get("shape")) for one in found.inputs]
    assert shapes == [
        ("step", [3]),
        ("step", [5]),
        ("step", [7]),
        ("step", [9]),
        ("step.<locals>.inner", [2]),
        ("Model.call", None),
    ]
    assert {(one["file"], one["origin"]) for one in found.inputs} == {(str(tmp_path / "mod.py"), "declared")}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def step(x): return x  # jitlint: inputs(y=1)", "line 1: `step` has no parameter `y`"),
        ("def step(batch): return 1  # jitlint: inputs(bach=1)", "did you mean `batch`?"),
        ("def step(x): return x  # jitlint: inputs x=1", "does not name each input"),
        ("def step(x): return x  # jitlint: inputs(x=Stat())\nclass State: pass", "there is no `Stat` in the module"),
        ("x = 1  # jitlint: inputs(x=1)", "there is no function here; put the comment on its `def`"),
    ],
)
def test_a_declaration_that_does_not_fit_is_an_error_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    found = declared([source(tmp_path / "mod.py", text + "\n")], {}, "pyproject.toml")
    (error,) = found.errors
    assert error.path == str(tmp_path / "mod.py") and error.text.startswith("JIT003 line 1: ")
    assert words in error.text
    assert found.inputs == ()


def test_the_configuration_declares_by_module_and_name(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    file = source(tmp_path / "pkg" / "mod.py", "class Model:\n    def call(self, x): return x\n")
    configured = {
        "pkg.mod:Model.call": "x=f32[3]",
        "pkg.mod:Model.cal": "x=1",
        "pkg.other:f": "x=f32[3",
        "pkg.other:g": "x=1",
    }
    found = declared([file], configured, "pyproject.toml")
    assert [(one["qualname"], one["arguments"]) for one in found.inputs] == [
        ("Model.call", {"x": {"array": "float32", "shape": [3]}})
    ]
    misspelt, unreadable = [error.text for error in found.errors]
    assert "`pkg.mod:Model.cal` in [tool.jitlint.verify.inputs]: there is no function `Model.cal`" in misspelt
    assert "did you mean `Model.call`?" in misspelt
    assert "`pkg.other:f`" in unreadable and "cannot be read" in unreadable


def verdict(folder: Path, text: str, at: str, **more: object) -> Verdict:
    file = source(folder / "mod.py", "import jax\nimport jax.numpy as jnp\nfrom typing import NamedTuple\n\n" + text)
    known = declared([file], {}, "pyproject.toml")
    assert known.errors == ()
    found = finding(file, Kind.BOOL, "if", at, **more)
    (seen,) = verify([found], [file], VerifyOptions(inputs=known.inputs))
    assert seen.verdict is not None
    return seen.verdict


RARE = """\
class State(NamedTuple):
    table: dict
    act: object

@jax.jit  # jitlint: inputs(state={"table": {3: f32[5,7]}, "mode": (f32[2], key)}, x=f32[7,11])
def step(state, x):
    if state["table"][3].shape == (5, 7) and x.shape == (7, 11) and len(state["mode"]) == 2:
        y = state["table"][3] @ x
        if y.sum() > 0:
            return y
    return x
"""


def test_declared_inputs_reach_what_no_guess_would(tmp_path: Path) -> None:
    more = {"entry": "jax.jit  # jitlint", "function": "step", "root": "step"}
    seen = verdict(tmp_path, RARE, "y.sum() > 0", **more)
    assert seen.status == "confirmed"
    assert seen.reason.endswith(", with declared inputs")
    assert seen.evidence["inputs_from"] == "declared"
    assert seen.inputs[1] == "x=f32[7,11]"


MAPPED = """\
# jitlint: inputs(x=f32[3])
def first(x):
    if x.ndim == 1:
        return x
    return -x

mapped = jax.jit(jax.vmap(first))
"""


def test_what_a_declaration_leaves_open_is_guessed_and_said(tmp_path: Path) -> None:
    text = """\
@jax.jit  # jitlint: inputs(x=f32[7,11], wide=f64[3])
def step(x, y, wide):
    if x.shape == (7, 11) and (x * y).sum() > 0:
        return y
    return x
"""
    more = {"entry": "jax.jit  # jitlint", "function": "step", "root": "step"}
    seen = verdict(tmp_path, text, "x.shape == (7, 11) and (x * y).sum() > 0", **more)
    assert (seen.status, seen.inputs[0]) == ("confirmed", "x=f32[7,11]")
    assert seen.evidence["inputs_from"] == "search"
    assert seen.evidence["not_declared"] == [
        "y: not declared",
        "wide: float64 needs jax_enable_x64, which is off here; set it in the module",
    ]


def test_under_vmap_declared_arrays_have_one_axis_more(tmp_path: Path) -> None:
    more = {"entry": "jax.jit(jax.vmap(first))", "function": "first", "root": "mapped"}
    seen = verdict(tmp_path, MAPPED, "x.ndim == 1", **more)
    assert (seen.status, seen.inputs) == ("refuted", ("x=f32[4,3]",))
    assert seen.evidence["inputs_from"] == "declared"


def test_the_file_declares_and_what_is_wrong_in_it_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "mod.py").write_text(
        "import jax\n\n@jax.jit\ndef step(x):\n"
        "    if x.shape == (5, 7) and x.sum() > 0:\n        return x\n    return -x\n"
    )
    (tmp_path / "pyproject.toml").write_text(
        '[tool.jitlint.verify.inputs]\n"mod:step" = "x=f32[5,7]"\n"mod:stop" = "x=f32[5,7]"\n'
    )
    command = [sys.executable, "-m", "jitlint", "--verify", "mod.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "pyproject.toml: JIT003 `mod:stop` in [tool.jitlint.verify.inputs]: there is no function `stop`; "
        "did you mean `step`?\n"
    )
    assert "while tracing step(x=f32[5,7]), with declared inputs" in done.stdout
