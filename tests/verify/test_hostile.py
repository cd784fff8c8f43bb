"""Code that misbehaves costs its own verdicts and nothing else, and leaves nothing behind."""

from __future__ import annotations

import time
from pathlib import Path

import psutil
import pytest
from making import finding, source

from jitlint.analysis.events import EventKind
from jitlint.findings.finding import Finding
from jitlint.source.text import SourceFile
from jitlint.verify import VerifyOptions, verify

LIMITS = VerifyOptions(probe_timeout=3.0, module_timeout=25.0, memory_mb=1500, jobs=1, full_import=True)
ROOMY = VerifyOptions(probe_timeout=20.0, module_timeout=60.0, memory_mb=1100, jobs=1)

FUNCTIONS = """
import os, signal, sys, time
import jax

@jax.jit
def good(x):
    if x > 0:
        return x
    return -x

@jax.jit
def bad(x):
    {act}
    if x < 0:
        return x
    return -x
"""

TOP = """
import os, signal, subprocess, sys, time
import jax

{act}

@jax.jit
def good(x):
    if x > 0:
        return x
    return -x
"""


def good(file: SourceFile) -> Finding:
    return finding(file, EventKind.BOOL, "if", "x > 0", symbol="good", entry="jax.jit\ndef good", function="good",
                   root="good")  # fmt: skip


def bad(file: SourceFile) -> Finding:
    return finding(file, EventKind.BOOL, "if", "x < 0", symbol="bad", entry="jax.jit\ndef bad", function="bad",
                   root="bad")  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_left_behind(tmp_path: Path) -> object:
    before = set(tmp_path.parent.iterdir())
    yield
    assert not [p for p in psutil.Process().children(recursive=True) if p.status() != psutil.STATUS_ZOMBIE]
    marked = [p for p in psutil.process_iter(["cmdline"]) if "jitlint-test-sleeper" in (p.info["cmdline"] or [])]
    assert not marked
    assert set(tmp_path.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        ("while True: pass", None),
        ("while True:\n        try: time.sleep(60)\n        except BaseException: pass", "probe-time"),
        ("sys.exit(3)", None),
        ("os._exit(3)", "exited"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "crashed"),
        ("hog = bytearray(b'x') * (1 << 30); time.sleep(30)", "memory"),
    ],
)
def test_a_function_costs_its_own_verdict_only(tmp_path: Path, act: str, reason: str | None) -> None:
    file = source(tmp_path / "mod.py", FUNCTIONS.format(act=act))
    limits = ROOMY if reason == "memory" else LIMITS  # filling memory takes its time on a busy machine
    began = time.monotonic()
    first, second, third = verify([good(file), bad(file), good(file)], [file], limits)
    assert first.verdict and second.verdict and third.verdict
    assert first.verdict.status == third.verdict.status == "confirmed", (first.verdict, third.verdict)
    assert second.verdict.status == "inconclusive", second.verdict
    if reason is not None:
        assert second.verdict.evidence["reason"] == reason
    assert time.monotonic() - began < limits.module_timeout + 5


@pytest.mark.parametrize(
    "act",
    [
        "while True: pass",
        "sys.exit(0)",
        "raise RuntimeError('no')",
        "os._exit(0)",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "input('name? ')",
        "sys.stdin.read()",
        "for _ in range(2000): print('x' * 10000); print('x' * 10000, file=sys.stderr)",
        "os.close(0), os.close(1), os.close(2)",
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)', 'jitlint-test-sleeper'])",
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)', 'jitlint-test-sleeper'],"
        " start_new_session=True)",
    ],
)
def test_a_top_level_is_survived(tmp_path: Path, act: str) -> None:
    file = source(tmp_path / "mod.py", TOP.format(act=act))
    (found,) = verify([good(file)], [file], LIMITS)
    assert found.verdict and found.verdict.status == "confirmed", found.verdict


def test_other_modules_are_unaffected_and_progress_is_told(tmp_path: Path) -> None:
    hostile = source(tmp_path / "hostile.py", FUNCTIONS.format(act="os._exit(1)"))
    kind = source(tmp_path / "kind.py", TOP.format(act="pass"))
    told: list[tuple[str, int, int]] = []
    found = verify([bad(hostile), good(kind)], [hostile, kind], LIMITS, lambda *news: told.append(news))
    assert [f.verdict.status for f in found if f.verdict] == ["inconclusive", "confirmed"]
    assert told[-1][1:] == (2, 2) and {name for name, _, _ in told} == {"hostile", "kind"}


def test_nothing_is_written_outside_the_scratch_directory(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    act = f"open({str(outside)!r}, 'w').write('x')\nopen('inside.txt', 'w').write('x')"
    file = source(tmp_path / "mod.py", TOP.format(act=act))
    (found,) = verify([good(file)], [file], LIMITS)
    assert found.verdict and found.verdict.status == "confirmed"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mod.py"]
    assert not Path("inside.txt").exists()


def test_an_interpreter_without_jax_is_said_to_be_so(tmp_path: Path) -> None:
    file = source(tmp_path / "mod.py", TOP.format(act="pass"))
    for python in (str(tmp_path / "no-such-python"), "/bin/true"):
        (found,) = verify([good(file)], [file], VerifyOptions(python=python))
        assert found.verdict and found.verdict.status == "inconclusive"
        assert found.verdict.evidence["reason"] == "unusable"


def test_a_missing_import_names_itself(tmp_path: Path) -> None:
    file = source(tmp_path / "mod.py", "import no_such_package\n" + TOP.format(act="no_such_package.f()").replace(
        "@jax.jit", "@no_such_package.jit(jax.jit)"))  # fmt: skip
    found = finding(file, EventKind.BOOL, "if", "x > 0", symbol="good")
    (seen,) = verify([found], [file], LIMITS)
    assert seen.verdict and seen.verdict.status == "inconclusive"
    assert "no_such_package" in seen.verdict.reason
