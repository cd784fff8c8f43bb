"""What `import jitlint` offers."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

import jitlint
import jitlint.python

pytestmark = pytest.mark.slow

SIGNED = """\
import jax


@jax.jit
def signed(x):
    y = 2 * x
    return y if y > 0 else -y
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(SIGNED)
    return tmp_path / "model.py"


def test_the_examples_hold() -> None:
    assert doctest.testmod(jitlint.python).failed == 0


def test_importing_loads_nothing() -> None:
    program = "import sys, jitlint; print([name for name in sys.modules if name in ('jax', 'click', 'libcst', 'rich')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        jitlint.nothing  # noqa: B018


def test_findings_have_types(model: Path) -> None:
    report = jitlint.check(model)
    (found,) = report.findings
    assert (found.code, found.severity, found.confidence, found.symbol) == (
        "JIT104",
        "error",
        "certain",
        "model.signed",
    )
    assert found.location == jitlint.Location("model.py", 7, 17)
    assert [(step.line, step.note) for step in found.flow] == [
        (5, "argument `x` of `signed`, traced by jax.jit"),
        (6, "assigned to `y`"),
    ]
    assert (found.verdicts, report.errors) == ((), ())
    assert str(found).startswith("model.py:7:17 JIT104 `a if test else b` needs the value of `y > 0`")


def test_findings_are_verified_if_that_is_asked_for(model: Path) -> None:
    (found,) = jitlint.check([model], verify=True, device=["cpu"]).findings
    (verdict,) = found.verdicts
    assert (verdict.status, verdict.device, verdict.jax) == ("confirmed", "cpu", jax.__version__)


def test_what_is_shown_can_be_chosen(model: Path) -> None:
    assert jitlint.check(model, select=["JIT4"]).findings == ()
    assert jitlint.check(model, ignore="JIT104").findings == ()
    (model.parent / "settings.toml").write_text('ignore = ["JIT104"]\n')
    assert jitlint.check(model, config=model.parent / "settings.toml").findings == ()


def test_what_cannot_be_done_is_said(model: Path) -> None:
    with pytest.raises(jitlint.UsageError, match="JIT9999"):
        jitlint.check(model, select=["JIT9999"])
    with pytest.raises(jitlint.UsageError, match="not-there"):
        jitlint.check(model.parent / "not-there.py", config="not-there.toml")
    (model.parent / "broken.py").write_text("import jax\nx = (\n")
    assert "never closed" in jitlint.check(model.parent / "broken.py").errors[0]


def halved(x: jax.Array) -> jax.Array:
    return x / 2 if x.sum() > 0 else x


def test_a_function_is_confirmed_where_it_fails() -> None:
    outcome = jitlint.confirm(halved, jnp.ones(3))
    assert (outcome.status, bool(outcome)) == ("fails", False)
    assert isinstance(outcome.error, jax.errors.TracerBoolConversionError)
    assert outcome.location is not None and Path(outcome.location.path).name == "test_python.py"
    line = Path(__file__).read_text("utf-8").split("\n")[outcome.location.line - 1]
    assert line == "    return x / 2 if x.sum() > 0 else x"
    with pytest.raises(AssertionError, match=r"test_python\.py:\d+: TracerBoolConversionError"):
        jitlint.assert_jittable(halved, jnp.ones(3))


def test_what_jitlint_says_of_the_line_is_said_too(model: Path) -> None:
    program = "import jitlint, model; print(jitlint.confirm(model.signed, 1.0))"
    done = subprocess.run([sys.executable, "-c", program], cwd=model.parent, capture_output=True, text=True, check=True)
    first, second, _ = done.stdout.split("\n")
    assert first.startswith("model.py:7: TracerBoolConversionError: ")
    assert second.startswith("model.py:7:17 JIT104 ")
    assert done.stderr == ""


def test_the_same_with_and_without_jit() -> None:
    seen = []

    def remembered(x: jax.Array) -> jax.Array:
        seen.append(x)
        return x + len(seen)

    first = jitlint.confirm(jax.jit(lambda x, n: x * n, static_argnums=1), jnp.ones(2), 3)
    assert (first.status, first.reason) == ("jittable", "gives the same with and without jit")
    assert jitlint.confirm(remembered, 1.0).reason == "not compared: two runs without jit differ"
    host = jitlint.confirm(lambda x: x + (1 if isinstance(x, jax.core.Tracer) else 2), jnp.float32(1))
    assert (host.status, host.reason) == ("differs", "without and with jit: 3.0 and 2.0")


def test_arguments_stay_as_they_are() -> None:
    given = jnp.ones(3)
    jitlint.assert_jittable(jax.jit(lambda x: x + 1, donate_argnums=0), given)
    assert float(given.sum()) == 3.0


def test_the_example_of_the_readme_runs(model: Path) -> None:
    (model.parent / "src").mkdir()
    model.rename(model.parent / "src" / "model.py")
    readme = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    example = readme.partition("## From Python\n\n```python\n")[2].partition("```")[0]
    (model.parent / "example.py").write_text(example)
    done = subprocess.run([sys.executable, "example.py"], cwd=model.parent, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("src/model.py:7:17 JIT104 ") and "status='confirmed'" in done.stdout
