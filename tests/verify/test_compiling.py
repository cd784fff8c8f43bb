"""A compiler that fails, or ends its process, takes nothing back of what the trace showed."""

from __future__ import annotations

from pathlib import Path

from making import finding, source

from jitlint.events.event import EventKind
from jitlint.findings.finding import Verdict
from jitlint.verify.api import verify
from jitlint.verify.devices import CPU, device
from jitlint.verify.options import VerifyOptions

PROGRAM = """import os
import jax
from jax._src import compiler

{act}

@jax.jit
def doubled(x):
    return x * 2 if x.ndim else x

@jax.jit
def halved(x):
    return x / 2 if x.ndim else x
"""


def compiled(tmp_path: Path, act: str, options: VerifyOptions) -> list[dict[str, Verdict]]:
    """The verdicts on two harmless branches, each by device, of a module that begins with `act`."""
    file = source(tmp_path / "mod.py", PROGRAM.format(act=act))
    suspicions = [
        finding(
            file, EventKind.BOOL, "ternary", text, "x.ndim", entry=f"@jax.jit\ndef {name}", function=name, root=name
        )
        for name, text in (("doubled", "x * 2 if x.ndim"), ("halved", "x / 2 if x.ndim"))
    ]
    return [{each.device: each for each in seen.verdicts} for seen in verify(suspicions, [file], options)]


def test_each_device_has_its_own_word(tmp_path: Path) -> None:
    for verdicts in compiled(tmp_path, "", VerifyOptions(devices=(CPU, device("cuda")))):
        assert {verdict.status for verdict in verdicts.values()} == {"refuted"}
        assert set(verdicts["cpu"].evidence["build"]["seconds"]) == {"trace", "lower", "compile"}
        assert verdicts["cuda"].evidence["build"]["reason"] == "no-device"
        assert "only lowering was checked: cuda is not in this machine" in verdicts["cuda"].reason


def test_what_compiles_is_run_once_if_wanted(tmp_path: Path) -> None:
    for verdicts in compiled(tmp_path, "", VerifyOptions(run=True)):
        assert "execute" in verdicts["cpu"].evidence["build"]["seconds"]


def test_a_compiler_that_ends_the_process_leaves_the_verdict(tmp_path: Path) -> None:
    act = "compiler.backend_compile_and_load = lambda *a, **k: os.abort()"
    for verdicts in compiled(tmp_path, act, VerifyOptions()):
        assert verdicts["cpu"].status == "refuted", verdicts
        assert verdicts["cpu"].evidence["build"]["reason"] == "crashed"
        assert "compiling for cpu: the code crashed its process (signal 6, Aborted)" in verdicts["cpu"].reason


def test_a_compiler_that_does_not_come_back_leaves_the_verdict(tmp_path: Path) -> None:
    act = (
        "compiler.backend_compile_and_load = lambda *a, **k: __import__('signal').pthread_sigmask(0, {14}) or "
        "__import__('time').sleep(60)"
    )
    for verdicts in compiled(tmp_path, act, VerifyOptions(compile_timeout=1.0)):
        assert verdicts["cpu"].status == "refuted", verdicts
        assert verdicts["cpu"].evidence["build"]["reason"] == "probe-time"


NNX = """import jax
from flax import nnx

@nnx.jit
def doubled(x):
    return x * 2 if x.ndim else x
"""


def test_the_trace_of_a_framework_is_compiled_as_jaxs(tmp_path: Path) -> None:
    file = source(tmp_path / "mod.py", NNX)
    suspicion = finding(
        file,
        EventKind.BOOL,
        "ternary",
        "x * 2 if x.ndim",
        "x.ndim",
        entry="@nnx.jit",
        function="doubled",
        root="doubled",
        transform="flax.nnx.jit",
    )
    (seen,) = verify([suspicion], [file], VerifyOptions())
    assert seen.verdict and seen.verdict.evidence["build"]["memory"], seen.verdict
