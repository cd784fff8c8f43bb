"""`--verify` on the command line, with workers that run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import venv
from functools import partial
from pathlib import Path

import pytest

BRANCH = "import jax\n\n@jax.jit\ndef step(x):\n    if x > 0:\n        return x\n    return -x\n\n"


def jitlint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jitlint", "--verify", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.slow
def test_findings_come_with_verdicts_and_nothing_else_is_printed(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BRANCH)
    done = jitlint(tmp_path, "bad.py")
    assert (done.returncode, done.stderr) == (1, "")
    assert "   confirmed: " in done.stdout
    assert done.stdout.endswith("1 finding in 1 file: 1 confirmed.\n")
    document = json.loads(jitlint(tmp_path, "bad.py", "--format", "json").stdout)
    assert document["findings"][0]["verdict"]["status"] == "confirmed"
    assert document["summary"]["by_verdict"] == {"confirmed": 1}


UNREACHED = """\
import jax
import absent_library


@jax.jit
def step(x):
    absent_library.prepare()
    if x > 0:
        return x
    return -x
"""


@pytest.mark.slow
def test_what_inconclusive_findings_do_is_a_matter_of_policy(tmp_path: Path) -> None:
    (tmp_path / "unreached.py").write_text(UNREACHED)
    said = {}
    for policy in ("fail", "warn", "ignore"):
        done = jitlint(tmp_path, "unreached.py", "--inconclusive", policy)
        said[policy] = (done.returncode, done.stdout.splitlines()[-1], done.stderr)
    shown = "1 finding in 1 file: 1 inconclusive."
    assert said == {"fail": (1, shown, ""), "warn": (0, shown, ""), "ignore": (0, "No findings in 1 file.", "")}
    (tmp_path / "jitlint.toml").write_text('[verify]\ninconclusive = "warn"\n')
    assert jitlint(tmp_path, "unreached.py").returncode == 0
    (tmp_path / "bad.py").write_text(BRANCH)
    assert jitlint(tmp_path, ".").returncode == 1


@pytest.mark.parametrize("python", ["no-such-python", "/bin/true"])
def test_an_interpreter_that_cannot_verify_is_an_error(tmp_path: Path, python: str) -> None:
    (tmp_path / "bad.py").write_text(BRANCH)
    done = jitlint(tmp_path, "bad.py", "--python", python)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--python: {python} " in done.stderr


@pytest.mark.slow
def test_the_environment_of_the_project_is_passed_over_if_it_has_no_jax(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BRANCH)
    venv.create(tmp_path / ".venv", with_pip=False)
    done = jitlint(tmp_path, "bad.py")
    assert done.returncode == 1
    assert f"{tmp_path / '.venv'} has no jax; " in done.stderr and sys.executable in done.stderr
    assert "   confirmed: " in done.stdout


def test_without_findings_no_worker_is_started(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("x = 1\n")
    done = jitlint(tmp_path, "good.py", "--python", "no-such-python")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "No findings in 1 file.\n")


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_reports_what_is_known(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "scratch").mkdir()
    reached = tmp_path / "reached"
    os.mkfifo(reached)
    (tmp_path / "bad.py").write_text(BRANCH)
    (tmp_path / "slow.py").write_text(f"import time\nopen({str(reached)!r}).close()\ntime.sleep(60)\n{BRANCH}")
    command = [sys.executable, "-m", "jitlint", "--verify", "--import", "full", "--jobs", "1", "--format", "json"]
    with subprocess.Popen(
        [*command, "bad.py", "slow.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path / "scratch")},
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # a shell's `&` has it ignored
    ) as running:
        reached.write_text("")  # waits until the second module is being loaded
        running.send_signal(how)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 2
    assert err == "--verify: interrupted before 1 of 2 findings were verified\n"
    assert json.loads(out)["summary"]["by_verdict"] == {"confirmed": 1, "not-run": 1}
    assert not list((tmp_path / "scratch").iterdir())


SURVEYED = """
import jax
import jax.numpy as jnp


@jax.jit
def predict(weights, features):
    return features @ weights


@jax.jit
def narrowed(matrix):
    return jnp.linalg.svd(matrix.astype(jnp.float16), compute_uv=False)


predict(jnp.ones((3, 2)), jnp.ones((4, 3)))
"""


@pytest.mark.slow
def test_everything_is_verified_on_request(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(SURVEYED)
    done = jitlint(tmp_path, "--verify=all", "model.py", "--format", "json")
    assert (done.returncode, done.stderr) == (1, "")
    document = json.loads(done.stdout)
    predict, narrowed = document["entries"]
    assert (predict["name"], predict["status"], predict["source"]) == ("predict", "compiled", "call site")
    assert predict["inputs"] == ["(jnp.ones((3, 2)), jnp.ones((4, 3)))"]
    assert (predict["equations"], predict["compared"]) == (1, "equal")
    assert predict["devices"][0]["peak_memory"] == 4 * (3 * 2 + 4 * 3 + 4 * 2)
    assert predict["devices"][0]["seconds"].keys() == {"trace", "lower", "compile"}
    assert (narrowed["name"], narrowed["status"], narrowed["code"]) == ("narrowed", "failed", "fails-to-lower")
    assert [(found["code"], found["line"]) for found in document["findings"]] == [("JIT902", 13)]
    assert document["summary"]["found_by_verifying_only"] == 1
    assert document["summary"]["entries"] == {"compiled": 1, "failed: fails-to-lower": 1}


@pytest.mark.slow
def test_what_a_finding_explains_is_not_found_again(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BRANCH.replace("x > 0:", "x > 0:  # noqa: JIT101"))
    done = jitlint(tmp_path, "--verify=all", "bad.py")
    assert done.returncode == 0
    assert "1  100%  failed: fails-to-trace" in done.stdout
    assert done.stdout.endswith("No findings in 1 file.\n")


@pytest.mark.parametrize("given", [["--verify", "good.py"], ["good.py", "--verify"], ["--verify=all", "good.py"]])
def test_verify_takes_no_path_for_its_value(tmp_path: Path, given: list[str]) -> None:
    (tmp_path / "good.py").write_text("x = 1\n")
    command = [sys.executable, "-m", "jitlint", *given]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "No findings in 1 file.\n")


def test_what_cannot_be_verified_is_refused(tmp_path: Path) -> None:
    done = jitlint(tmp_path, "--verify=none", ".")
    assert done.returncode == 2 and "'none' is not one of 'findings', 'all'" in done.stderr
