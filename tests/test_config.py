"""`[tool.jitlint]`, and which findings are shown."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest

from jitlint.config import Choices, Configuration, Settings, VerifySettings
from jitlint.config.schema import schema
from jitlint.config.value_types import Rooted
from jitlint.events.assumption import Confidence
from jitlint.events.event import Event, EventKind
from jitlint.findings.finding import Finding
from jitlint.rules.rule import Severity
from jitlint.source.places import Place
from tests.assumed import resting


def finding(code: str, path: str = "a.py", confidence: Confidence = Confidence.CERTAIN) -> Finding:
    event = Event(EventKind.BOOL, Place(path, 1, 1, 1, 2), "if", assumptions=resting(confidence))
    return Finding(code, "name", Severity.ERROR, "message", event)


def configure(folder: Path, table: str, name: str = "pyproject.toml") -> tuple[Settings, list[str]]:
    folder.mkdir(exist_ok=True, parents=True)
    (folder / name).write_text(table)
    configuration = Configuration()
    settings = configuration.of(folder)
    return settings, [error.text for error in configuration.errors]


def choice(settings: Settings, *, confidence: Confidence | None = None, **codes: str | None) -> Choices:
    return Choices(lambda _: settings, confidence=confidence, **codes)


TABLE = """
select = ["JIT1", "jit203"]
extend-select = ["JIT9"]
ignore = ["JIT101"]
confidence = "certain"
exclude = ["docs/"]
per-file-ignores = {"tests/*" = ["JIT5"]}
baseline = "old.json"
[verify]
drivers = ["pkg.examples:smoke", "tests/test_a.py::TestStep::test_b[1]"]
inputs = {"pkg.model:Model.step" = "x=f32[8,128], n=3"}
device = "cpu"
python = ".venv/bin/python"
import = "full"
sandbox = "off"
inconclusive = "warn"
memory = "16GiB"
recorded = "ci/signatures.json"
probe-timeout = 30
process-memory = "2GiB"
"""


@pytest.mark.parametrize("name", ["pyproject.toml", "jitlint.toml"])
def test_all_keys_are_read(tmp_path: Path, name: str) -> None:
    own = "[tool.jitlint]" + TABLE.replace("[verify]", "[tool.jitlint.verify]") if name == "pyproject.toml" else TABLE
    settings, errors = configure(tmp_path, own, name)
    assert errors == []
    assert dataclasses.replace(settings, sources={}) == Settings(
        select=("JIT1", "JIT203"),
        extend_select=("JIT9",),
        ignore=("JIT101",),
        confidence="certain",
        exclude=(Rooted(tmp_path, "docs/"),),
        per_file_ignores={Rooted(tmp_path, "tests/*"): ("JIT5",)},
        baseline=tmp_path / "old.json",
        verify=VerifySettings(
            device=("cpu",),
            memory="16GiB",
            python=str(tmp_path / ".venv/bin/python"),
            import_="full",
            sandbox="off",
            inconclusive="warn",
            drivers=tuple(
                Rooted(tmp_path, name) for name in ("pkg.examples:smoke", "tests/test_a.py::TestStep::test_b[1]")
            ),
            inputs={"pkg.model:Model.step": "x=f32[8,128], n=3"},
            recorded=tmp_path / "ci/signatures.json",
            probe_timeout=30.0,
            process_memory="2GiB",
        ),
    )
    assert {source.rpartition("/")[2] for source in settings.sources.values()} == {name}


def test_excluded_files_count_from_the_file_that_says_so(tmp_path: Path) -> None:
    configure(tmp_path, "[tool.jitlint]\nexclude = ['docs/']\n")
    configure(tmp_path / "docs" / "inner", "exclude = ['*_pb2.py']\n", "jitlint.toml")
    configuration = Configuration()
    assert configuration.leaves_out(tmp_path / "docs", True)
    assert not configuration.leaves_out(tmp_path / "a_pb2.py", False)
    assert configuration.leaves_out(tmp_path / "docs" / "inner" / "a_pb2.py", False)


def test_the_nearest_file_upward_counts(tmp_path: Path) -> None:
    inner = tmp_path / "pkg" / "sub"
    inner.mkdir(parents=True)
    (tmp_path / "pkg" / "pyproject.toml").write_text("[tool.other]\n")
    configure(tmp_path, "[tool.jitlint]\nignore = ['JIT5']\n")
    assert Configuration().of(inner / "a.py").ignore == ("JIT5",)
    configure(tmp_path / "pkg", "ignore = ['JIT6']\n", "jitlint.toml")
    assert Configuration().of(inner / "a.py").ignore == ("JIT6",)
    assert Configuration().of(tmp_path / "a.py").ignore == ("JIT5",)


def test_without_a_table_everything_is_at_its_default(tmp_path: Path) -> None:
    assert configure(tmp_path, "[project]\nname = 'x'\n") == (Settings(), [])


def test_a_file_extends_another(tmp_path: Path) -> None:
    configure(tmp_path / "base", "ignore = ['JIT5']\nexclude = ['gen/']\n[verify]\nsandbox = 'off'\n", "strict.toml")
    text = "[tool.jitlint]\nextend = '../base/strict.toml'\nignore = ['JIT6']\n[tool.jitlint.verify]\nmemory = '8GiB'\n"
    settings, errors = configure(tmp_path / "project", text)
    assert errors == []
    assert settings.ignore == ("JIT6",) and settings.exclude == (Rooted(tmp_path / "base", "gen/"),)
    assert (settings.verify.sandbox, settings.verify.memory) == ("off", "8GiB")
    assert {key: Path(source).name for key, source in settings.sources.items()} == {
        "exclude": "strict.toml",
        "ignore": "pyproject.toml",
        "verify.sandbox": "strict.toml",
        "verify.memory": "pyproject.toml",
    }


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("'absent.toml'", "absent.toml cannot read the file"),
        ("3", "`extend` must be a path"),
        ("'jitlint.toml'", "extends this file in turn"),
        ("'broken.toml'", "broken.toml is not valid TOML"),
        ("'pyproject.toml'", "has no [tool.jitlint] table"),
    ],
)
def test_what_cannot_be_extended_is_said(tmp_path: Path, value: str, words: str) -> None:
    (tmp_path / "broken.toml").write_text("= 3")
    (tmp_path / "pyproject.toml").write_text("")
    settings, errors = configure(tmp_path, f"extend = {value}\nignore = ['JIT5']\n", "jitlint.toml")
    assert len(errors) == 1 and words in errors[0]
    assert settings.ignore == ("JIT5",)


def test_one_file_or_none_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    configure(tmp_path, "ignore = ['JIT5']\n", "jitlint.toml")
    (tmp_path / "other.toml").write_text("ignore = ['JIT6']\n")
    assert Configuration(tmp_path / "other.toml").of(tmp_path / "a.py").ignore == ("JIT6",)
    (tmp_path / "relative.toml").write_text("exclude = ['gen/']\nper-file-ignores = {'b.py' = ['JIT1']}\n")
    relative = Configuration(Path("relative.toml"))
    assert relative.leaves_out(tmp_path / "gen", True) and not relative.leaves_out(tmp_path / "b.py", False)
    shown = [path for path in ("a.py", "b.py") if Choices(relative.of).shows(finding("JIT101", path))]
    assert shown == ["a.py"]
    assert Configuration(isolated=True).of(tmp_path / "a.py") == Settings()
    absent = Configuration(tmp_path / "absent.toml")
    assert absent.of(tmp_path) == Settings() and "cannot read the file" in absent.errors[0].message


def test_the_schema_says_what_the_reader_takes(tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    validator = jsonschema.Draft202012Validator(schema())
    validator.validate(tomllib.loads(TABLE))
    for wrong in (
        "selct = []",
        "ignore = ['101']",
        "confidence = 'sure'",
        "[verify]\nmemory = 16",
        "[verify]\ninput = 1",
    ):
        assert list(validator.iter_errors(tomllib.loads(wrong))), wrong
        assert configure(tmp_path, wrong, "jitlint.toml")[1], wrong


@pytest.mark.parametrize("text", ["", TABLE])
def test_what_is_shown_of_settings_are_these_settings(tmp_path: Path, text: str) -> None:
    before, _ = configure(tmp_path, text, "jitlint.toml")
    command = [sys.executable, "-m", "jitlint", "config", "show", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    after, errors = configure(tmp_path, done.stdout, "jitlint.toml")
    assert done.stderr == "" and errors == []
    assert dataclasses.replace(after, sources={}) == dataclasses.replace(before, sources={})


def test_settings_are_shown_with_their_origin(tmp_path: Path) -> None:
    configure(tmp_path, TABLE, "jitlint.toml")
    command = [sys.executable, "-m", "jitlint", "config", "show", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    shown = {line.partition(" = ")[0]: line.rpartition("  # ")[2] for line in done.stdout.splitlines() if " = " in line}
    assert shown["ignore"] == shown["device"] == "jitlint.toml" and shown["compile-timeout"] == "default"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("[tool.jitlint]\nselct = []", "unknown key `selct` in [tool.jitlint]; did you mean `select`?"),
        (
            "[tool.jitlint]\nzzz = 1",
            "the keys are select, extend-select, ignore, confidence, exclude,",
        ),
        ("[tool.jitlint]\nselect = 'JIT1'", "`select` in [tool.jitlint]: must be a list of strings"),
        ("[tool.jitlint]\nignore = ['E501']", "`E501` is neither a code"),
        ("[tool.jitlint]\nexclude = [1]", "must be a list of strings"),
        ("[tool.jitlint]\nper-file-ignores = []", "must be a table"),
        ("[tool.jitlint]\nper-file-ignores = {'a' = 'JIT1'}", "must be a list of strings"),
        ("[tool.jitlint]\nverify = 1", "[tool.jitlint.verify] must be a table"),
        ("[tool.jitlint.verify]\ninput = {}", "unknown key `input` in [tool.jitlint.verify]; did you mean `inputs`?"),
        ("[tool.jitlint.verify]\ndevice = 'cpi'", "`device` in [tool.jitlint.verify]: there is no device `cpi`"),
        ("[tool.jitlint.verify]\ndrivers = ['smoke']", "`smoke` is neither a function such as pkg.examples:smoke"),
        ("[tool.jitlint.verify]\ndrivers = 'a:b'", "must be a list of strings"),
        ("[tool.jitlint.verify]\ninputs = {step = 'x=f32[3]'}", "`step` is not a function; write it as in"),
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
    assert settings == Settings()
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
    assert choice(Settings(), select=select, ignore=ignore).shows(finding("JIT101")) is shown


def test_the_command_line_replaces_the_settings() -> None:
    settings = Settings(select=("JIT2",), ignore=("JIT1",))
    assert not choice(settings).shows(finding("JIT101"))
    assert choice(settings, select="JIT101").shows(finding("JIT101"))
    assert choice(settings, select="JIT1", ignore="").shows(finding("JIT101"))


def test_hints_are_shown_only_when_selected() -> None:
    hint = dataclasses.replace(finding("JIT199"), severity=Severity.HINT)
    assert not choice(Settings()).shows(hint)
    assert choice(Settings(), select="JIT1").shows(hint)


def test_what_extends_the_selection_leaves_the_rest_as_it_is() -> None:
    hint = dataclasses.replace(finding("JIT199"), severity=Severity.HINT)
    for wanted in (
        choice(Settings(), extend="JIT199"),
        choice(Settings(extend_select=("JIT1",))),
    ):
        assert wanted.shows(hint) and wanted.shows(finding("JIT101")) and wanted.shows(finding("JIT501"))
    narrow = choice(Settings(extend_select=("JIT1",)), select="JIT2", extend="JIT501")
    assert narrow.shows(finding("JIT201")) and narrow.shows(finding("JIT501")) and not narrow.shows(hint)


@pytest.mark.parametrize(
    ("least", "shown"),
    [("certain", ["certain"]), ("likely", ["certain", "likely"]), ("possible", ["certain", "likely", "possible"])],
)
def test_confidence_has_a_threshold(least: str, shown: list[str]) -> None:
    wanted = choice(Settings(), confidence=Confidence(least))
    assert [str(level) for level in Confidence if wanted.shows(finding("JIT101", confidence=level))] == shown


def test_files_have_their_own_ignores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = Settings(
        per_file_ignores={Rooted(tmp_path, "tests/*"): ("JIT5",), Rooted(tmp_path, "*_test.py"): ("JIT1",)}
    )
    wanted = choice(settings)
    assert not wanted.shows(finding("JIT501", "tests/a.py"))
    assert wanted.shows(finding("JIT101", "tests/a.py"))
    assert wanted.shows(finding("JIT501", "a.py"))
    assert not wanted.shows(finding("JIT101", "pkg/a_test.py"))


def test_codes_on_the_command_line_are_checked() -> None:
    with pytest.raises(ValueError, match="`E501` is neither a code"):
        choice(Settings(), select="E501")
