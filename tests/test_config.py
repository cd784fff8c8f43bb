"""`[tool.jitlint]`, and which findings are shown."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from jitlint.analysis.events import Confidence, Event, EventKind
from jitlint.config import Settings, VerifySettings, choice, load
from jitlint.findings.finding import Finding
from jitlint.rules.rule import Severity
from jitlint.source.places import Place


def finding(code: str, path: str = "a.py", confidence: Confidence = Confidence.CERTAIN) -> Finding:
    event = Event(EventKind.BOOL, Place(path, 1, 1, 1, 2), "if", confidence=confidence)
    return Finding(code, "name", Severity.ERROR, "message", event)


def configure(folder: Path, table: str) -> tuple[Settings, list[str]]:
    (folder / "pyproject.toml").write_text(table)
    settings, errors = load(folder)
    return settings, [error.message for error in errors]


def test_all_keys_are_read(tmp_path: Path) -> None:
    settings, errors = configure(
        tmp_path,
        """
        [tool.jitlint]
        select = ["JIT1", "jit203"]
        extend-select = ["JIT9"]
        ignore = ["JIT101"]
        exclude = ["docs/"]
        per-file-ignores = {"tests/*" = ["JIT5"]}
        [tool.jitlint.verify]
        drivers = ["pkg.examples:smoke", "tests/test_a.py::TestStep::test_b[1]"]
        inputs = {"pkg.model:Model.step" = "x=f32[8,128], n=3"}
        device = "cpu"
        python = ".venv/bin/python"
        import = "full"
        sandbox = "off"
        memory = "16GiB"
        recorded = "ci/signatures.json"
        probe-timeout = 30
        process-memory = "2GiB"
        """,
    )
    assert errors == []
    verify = VerifySettings(
        ("pkg.examples:smoke", "tests/test_a.py::TestStep::test_b[1]"), {"pkg.model:Model.step": "x=f32[8,128], n=3"},
        ("cpu",), str(tmp_path / ".venv/bin/python"), "full", "off", "16GiB",
        tmp_path / "ci/signatures.json", {"probe_timeout": 30.0, "memory_mb": 2048},
    )  # fmt: skip
    assert settings == Settings(
        tmp_path, ("JIT1", "JIT203"), ("JIT9",), ("JIT101",), ("docs/",), {"tests/*": ("JIT5",)}, verify
    )
    excluded = settings.excluded()
    assert excluded is not None and excluded.verdict(tmp_path / "docs/conf.py")


def test_the_nearest_table_upward_counts(tmp_path: Path) -> None:
    inner = tmp_path / "pkg" / "sub"
    inner.mkdir(parents=True)
    (tmp_path / "pkg" / "pyproject.toml").write_text("[tool.other]\n")
    configure(tmp_path, "[tool.jitlint]\nignore = ['JIT5']\n")
    assert load(inner / "a.py")[0] == Settings(tmp_path, ignore=("JIT5",))


def test_without_a_table_everything_is_at_its_default(tmp_path: Path) -> None:
    assert configure(tmp_path, "[project]\nname = 'x'\n") == (load(tmp_path)[0], [])
    assert load(tmp_path)[0].select == ()


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("[tool.jitlint]\nselct = []", "unknown key `selct` in [tool.jitlint]; did you mean `select`?"),
        ("[tool.jitlint]\nzzz = 1", "the keys are select, extend-select, ignore, exclude, per-file-ignores"),
        ("[tool.jitlint]\nselect = 'JIT1'", "`select` in [tool.jitlint]: must be a list of strings"),
        ("[tool.jitlint]\nignore = ['E501']", "`E501` is no code"),
        ("[tool.jitlint]\nexclude = [1]", "must be a list of strings"),
        ("[tool.jitlint]\nper-file-ignores = []", "must be a table"),
        ("[tool.jitlint]\nper-file-ignores = {'a' = 'JIT1'}", "must be a list of strings"),
        ("[tool.jitlint]\nverify = 1", "[tool.jitlint.verify] must be a table"),
        ("[tool.jitlint.verify]\ninput = {}", "unknown key `input` in [tool.jitlint.verify]; did you mean `inputs`?"),
        ("[tool.jitlint.verify]\ndevice = 'cpi'", "`device` in [tool.jitlint.verify]: there is no device `cpi`"),
        ("[tool.jitlint.verify]\ndrivers = ['smoke']", "`smoke` is neither a function such as pkg.examples:smoke"),
        ("[tool.jitlint.verify]\ndrivers = 'a:b'", "must be a list of strings"),
        ("[tool.jitlint.verify]\ninputs = {step = 'x=f32[3]'}", "`step` is no function; write it as in"),
        ("[tool.jitlint.verify]\ninputs = {'a:step' = 1}", "must be a table such as"),
        ("[tool.jitlint.verify]\npython = 3", "must be a path such as"),
        ("[tool.jitlint.verify]\nimport = 'all'", 'must be "needed" or "full"'),
        ("[tool.jitlint.verify]\nprobe-timeout = 0", "must be a number of seconds such as 30"),
        ("[tool.jitlint.verify]\nmodule-timeout = true", "must be a number of seconds such as 30"),
        ("[tool.jitlint.verify]\nprocess-memory = '1KB'", "must be at least 1MiB"),
        ("[tool.jitlint.verify]\nmemory = 16", 'must be a size such as "16GiB"'),
        ("[tool]\njitlint = 3", "must be a table"),
        ("[tool.jitlint\n", "is not valid TOML"),
        ("tool = 3", "is not valid TOML"),
    ],
)
def test_what_is_wrong_is_said_and_left_at_its_default(tmp_path: Path, table: str, words: str) -> None:
    settings, errors = configure(tmp_path, table)
    assert settings == Settings(tmp_path)
    assert len(errors) == 1
    assert errors[0].startswith("JIT003 ")
    assert words in errors[0]


def test_a_wrong_key_leaves_the_others_in_force(tmp_path: Path) -> None:
    settings, errors = configure(tmp_path, "[tool.jitlint]\nignore = ['JIT5']\nslect = []\n")
    assert settings.ignore == ("JIT5",)
    assert len(errors) == 1


@pytest.mark.parametrize(
    ("select", "ignore", "shown"),
    [
        (None, None, True),
        ("JIT1", None, True),
        ("JIT101,JIT2", None, True),
        ("JIT2", None, False),
        (None, "JIT1", False),
        (None, "JIT102", True),
        ("JIT101", "JIT1", True),
        ("JIT1", "JIT101", False),
        ("JIT1", "JIT1", False),
        ("JIT", "J", True),
        ("jit101", None, True),
    ],
)
def test_the_longest_prefix_decides(select: str | None, ignore: str | None, shown: bool) -> None:
    assert choice(Settings(Path()), select, ignore, Confidence.LIKELY).shows(finding("JIT101")) is shown


def test_the_command_line_replaces_the_settings() -> None:
    settings = Settings(Path(), select=("JIT2",), ignore=("JIT1",))
    assert not choice(settings, None, None, Confidence.LIKELY).shows(finding("JIT101"))
    assert choice(settings, "JIT101", None, Confidence.LIKELY).shows(finding("JIT101"))
    assert choice(settings, "JIT1", "", Confidence.LIKELY).shows(finding("JIT101"))


def test_hints_are_shown_only_when_selected() -> None:
    hint = dataclasses.replace(finding("JIT199"), severity=Severity.HINT)
    assert not choice(Settings(Path()), None, None, Confidence.LIKELY).shows(hint)
    assert choice(Settings(Path()), "JIT1", None, Confidence.LIKELY).shows(hint)


def test_what_extends_the_selection_leaves_the_rest_as_it_is() -> None:
    hint = dataclasses.replace(finding("JIT199"), severity=Severity.HINT)
    for wanted in (
        choice(Settings(Path()), None, None, Confidence.LIKELY, "JIT199"),
        choice(Settings(Path(), extend_select=("JIT1",)), None, None, Confidence.LIKELY),
    ):
        assert wanted.shows(hint) and wanted.shows(finding("JIT101")) and wanted.shows(finding("JIT501"))
    narrow = choice(Settings(Path(), extend_select=("JIT1",)), "JIT2", None, Confidence.LIKELY, "JIT501")
    assert narrow.shows(finding("JIT201")) and narrow.shows(finding("JIT501")) and not narrow.shows(hint)


@pytest.mark.parametrize(
    ("least", "shown"),
    [("certain", ["certain"]), ("likely", ["certain", "likely"]), ("possible", ["certain", "likely", "possible"])],
)
def test_confidence_has_a_threshold(least: str, shown: list[str]) -> None:
    wanted = choice(Settings(Path()), None, None, Confidence(least))
    assert [str(level) for level in Confidence if wanted.shows(finding("JIT101", confidence=level))] == shown


def test_files_have_their_own_ignores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = Settings(tmp_path, per_file_ignores={"tests/*": ("JIT5",), "*_test.py": ("JIT1",)})
    wanted = choice(settings, None, None, Confidence.LIKELY)
    assert not wanted.shows(finding("JIT501", "tests/a.py"))
    assert wanted.shows(finding("JIT101", "tests/a.py"))
    assert wanted.shows(finding("JIT501", "a.py"))
    assert not wanted.shows(finding("JIT101", "pkg/a_test.py"))


def test_codes_on_the_command_line_are_checked() -> None:
    with pytest.raises(ValueError, match="`E501` is no code"):
        choice(Settings(Path()), "E501", None, Confidence.LIKELY)
